// The server's metrics as handles: what counts takes the struct by value. Made by default, its
// handles count nowhere.
#pragma once

#include "common/telemetry/metrics.h"

namespace burnish::server {

struct ServerMetrics {
  ServerMetrics() = default;
  explicit ServerMetrics(telemetry::Metrics& metrics);

  // Of the store, brought up to date before a scrape.
  telemetry::Family<telemetry::Gauge> jobs;
  telemetry::Family<telemetry::Gauge> work_items;
  telemetry::Family<telemetry::Gauge> queue_oldest_age;
  telemetry::Family<telemetry::Gauge> agents;
  telemetry::Family<telemetry::Gauge> devices;
  telemetry::Gauge agent_heartbeat_age;

  // Counted where it happens.
  telemetry::Histogram dispatch_latency;
  telemetry::Histogram model_rank_correlation;
  telemetry::Histogram model_regret;
  telemetry::Family<telemetry::Counter> attempts;  // backend, outcome
  telemetry::Counter lease_expired;
  telemetry::Family<telemetry::Counter> report_result;  // kind
  telemetry::Counter blob_bytes_received;
  telemetry::Counter blob_bytes_sent;
  telemetry::Family<telemetry::Histogram> db_query;  // query
  telemetry::Gauge db_pool_in_use;
  telemetry::Counter retention_jobs_deleted;
  telemetry::Counter retention_samples_dropped;
  telemetry::Counter retention_blobs_deleted;
  telemetry::Family<telemetry::Counter> grpc_handled;     // service, method, code
  telemetry::Family<telemetry::Histogram> grpc_handling;  // service, method
};

}  // namespace burnish::server
