// Every metric of server and agent: name, type, help and labels. docs/metrics.md is made from this
// table, and nothing else may be exported.
//
// A label has a closed set of values, so that the number of series is bounded whatever users do:
// never a job, a kernel, a person or an error's text. A value outside the set counts as "other".
#pragma once

#include <cstddef>
#include <span>

namespace burnish::telemetry {

enum class MetricType { kCounter, kGauge, kHistogram };

struct MetricLabel {
  const char* name = nullptr;
  std::span<const char* const> values;
  const char* set = nullptr;  // in place of values: which set of the program it is, for the page
};

inline constexpr size_t kMaxLabels = 3;

struct MetricName {
  const char* name;
  MetricType type;
  const char* help;
  MetricLabel labels[kMaxLabels] = {};   // those without a name are unused
  std::span<const double> buckets = {};  // of a histogram that is not of seconds

  size_t label_count() const {
    size_t count = 0;
    while (count < kMaxLabels && labels[count].name != nullptr) ++count;
    return count;
  }
};

// --- values of labels ---------------------------------------------------------------------------

inline constexpr char kOther[] = "other";
inline constexpr const char* kBackends[] = {"null",   "replay", "command", "cpu",
                                            "opencl", "vulkan", "cuda",    kOther};
inline constexpr const char* kOutcomes[] = {"ok",
                                            "rejected",
                                            "compile_error",
                                            "compile_timeout",
                                            "launch_refused",
                                            "crash",
                                            "timeout",
                                            "wrong_result",
                                            "nondeterministic",
                                            "unstable",
                                            "out_of_memory",
                                            "sandbox_violation",
                                            "infrastructure"};
inline constexpr const char* kActiveJobStates[] = {"queued", "running", "paused", "finishing"};
inline constexpr const char* kWorkItemStates[] = {"queued", "running"};
inline constexpr const char* kAgentStates[] = {"live", "suspect", "gone"};
inline constexpr const char* kDeviceStates[] = {"available", "unavailable", "gone"};
inline constexpr const char* kReportResults[] = {"stored", "duplicate", "late"};
// As other gRPC servers name them, in the order of the numbers.
inline constexpr const char* kGrpcCodes[] = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

inline constexpr MetricLabel kBackendLabel{.name = "backend", .values = kBackends};
inline constexpr MetricLabel kOutcomeLabel{.name = "outcome", .values = kOutcomes};
inline constexpr MetricLabel kServiceLabel{.name = "grpc_service", .set = "services of `proto/`"};
inline constexpr MetricLabel kMethodLabel{.name = "grpc_method", .set = "their methods"};

// --- the server ---------------------------------------------------------------------------------

inline constexpr MetricName kJobs{"burnish_jobs",
                                  MetricType::kGauge,
                                  "Jobs that have not ended.",
                                  {{.name = "state", .values = kActiveJobStates}}};
inline constexpr MetricName kWorkItems{
    "burnish_work_items",
    MetricType::kGauge,
    "Work items (trials and comparisons): queued in jobs that are not paused, or held by an agent.",
    {{.name = "state", .values = kWorkItemStates}, kBackendLabel}};
inline constexpr MetricName kQueueOldestAge{
    "burnish_queue_oldest_age_seconds",
    MetricType::kGauge,
    "For how long the task that has waited longest had work queued and none running.",
    {kBackendLabel}};
inline constexpr MetricName kDispatchLatency{
    "burnish_dispatch_latency_seconds",
    MetricType::kHistogram,
    "From a work item being queued, with a slot free for it, to its lease.",
    {}};
inline constexpr double kCorrelationBuckets[] = {-0.5, 0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1};
inline constexpr MetricName kModelRankCorrelation{
    "burnish_model_rank_correlation",
    MetricType::kHistogram,
    "Of each search that ended: rank correlation (Spearman) of the latencies that its model "
    "expected of the trials it chose with those measured; 1: it knew their order.",
    {},
    kCorrelationBuckets};
inline constexpr double kRegretBuckets[] = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5};
inline constexpr MetricName kModelRegret{
    "burnish_model_regret",
    MetricType::kHistogram,
    "Of each search that ended: by how much the best of the ten trials of which its model expected "
    "most was slower than the best of those it chose, as a share of that.",
    {},
    kRegretBuckets};
inline constexpr MetricName kAttempts{"burnish_attempts_total",
                                      MetricType::kCounter,
                                      "Attempts whose report was stored, by outcome.",
                                      {kBackendLabel, kOutcomeLabel}};
inline constexpr MetricName kLeaseExpired{"burnish_lease_expired_total",
                                          MetricType::kCounter,
                                          "Leases that ended without a report or a renewal.",
                                          {}};
inline constexpr MetricName kReportResult{"burnish_report_result_total",
                                          MetricType::kCounter,
                                          "Reports received, by how they were acknowledged.",
                                          {{.name = "kind", .values = kReportResults}}};
inline constexpr MetricName kAgents{
    "burnish_agents",
    MetricType::kGauge,
    "Agents known: heard of lately, silent for three heartbeats, or gone.",
    {{.name = "state", .values = kAgentStates}}};
inline constexpr MetricName kDevices{"burnish_devices",
                                     MetricType::kGauge,
                                     "Devices known, of live agents and of those gone.",
                                     {{.name = "state", .values = kDeviceStates}, kBackendLabel}};
inline constexpr MetricName kAgentHeartbeatAge{
    "burnish_agent_heartbeat_age_seconds",
    MetricType::kGauge,
    "Time since the last sign of life of the live agent that was silent longest.",
    {}};
inline constexpr MetricName kBlobBytesReceived{
    "burnish_blob_bytes_received_total",
    MetricType::kCounter,
    "Bytes of big files received from clients; what comes twice counts twice.",
    {}};
inline constexpr MetricName kBlobBytesSent{"burnish_blob_bytes_sent_total",
                                           MetricType::kCounter,
                                           "Bytes of big files that were sent to agents.",
                                           {}};
inline constexpr MetricName kDbQuery{"burnish_db_query_seconds",
                                     MetricType::kHistogram,
                                     "Time of one call of the store.",
                                     {{.name = "query", .set = "calls of `server/store/store.h`"}}};
inline constexpr MetricName kDbPoolInUse{
    "burnish_db_pool_in_use", MetricType::kGauge, "Database connections in use.", {}};
inline constexpr MetricName kRetentionJobsDeleted{"burnish_retention_jobs_deleted_total",
                                                  MetricType::kCounter,
                                                  "Jobs deleted because of `--keep-jobs`.",
                                                  {}};
inline constexpr MetricName kRetentionSamplesDropped{
    "burnish_retention_samples_dropped_total",
    MetricType::kCounter,
    "Raw samples dropped because of `--keep-samples`.",
    {}};
inline constexpr MetricName kRetentionBlobsDeleted{
    "burnish_retention_blobs_deleted_total",
    MetricType::kCounter,
    "Uploaded contents deleted because no job names them any more.",
    {}};
inline constexpr MetricName kGrpcHandled{
    "grpc_server_handled_total",
    MetricType::kCounter,
    "Calls that ended, by status.",
    {kServiceLabel, kMethodLabel, {.name = "grpc_code", .values = kGrpcCodes}}};
inline constexpr MetricName kGrpcHandling{
    "grpc_server_handling_seconds",
    MetricType::kHistogram,
    "Time from the start of a call to its status; streams last as long as their client.",
    {kServiceLabel, kMethodLabel}};

// --- the agent ----------------------------------------------------------------------------------

inline constexpr MetricName kAgentAttempts{"burnish_agent_attempts_total",
                                           MetricType::kCounter,
                                           "Attempts that this agent finished, by outcome.",
                                           {kOutcomeLabel}};
inline constexpr MetricName kAgentCanaries{"burnish_agent_canaries_total",
                                           MetricType::kCounter,
                                           "Measurements of the control kernel, by outcome.",
                                           {kOutcomeLabel}};
inline constexpr MetricName kAgentCompile{
    "burnish_agent_compile_seconds", MetricType::kHistogram, "Time to compile one candidate.", {}};
inline constexpr MetricName kAgentRun{
    "burnish_agent_run_seconds",
    MetricType::kHistogram,
    "Time to check and to measure one candidate, or to compare the finalists.",
    {}};
inline constexpr MetricName kAgentJournalDepth{"burnish_agent_journal_depth",
                                               MetricType::kGauge,
                                               "Reports that the server has not acknowledged yet.",
                                               {}};
inline constexpr MetricName kAgentConnected{
    "burnish_agent_connected", MetricType::kGauge, "1 while attached to the server, else 0.", {}};
inline constexpr MetricName kAgentWorkersLost{
    "burnish_agent_workers_lost_total",
    MetricType::kCounter,
    "Workers that died, hung or broke the protocol, and were started again.",
    {}};

// --- both ---------------------------------------------------------------------------------------

inline constexpr MetricName kBuildInfo{
    "burnish_build_info",
    MetricType::kGauge,
    "Always 1; the labels say what runs.",
    {{.name = "version", .set = "of this program"},
     {.name = "commit", .set = "of this program"},
     {.name = "schema", .set = "newest database schema it knows; empty on agents"}}};
inline constexpr MetricName kProcessCpu{
    "process_cpu_seconds_total", MetricType::kCounter, "User and system time of the process.", {}};
inline constexpr MetricName kProcessResident{
    "process_resident_memory_bytes", MetricType::kGauge, "Resident memory.", {}};
inline constexpr MetricName kProcessVirtual{
    "process_virtual_memory_bytes", MetricType::kGauge, "Virtual memory.", {}};
inline constexpr MetricName kProcessOpenFds{
    "process_open_fds", MetricType::kGauge, "Open file descriptors.", {}};
inline constexpr MetricName kProcessMaxFds{
    "process_max_fds", MetricType::kGauge, "Most file descriptors that it may open.", {}};
inline constexpr MetricName kProcessThreads{
    "process_threads", MetricType::kGauge, "Threads of the process.", {}};
inline constexpr MetricName kProcessStart{"process_start_time_seconds",
                                          MetricType::kGauge,
                                          "Start of the process, in seconds since 1970.",
                                          {}};

// --- all of them --------------------------------------------------------------------------------

inline constexpr const MetricName* kServerMetrics[] = {&kJobs,
                                                       &kWorkItems,
                                                       &kQueueOldestAge,
                                                       &kDispatchLatency,
                                                       &kModelRankCorrelation,
                                                       &kModelRegret,
                                                       &kAttempts,
                                                       &kLeaseExpired,
                                                       &kReportResult,
                                                       &kAgents,
                                                       &kDevices,
                                                       &kAgentHeartbeatAge,
                                                       &kBlobBytesReceived,
                                                       &kBlobBytesSent,
                                                       &kDbQuery,
                                                       &kDbPoolInUse,
                                                       &kRetentionJobsDeleted,
                                                       &kRetentionSamplesDropped,
                                                       &kRetentionBlobsDeleted,
                                                       &kGrpcHandled,
                                                       &kGrpcHandling};
inline constexpr const MetricName* kAgentMetrics[] = {
    &kAgentAttempts,     &kAgentCanaries,  &kAgentCompile,    &kAgentRun,
    &kAgentJournalDepth, &kAgentConnected, &kAgentWorkersLost};
inline constexpr const MetricName* kCommonMetrics[] = {
    &kBuildInfo,      &kProcessCpu,    &kProcessResident, &kProcessVirtual,
    &kProcessOpenFds, &kProcessMaxFds, &kProcessThreads,  &kProcessStart};

}  // namespace burnish::telemetry
