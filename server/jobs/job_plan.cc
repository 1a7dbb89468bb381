#include "server/jobs/job_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/work/schedule.h"

namespace burnish::jobs {
namespace {

absl::Status At(const spec::JobText& text, std::string path, std::string message,
                std::string hint) {
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, {.file = text.file_name,
                                                               .path = std::move(path),
                                                               .message = std::move(message),
                                                               .hint = std::move(hint),
                                                               .excerpt = ""});
}

}  // namespace

absl::StatusOr<JobPlan> JobPlan::Read(const spec::JobText& text, const std::string& schedule) {
  ASSIGN_OR_RETURN(spec::JobSpec spec, work::ReadScheduledJob(text, schedule));
  if (spec.unserved) {
    return DiagnosticStatus(absl::StatusCode::kInvalidArgument, *spec.unserved);
  }
  if (spec.reference.kind == spec::Reference::Kind::kAbsent) {
    return At(text, "kernel.reference", "a kernel without a reference cannot be verified",
              "say `reference: none` to tune unverified");
  }
  ASSIGN_OR_RETURN(spec::JobSpace space, spec::BuildSpace(text, spec));
  Criteria criteria{.verified_only = spec.reference.kind != spec::Reference::Kind::kNone};
  ASSIGN_OR_RETURN(criteria.goals, work::ReadGoals(work::GoalsText(spec)));
  JobPlan plan(std::move(spec), std::move(space), std::move(criteria));
  const auto strategy = plan.TryStrategy(nullptr);
  if (!strategy.ok()) {
    const Diagnostic fault = DiagnosticOf(strategy.status()).value_or(Diagnostic{});
    return At(text, "strategy.name", fault.message, fault.hint);
  }
  return plan;
}

JobPlan::JobPlan(spec::JobSpec spec, spec::JobSpace space, Criteria criteria)
    : spec_(std::make_shared<const spec::JobSpec>(std::move(spec))),
      space_(std::make_shared<const spec::JobSpace>(std::move(space))),
      criteria_(std::move(criteria)) {}

absl::StatusOr<JobPlan> JobPlan::WithHistory(
    const std::vector<store::HistorySource>& history) const {
  JobPlan plan = *this;
  for (const store::HistorySource& source : history) {
    search::HistorySource& made = plan.history_.emplace_back();
    made.name = source.name;
    for (const store::HistoryRecord& record : source.records) {
      if (!space().Contains(record.index)) {
        return absl::DataLossError(absl::StrCat("the stored history '", source.name,
                                                "' has configuration ", record.index,
                                                ", which the job's search space has not"));
      }
      made.records.push_back({.index = record.index, .latency_seconds = record.latency_seconds});
    }
  }
  return plan;
}

int64_t JobPlan::trials() const {
  return std::min(spec_->budget.trials, static_cast<int64_t>(space().size()));
}

// Its arithmetic is taken to be that of its first input.
work::KernelWork JobPlan::work() const {
  work::KernelWork work{.flops = space_->default_flops.value_or(0),
                        .bytes = space_->default_bytes.value_or(0)};
  const spec::Argument* operand = nullptr;
  for (const spec::Argument& argument : spec_->arguments) {
    if (!argument.is_buffer || argument.role == spec::Role::kWorkspace) continue;
    work.working_set_bytes +=
        argument.ElementCount() * static_cast<int64_t>(DtypeBytes(argument.dtype));
    const bool first_input = argument.role == spec::Role::kInput &&
                             (operand == nullptr || operand->role != spec::Role::kInput);
    if (operand == nullptr || first_input) operand = &argument;
  }
  if (operand != nullptr) work.dtype = DtypeName(operand->dtype);
  return work;
}

bool JobPlan::latency_alone() const {
  return spec_->objectives.size() == 1 &&
         spec_->objectives.front().metric == spec::Metric::kLatency;
}

bool JobPlan::roofline_tells_apart() const {
  return latency_alone() && spec_->work.depends_on_parameters();
}

costmodel::Roofline JobPlan::RooflineOf(const work::Roofs& roofs) const {
  return {space(), roofs, work(), *spec_->work.flops, *spec_->work.bytes};
}

std::unique_ptr<search::Strategy> JobPlan::NewStrategy(search::LatencyBound bound) const {
  auto strategy = TryStrategy(std::move(bound));
  CHECK(strategy.ok()) << strategy.status().ToString();  // Read has tried it
  return *std::move(strategy);
}

bool JobPlan::LearnsFromHistory() const {
  JobPlan plan = *this;
  plan.history_ = {{.name = "any", .records = {{.index = default_index(), .latency_seconds = 1}}}};
  return plan.NewStrategy()->Name() == "transfer";
}

absl::StatusOr<std::unique_ptr<search::Strategy>> JobPlan::TryStrategy(
    search::LatencyBound bound) const {
  return search::MakeStrategy(spec_->strategy.name, {.space = &space(),
                                                     .seed = spec_->strategy.seed,
                                                     .budget_trials = spec_->budget.trials,
                                                     .objectives = spec_->objectives.size(),
                                                     .may_end_early = spec_->budget.may_end_early(),
                                                     .history = history_,
                                                     .exploration = {},
                                                     .bound = std::move(bound)});
}

}  // namespace burnish::jobs
