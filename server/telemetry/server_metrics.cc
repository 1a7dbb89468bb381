#include "server/telemetry/server_metrics.h"

namespace burnish::server {

ServerMetrics::ServerMetrics(telemetry::Metrics& metrics)
    : jobs(metrics.Gauges(telemetry::kJobs)),
      work_items(metrics.Gauges(telemetry::kWorkItems)),
      queue_oldest_age(metrics.Gauges(telemetry::kQueueOldestAge)),
      agents(metrics.Gauges(telemetry::kAgents)),
      devices(metrics.Gauges(telemetry::kDevices)),
      agent_heartbeat_age(metrics.NewGauge(telemetry::kAgentHeartbeatAge)),
      dispatch_latency(metrics.NewHistogram(telemetry::kDispatchLatency)),
      model_rank_correlation(metrics.NewHistogram(telemetry::kModelRankCorrelation)),
      model_regret(metrics.NewHistogram(telemetry::kModelRegret)),
      attempts(metrics.Counters(telemetry::kAttempts)),
      lease_expired(metrics.NewCounter(telemetry::kLeaseExpired)),
      report_result(metrics.Counters(telemetry::kReportResult)),
      blob_bytes_received(metrics.NewCounter(telemetry::kBlobBytesReceived)),
      blob_bytes_sent(metrics.NewCounter(telemetry::kBlobBytesSent)),
      db_query(metrics.Histograms(telemetry::kDbQuery)),
      db_pool_in_use(metrics.NewGauge(telemetry::kDbPoolInUse)),
      retention_jobs_deleted(metrics.NewCounter(telemetry::kRetentionJobsDeleted)),
      retention_samples_dropped(metrics.NewCounter(telemetry::kRetentionSamplesDropped)),
      retention_blobs_deleted(metrics.NewCounter(telemetry::kRetentionBlobsDeleted)),
      grpc_handled(metrics.Counters(telemetry::kGrpcHandled)),
      grpc_handling(metrics.Histograms(telemetry::kGrpcHandling)) {}

}  // namespace burnish::server
