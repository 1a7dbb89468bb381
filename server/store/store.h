// The results database: jobs, tasks, trials, work items with their leases, and every measurement.
//
// Every call is one transaction: when it returns OK, its effect is durable; after an error of the
// database it may have happened all the same, and may be repeated. Calls on a team's data take the
// namespace first; fleet calls (sessions, devices, claims, leases, ownership) take none. `Now()` is
// the only clock for leases. Several servers may work on one database: what drives a job
// (proposals, its moves from state to state) needs the fence of its ownership lease, and is refused
// with Aborted once another server has taken the job over. Thread-safe. Errors: NotFound for
// unknown ids (also of another namespace), Unavailable for a database that is gone,
// ResourceExhausted for a full disk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/work/device.h"
#include "common/work/measurement.h"
#include "common/work/roofs.h"
#include "common/work/work_item.h"
#include "server/store/history.h"
#include "server/store/token.h"

namespace burnish::store {

// One set of words for jobs and tasks.
enum class State { kQueued, kRunning, kPaused, kFinishing, kDone, kFailed, kCancelled };
const char* StateName(State state);  // "queued"
std::optional<State> ParseState(std::string_view name);
bool IsFinal(State state);

// --- jobs and tasks -----------------------------------------------------------------------------

struct NewTask {
  std::string device_class;
  std::string selector;  // the job's `devices:` expression
  TaskHash hash;
  std::string problem;      // for people
  std::string problem_key;  // record identity, beside the source hash
  std::string source_hash;
  uint64_t space_size = 0;
  int64_t budget_trials = 0;
  double budget_seconds = 0;  // on the clock, and of the device; 0: without bound
  double budget_device_seconds = 0;
  work::KernelWork work;
  std::string goals;   // objectives and limits: work::GoalsText
  std::string family;  // work::KernelFamily
  // Neither is read back with the task.
  std::string schedule;                // of a workload: work::ToText
  std::vector<HistorySource> history;  // nearest first
};

struct NewJob {
  std::string client_request_id;
  std::string name;
  std::string file_name;
  std::string text;
  std::map<std::string, std::string> files;  // content by name
  std::map<std::string, BlobHash> blobs;     // further files, which are stored blobs
  std::string hold_id;  // private server: the client whose end pauses the job; else empty
  int priority = 0;     // among the jobs of the same namespace; higher goes first
  std::vector<NewTask> tasks;
};

// What the user sent.
struct JobSource {
  std::string file_name;
  std::string text;
  std::map<std::string, std::string> files;  // content by name, also of those that are blobs
  std::map<std::string, BlobHash> blobs;     // those that are
};

struct Job {
  JobId id;
  Namespace owner;
  std::string name;
  std::string hold_id;
  State state = State::kQueued;
  std::string reason;
  bool finish_requested = false;
  int priority = 0;
  absl::Time created;
};

// A finalist that the comparison could not tell from the best.
struct TiedFinalist {
  space::Configuration configuration;
  double seconds = 0;
  stats::Interval interval;
  bool verified = false;
  double max_relative_error = 0;
};

// What the finalists' comparison decided; all empty until then.
struct TaskResult {
  std::optional<space::Configuration> best;
  double best_seconds = 0;
  stats::Interval best_interval;
  double default_seconds = 0;
  stats::Interval default_interval;
  double speedup = 0;  // default / best, median over rounds
  stats::Interval speedup_interval;
  bool verified = false;
  double max_relative_error = 0;
  std::vector<TiedFinalist> tie;  // the others, when no winner stands out; else empty
};

// By which a search passes over configurations; fixed with the task when its device's are known, so
// that a rebuilt search decides the same.
struct TaskRoofs {
  TrialNumber from;  // the first trial that is proposed by them
  work::Roofs roofs;
};

struct Task {
  TaskId id;
  NewTask what;
  State state = State::kQueued;
  std::string reason;
  DeviceId device;  // serves it now, or served it last; empty before the first claim
  TaskResult result;
  std::optional<absl::Time> started;
  std::optional<absl::Time> ended;
  int devices_serving = 0;  // that hold leases of it now
  std::vector<HistorySummary> history;
  std::optional<TaskRoofs> roofs;
  std::string pruned;  // what the search passed over by them, for people
};

struct JobWithTasks {
  Job job;
  std::vector<Task> tasks;
};

// An active job that a server drives, with the fence that its writes need.
struct OwnedJob {
  JobWithTasks job;
  Fence fence;
};

// --- trials -------------------------------------------------------------------------------------

struct NewTrial {
  TrialNumber number;
  space::ConfigurationIndex index = 0;  // in the task's search space
  space::Configuration configuration;
  int64_t observed = 0;  // how many finished trials the strategy had observed when proposing it
  std::optional<work::Incumbent> incumbent = {};  // to race against
};

struct TaskTrials {
  Namespace owner;
  TaskId task;
  Fence fence;
  std::vector<NewTrial> trials;
};

struct FinishedSince {
  Namespace owner;
  TaskId task;
  int64_t from = 0;  // position
};

struct Trial {
  NewTrial what;
  // Finished trials have a position from 0 in the order in which they finished; it is the order
  // of observation.
  std::optional<int64_t> finished_position;
  work::Outcome outcome = work::Outcome::kInfrastructure;  // the rest: finished trials
  std::string message;
  std::optional<work::Latency> latency;
  work::Figures figures;
  work::Correctness correctness;
  DeviceId device;             // of the report that decided; empty if none did
  double control_seconds = 0;  // of the control kernel there and then; 0 unknown
  double device_seconds = 0;   // compiling and running, of all attempts that counted
};

// What a task that is done has taken.
struct TaskCost {
  int64_t trials = 0;
  double device_seconds = 0;  // compiling and running, comparison included
  double seconds = 0;         // on the clock
};

// --- results ------------------------------------------------------------------------------------

// One reported attempt, in order of storing.
struct ResultRow {
  int64_t sequence = 0;
  AttemptId attempt;
  TaskId task;
  TrialNumber trial;  // of a measure attempt
  DeviceId device;
  bool late = false;
  std::variant<work::Measurement, work::Comparison> result;
  std::optional<space::Configuration> configuration;  // of a measure attempt
  absl::Time stored;
  // How many raw samples the measurement had, once DropSamples has taken them.
  std::optional<int64_t> dropped_samples;
};

// What one call of the retention did.
struct Removed {
  int64_t count = 0;
  bool more = false;  // whether another call may find more
};

// --- blobs --------------------------------------------------------------------------------------

// Content by its hash. It comes in chunks of limits::kBlobChunkBytes, the last one shorter.
struct BlobState {
  int64_t size_bytes = 0;      // of the whole; 0 unknown
  int64_t received_bytes = 0;  // the next chunk starts here
  bool complete = false;       // all of it, and the hash is right
};

struct NewBlobChunk {
  BlobHash blob;
  int64_t size_bytes = 0;  // of the whole blob
  int64_t offset = 0;
  std::string data;
};

struct BlobChunk {
  int64_t size_bytes = 0;  // of the whole blob
  std::string data;        // from the offset asked for to the end of a chunk
};

// FailedPrecondition, with what to do, for a file of a job whose content is not there.
absl::Status MissingBlob(const std::string& file, const BlobHash& blob);

// --- the fleet ----------------------------------------------------------------------------------

struct HeldAttempt {
  AttemptId attempt;
  WorkItemId work_item;
  Fence fence;
};

// The id that a device of an agent has in every session: `AGENT/BACKEND:INDEX`.
DeviceId DeviceIdOf(const AgentId& agent, const work::DeviceInfo& info);

// A lease that outlived the connection it was granted on.
struct KeptLease {
  HeldAttempt held;
  DeviceId device;
};

// What people, or the server itself, have decided about a device.
enum class Standing {
  kActive,
  kDraining,     // gets nothing new
  kQuarantined,  // gets nothing but canaries; returns by itself unless a person decided
};
const char* StandingName(Standing standing);  // "active"
std::optional<Standing> ParseStanding(std::string_view name);

struct DeviceStanding {
  DeviceId device;
  Standing standing = Standing::kActive;
  std::string reason;
  std::string by;  // who decided; empty: the server
};

struct DeviceRow {
  work::AttachedDevice device;
  SessionId session;
  bool live = false;  // its session was renewed within the lease time
  absl::Time last_seen;
  DeviceStanding standing;
  int64_t leased = 0;          // items that it holds
  double control_seconds = 0;  // of its last canary; 0 unknown
};

// A namespace's part of the devices: what it has had lately (halved every kShareHalfLife).
struct Share {
  Namespace owner;
  double weight = 1;
  double device_seconds = 0;
  double mean_seconds = 0;  // of one attempt; 0 unknown
  int64_t leased = 0;       // items that its tasks hold now
};
inline constexpr absl::Duration kShareHalfLife = absl::Minutes(10);
// What an attempt costs at least, so that failing fast is not free.
inline constexpr double kLeastChargeSeconds = 1e-3;

struct SessionRenewal {
  SessionId session;
  std::vector<HeldAttempt> holding;
};

struct SessionReport {
  SessionId session;
  work::Report report;
};

// A task with work to hand out, as the dispatcher sees it.
struct OpenTask {
  Namespace owner;
  TaskId id;
  std::string device_class;
  std::string selector;
  TaskHash hash;
  DeviceId device;           // empty: no device serves it yet
  bool device_live = false;  // whether that device's session is live and the device is available
  int64_t queued = 0;
  int priority = 0;
};

// What the dispatcher wants leased: up to `limit` items of one task for a device of a session.
struct ClaimRequest {
  SessionId session;
  DeviceId device;
  TaskId task;
  int limit = 0;
};

struct Grant {
  work::Assignment assignment;
  absl::Time queued;  // since when the item has waited
};

struct ExpiredLease {
  AttemptId attempt;
  AgentId agent;
  TaskId task;
};

class Store {
 public:
  virtual ~Store() = default;

  virtual absl::Time Now() = 0;
  // Unavailable or FailedPrecondition (a schema of another version), with a reason for people, if
  // the database cannot serve now.
  virtual absl::Status Check() = 0;

  // Jobs. A known client request id returns the job made for it (second = true).
  virtual absl::StatusOr<std::pair<JobId, bool>> CreateJob(const Namespace& owner,
                                                           const NewJob& job) = 0;
  virtual absl::StatusOr<int64_t> CountActiveJobs(const Namespace& owner) = 0;
  // The job made for a client request id, if there is one: lets a retried submit find its job
  // before anything is checked anew.
  virtual absl::StatusOr<std::optional<JobId>> FindJobOfRequest(
      const Namespace& owner, const std::string& client_request_id) = 0;
  virtual absl::StatusOr<JobWithTasks> GetJob(const Namespace& owner, JobId id) = 0;
  virtual absl::StatusOr<JobSource> GetJobSource(const Namespace& owner, JobId id) = 0;
  // The task's schedule as text; empty for a user's kernel.
  virtual absl::StatusOr<std::string> TaskSchedule(const Namespace& owner, const TaskId& id) = 0;
  virtual absl::StatusOr<std::vector<HistorySource>> TaskHistory(const Namespace& owner,
                                                                 const TaskId& id) = 0;
  // Of the latest tasks that are done with the problem, source and device class of this one, newest
  // first.
  virtual absl::StatusOr<std::vector<TaskCost>> EarlierCosts(const Namespace& owner,
                                                             const NewTask& task, int limit) = 0;
  // What was measured, or imported, of kernels of the task's family, nearest first: the same
  // problem before others, then the same device class before others, then the newest.
  virtual absl::StatusOr<std::vector<RecordSet>> RecordSets(const Namespace& owner,
                                                            const NewTask& task, int limit) = 0;
  // Of a set of those; each configuration once, without `infrastructure` outcomes. At most `limit`
  // trials are looked at, the latest, and of an imported set the fastest half and others evenly
  // spaced among the rest.
  virtual absl::StatusOr<std::vector<MeasuredConfiguration>> Records(const Namespace& owner,
                                                                     const std::string& family,
                                                                     const RecordSet& set,
                                                                     int limit) = 0;
  // Newest first.
  virtual absl::StatusOr<std::vector<JobWithTasks>> ListJobs(const Namespace& owner, int limit) = 0;
  // Moves a job from one of `from` to `to`, at people's wish; OK if it is there already,
  // FailedPrecondition if it is in another state.
  virtual absl::Status MoveJob(const Namespace& owner, JobId id, const std::vector<State>& from,
                               State to, const std::string& reason) = 0;
  // Moves the job and its tasks that have not ended to cancelled, and takes back their queued and
  // leased items. OK for one already cancelled, FailedPrecondition for another final state.
  virtual absl::Status CancelJob(const Namespace& owner, JobId id, const std::string& reason) = 0;
  virtual absl::Status RequestFinish(const Namespace& owner, JobId id) = 0;
  // The client that a private server's job now lives with.
  virtual absl::Status SetHold(const Namespace& owner, JobId id, const std::string& hold_id) = 0;
  // Fleet call: every job not in a final state, oldest first.
  virtual absl::StatusOr<std::vector<JobWithTasks>> ActiveJobs() = 0;

  // Ownership. The active jobs that `replica` owns now, oldest first: renews what it owns, and
  // takes what nobody owns or whose owner has not renewed for `lease`; taking raises the fence.
  virtual absl::StatusOr<std::vector<OwnedJob>> OwnJobs(const ReplicaId& replica,
                                                        absl::Duration lease) = 0;
  // The replica stops: others may take its jobs at once.
  virtual absl::Status ReleaseJobs(const ReplicaId& replica) = 0;

  // The rest of this part is for a job's owner, who shows its fence.
  virtual absl::Status MoveOwnedJob(const Namespace& owner, JobId id, Fence fence,
                                    const std::vector<State>& from, State to,
                                    const std::string& reason) = 0;
  // `reason` is kept with the state; kDone, kFailed and kCancelled set the end time.
  virtual absl::Status MoveTask(const Namespace& owner, const TaskId& id, Fence fence,
                                const std::vector<State>& from, State to,
                                const std::string& reason) = 0;
  virtual absl::Status SetTaskResult(const Namespace& owner, const TaskId& id, Fence fence,
                                     const TaskResult& result) = 0;
  virtual absl::Status SetTaskRoofs(const Namespace& owner, const TaskId& id, Fence fence,
                                    const TaskRoofs& roofs) = 0;
  virtual absl::Status SetTaskPruned(const Namespace& owner, const TaskId& id, Fence fence,
                                     const std::string& pruned) = 0;
  // Trials of several tasks, each with its measure item, in one transaction; a number that exists
  // already is left as it is (a retry). One status per element.
  virtual absl::StatusOr<std::vector<absl::Status>> AddTrials(
      const std::vector<TaskTrials>& tasks) = 0;
  // Takes back trials that no agent holds (their items are removed); returns their numbers.
  virtual absl::StatusOr<std::vector<TrialNumber>> WithdrawQueuedTrials(const Namespace& owner,
                                                                        const TaskId& id,
                                                                        Fence fence) = 0;
  // One comparison per task; a second call while one exists is a retry and changes nothing.
  virtual absl::Status AddComparison(const Namespace& owner, const TaskId& id, Fence fence,
                                     const work::CompareWork& work) = 0;

  // Trials, in order of number.
  virtual absl::StatusOr<std::vector<Trial>> Trials(const Namespace& owner, const TaskId& id) = 0;
  // For each element the finished trials with a position >= `from`, in order of position; none for
  // a task that is not there.
  virtual absl::StatusOr<std::vector<std::vector<Trial>>> FinishedTrials(
      const std::vector<FinishedSince>& tasks) = 0;
  // The comparison's report, once there is one that is not `infrastructure` or the attempts are
  // used up; nothing before.
  virtual absl::StatusOr<std::optional<work::Comparison>> ComparisonResult(const Namespace& owner,
                                                                           const TaskId& id) = 0;

  // Results of a job with a sequence above `after`, oldest first. kind: "measure" or "compare".
  virtual absl::StatusOr<std::vector<ResultRow>> Results(const Namespace& owner, JobId id,
                                                         std::string_view kind, int64_t after,
                                                         int limit) = 0;

  // Imported records. Replaces the same set. ResourceExhausted with too many sets.
  virtual absl::StatusOr<ImportResult> StoreImport(const Namespace& owner,
                                                   const NewImport& import) = 0;
  // Newest first.
  virtual absl::StatusOr<std::vector<Import>> Imports(const Namespace& owner) = 0;
  virtual absl::Status RemoveImport(const Namespace& owner, ImportId id) = 0;

  // Blobs. What was received of one; all zero if nothing. Keeps it from CollectBlobs() for a while.
  virtual absl::StatusOr<BlobState> StatBlob(const Namespace& owner, const BlobHash& blob) = 0;
  // Stores the chunk if it is the next one, and answers what the next one is: a chunk that is there
  // already, or that is too far ahead, changes nothing. Another size than before starts anew.
  // InvalidArgument if the content turns out to have another hash; all of it is then removed.
  virtual absl::StatusOr<BlobState> AppendBlobChunk(const Namespace& owner,
                                                    const NewBlobChunk& chunk) = 0;
  // Of a complete blob.
  virtual absl::StatusOr<std::string> ReadBlob(const Namespace& owner, const BlobHash& blob) = 0;
  // Fleet call: from the complete blob of whichever namespace; OutOfRange at its end or behind.
  virtual absl::StatusOr<BlobChunk> FetchBlobChunk(const BlobHash& blob, int64_t offset) = 0;
  // Fleet call: removes blobs, complete or not, that no job names and nobody has touched since
  // `before`, at most `limit` of them; how many.
  virtual absl::StatusOr<int64_t> CollectBlobs(absl::Time before, int limit) = 0;

  // Number of leased items of a task now.
  virtual absl::StatusOr<int64_t> RunningItems(const Namespace& owner, const TaskId& id) = 0;

  // --- fleet ---
  struct OpenedSession {
    SessionId session;
    std::vector<KeptLease> kept;  // of those listed: still leased to this agent, now renewed
  };
  // Ends the agent's older session. Its leases that `holding` does not list are queued again at
  // once and count as lost, so that a candidate that kills its agent each time comes to an end;
  // those listed, on a device that is still there, move to the new session.
  virtual absl::StatusOr<OpenedSession> OpenSession(const AgentId& agent,
                                                    const std::vector<work::DeviceInfo>& devices,
                                                    const std::vector<HeldAttempt>& holding,
                                                    absl::Duration lease) = 0;
  // Marks sessions as seen and renews the leases that they list, but for those of tasks that have
  // ended; for each element those renewed, Aborted if a newer session of the agent has replaced
  // it, or NotFound if it ended in another way or is not known. A lease that was granted more than
  // a third of `lease` ago and is not listed never reached the agent: it is queued again without
  // counting as lost.
  virtual absl::StatusOr<std::vector<absl::StatusOr<std::vector<AttemptId>>>> RenewSessions(
      const std::vector<SessionRenewal>& sessions, absl::Duration lease) = 0;
  // The agent left in good order: its devices are no longer live, its leases are queued again
  // without counting as lost.
  virtual absl::Status CloseSession(const SessionId& session) = 0;
  // All devices known, live or not.
  virtual absl::StatusOr<std::vector<DeviceRow>> Devices() = 0;
  // Decides about one device, or about all devices of an agent; NotFound for a name of neither.
  virtual absl::Status SetStanding(const std::string& device_or_agent, Standing standing,
                                   const std::string& reason, const std::string& by) = 0;
  // The devices that are not active.
  virtual absl::StatusOr<std::vector<DeviceStanding>> Standings() = 0;
  // A canary's result: anything but ok quarantines an active device; ok ends a quarantine of the
  // server's own.
  virtual absl::Status RecordCanary(const SessionId& session, const DeviceId& device,
                                    const work::Measurement& measurement) = 0;
  // What a device of the session can do at most; of a device that has none now, why. OpenSession
  // does the same for its devices. In either case roofs that are stored stay as long as the device
  // is of the same class. InvalidArgument for a device that is not the session's.
  virtual absl::Status RecordRoofs(const SessionId& session, const DeviceId& device,
                                   const work::Roofs& roofs) = 0;
  // Of every namespace that ever had a device.
  virtual absl::StatusOr<std::vector<Share>> Shares() = 0;
  // Above 0; of a namespace that need not exist yet.
  virtual absl::Status SetWeight(const Namespace& owner, double weight) = 0;

  // Tasks in running or finishing state, of jobs that are not paused, with queued items.
  virtual absl::StatusOr<std::vector<OpenTask>> OpenTasks() = 0;
  // Leases queued items to sessions, oldest first, raising each fence, and makes the device the one
  // that serves the task. For each element its grants: none for a device that is not active, none
  // while another device that is live and available serves the task or still holds leases of it
  // (unless the control kernel's times of both are known), none for a task that an earlier element
  // names; NotFound for a session that has been replaced or a task that is not there,
  // FailedPrecondition for a device that is not the session's.
  virtual absl::StatusOr<std::vector<absl::StatusOr<std::vector<Grant>>>> Claim(
      const std::vector<ClaimRequest>& requests, absl::Duration lease) = 0;
  // Queues expired leases again; an item that lost its lease limits::kAttemptsWithoutReport times
  // ends as `infrastructure`. Lost leases and infrastructure reports count together.
  virtual absl::StatusOr<std::vector<ExpiredLease>> ExpireLeases() = 0;
  // Stores reports, each once per attempt id, in the order given, and charges their device seconds
  // to their namespaces; limits::kFailuresBeforeQuarantine `infrastructure` outcomes in a row
  // quarantine a device. An `infrastructure` outcome
  // queues the item again, at most limits::kAttemptsWithoutReport times in all. A report whose
  // lease was lost, but whose item nobody else has claimed since, still counts. NotFound for an
  // attempt that this database never granted to the session's agent: the sender must forget the
  // report.
  virtual absl::StatusOr<std::vector<absl::StatusOr<work::ReportResult>>> StoreReports(
      const std::vector<SessionReport>& reports) = 0;
  // Those of `held` that are no longer the live attempt of their item, or whose task has ended.
  virtual absl::StatusOr<std::vector<AttemptId>> LostAttempts(
      const std::vector<HeldAttempt>& held) = 0;

  // --- retention: fleet calls, each a short transaction on one job that has ended; several servers
  // may call at once, each works on a job of its own ---
  // Drops the raw samples of at most `limit` measurements of a job that ended before `before`;
  // counts samples. Nothing else changes. A report that comes later still keeps its samples.
  virtual absl::StatusOr<Removed> DropSamples(absl::Time before, int limit) = 0;
  // Deletes a job that ended before `before` with all that belongs to it; counts jobs. At most
  // `limit` work items in one call: a bigger job takes several, and has fewer trials meanwhile.
  virtual absl::StatusOr<Removed> DeleteJobs(absl::Time before, int limit) = 0;

  // --- tokens ---
  // The first one has to be an admin's (FailedPrecondition), or nobody could make another. A known
  // hash is a retry.
  virtual absl::StatusOr<Token> CreateToken(const NewToken& token) = 0;
  // Whatever its state; nothing for an unknown hash.
  virtual absl::StatusOr<std::optional<Token>> FindToken(const std::string& hash) = 0;
  // All that ever were, oldest first.
  virtual absl::StatusOr<std::vector<Token>> Tokens() = 0;
  // Whether there ever was one.
  virtual absl::StatusOr<bool> AnyToken() = 0;
  // OK, with the older time, for one that is revoked. FailedPrecondition for the last admin token
  // in force.
  virtual absl::StatusOr<Token> RevokeToken(TokenId id) = 0;
  // It was used just now; the times kept are a minute apart.
  virtual absl::Status TouchToken(TokenId id) = 0;
};

}  // namespace burnish::store
