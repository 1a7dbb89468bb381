// Every bound of the system in one place. Input above a bound is refused by a message that names
// the bound.
#pragma once

#include <cstddef>
#include <cstdint>

namespace burnish::limits {

inline constexpr size_t kJobFileBytes = 1 << 20;
inline constexpr size_t kSourceFileBytes = 4 << 20;
inline constexpr size_t kJobSourceBytes = 32 << 20;   // of all the source files of a job
inline constexpr size_t kInlineBlobBytes = 64 << 10;  // content of this size or more goes by hash
inline constexpr size_t kBlobChunkBytes = 1 << 20;
inline constexpr size_t kBlobBytes = 64 << 20;
inline constexpr size_t kBlobCacheBytes = 1 << 30;  // of an agent
inline constexpr size_t kRequestMessageBytes = 8 << 20;
inline constexpr size_t kFrameBytes = 64 << 20;  // worker pipe
inline constexpr size_t kOutcomeMessageBytes = 8 << 10;
inline constexpr size_t kNameBytes = 128;
inline constexpr size_t kLogValueBytes = 1 << 10;  // of one field; the rest is left out
inline constexpr int kDocumentDepth = 32;          // nesting of a job file

inline constexpr size_t kExpressionBytes = 4 << 10;
inline constexpr int kExpressionDepth = 64;

inline constexpr size_t kParameters = 64;
inline constexpr size_t kParameterValues = 4096;
inline constexpr size_t kConstraints = 256;
inline constexpr uint64_t kSpaceConfigurations = 10'000'000;  // listed, of a component of a space
inline constexpr uint64_t kSpaceConstructionSteps = 1'000'000'000;  // values tried, of a component
inline constexpr uint64_t kEncodingSample = 200'000;  // looked at for the values that occur
inline constexpr size_t kFeaturePairs = 120;  // of parameters, whose product and ratio trees see
inline constexpr uint64_t kEncodingDraws = 5'000;                  // the same in a lazy space
inline constexpr uint64_t kMeasuredFileBytes = uint64_t{1} << 30;  // unpacked
inline constexpr int64_t kReplayTrials = 50'000'000;               // of all runs of one replay
inline constexpr size_t kHistorySources = 6;                       // of a task
inline constexpr size_t kHistoryRecords = 1'000;                   // of a source, at most
inline constexpr size_t kHistoryLeastRecords = 10;                 // fewer are no source
inline constexpr int kHistorySets = 16;                            // looked at for sources
inline constexpr int kHistoryRowsRead = 10'000;                    // of each of those
inline constexpr int64_t kImportedRecords = 500'000;               // of a set
inline constexpr int64_t kImportedSetsPerNamespace = 1'000;
inline constexpr size_t kConstants = 256;
inline constexpr size_t kFlags = 64;
inline constexpr size_t kArguments = 64;
inline constexpr size_t kBufferRank = 8;
inline constexpr int64_t kBufferBytes = int64_t{1} << 33;
inline constexpr int64_t kTotalBufferBytes = int64_t{1} << 34;
inline constexpr size_t kOperatorAxes = 16;
inline constexpr size_t kOperatorTensors = 16;
inline constexpr size_t kEpilogueSteps = 8;
inline constexpr int64_t kThreads = 4096;  // that a workload may ask for
inline constexpr int64_t kBudgetTrials = 1'000'000;
inline constexpr double kBudgetSeconds = 366 * 86'400;
inline constexpr int64_t kMeasureExecutions = 1'000'000;  // per sample, and warm-up
inline constexpr double kSampleMs = 60'000;
inline constexpr double kRunTimeoutSeconds = 3'600;

inline constexpr int64_t kTokenLifetimeSeconds = 365 * 86'400;
inline constexpr size_t kTokenNamespaces = 64;
inline constexpr size_t kCachedTokens = 4096;          // in a server; with more it starts anew
inline constexpr int kFailedTriesPerMinute = 10;       // of one peer, before it has to wait
inline constexpr size_t kPeersWithFailedTries = 4096;  // remembered

inline constexpr size_t kAgentIdBytes = 64;
inline constexpr size_t kDevicesPerAgent = 64;
inline constexpr size_t kQueuedAgentMessages = 4096;  // more: the agent has stopped reading
inline constexpr size_t kGroupCommit = 256;           // reports, or heartbeats, in one transaction
inline constexpr int kUnansweredPerStream = 64;       // reports; then reading waits
inline constexpr int kListedJobs = 200;
inline constexpr int kLeasesPerDevice = 64;  // upper bound of an agent's prefetch
inline constexpr int kAttemptsWithoutReport = 3;
inline constexpr int kFailuresBeforeQuarantine = 5;  // infrastructure outcomes in a row
inline constexpr int kPriority = 10;                 // from its negative to this
inline constexpr int64_t kActiveJobsPerNamespace = 1000;
inline constexpr int kTrialsBeforeHopeless = 20;
inline constexpr int kFinalists = 3;  // beside the default
inline constexpr int kComparisonRounds = 20;
inline constexpr size_t kSamplesPerMeasurement = 200;

// Reports that an agent keeps for want of an acknowledgement; with more it takes no new work.
inline constexpr size_t kJournalReports = 10'000;
inline constexpr size_t kJournalBytes = 256 << 20;

}  // namespace burnish::limits
