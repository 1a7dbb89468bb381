// Whether verification is right: kernels with a mistake are rejected, correct ones never are. Each
// is compiled by a build worker and measured by a run worker, as an agent has it done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/hash.h"
#include "tests/conformance/verification/correct_kernels.h"
#include "tests/conformance/verification/planted_bugs.h"
#include "tests/unit/agent/worker/worker_driver.h"

namespace burnish::verification {
namespace {

using ::testing::HasSubstr;
using worker::pb::Measurement;

class Verification : public ::testing::Test {
 protected:
  Measurement Measured(const work::TaskDefinition& task) {
    worker::pb::WorkerRequest request;
    auto& measure = *request.mutable_measure();
    measure.set_backend("cpu");
    *measure.mutable_task() = wire::ToProto(task);
    measure.set_task_hash(work::HashOf(task).value());
    if (task.reference.kind == spec::Reference::Kind::kFunction) {
      // What a reference gives depends on nothing else that differs between kernels here.
      measure.set_task_hash(Sha256Hex(absl::StrCat(task.reference.source.text, task.input_seed)));
      *measure.mutable_reference() =
          Compiled(worker::CompileReferenceRequest(folder_.path("artefacts"), task));
    }
    measure.set_reference_folder(folder_.path("references"));
    auto& artefact = *measure.mutable_candidate()->mutable_artefact();
    artefact = Compiled(worker::CompileRequestFor(folder_.path("artefacts"), task, {}));
    const worker::pb::WorkerReply reply = run_.Ask(request);
    EXPECT_EQ(reply.refusal(), "");
    return reply.measurement();
  }

 private:
  // Variants share their code: which one it is, is an argument.
  worker::pb::Artefact Compiled(const worker::pb::WorkerRequest& request) {
    worker::pb::CompileRequest same = request.compile();
    same.mutable_task()->mutable_arguments()->RemoveLast();
    same.mutable_task()->clear_input_seed();
    const std::string key = same.ShortDebugString();
    if (const auto known = artefacts_.find(key); known != artefacts_.end()) return known->second;
    const worker::pb::WorkerReply reply = build_.Ask(request);
    EXPECT_EQ(reply.compile().outcome(), worker::pb::OUTCOME_OK) << reply.ShortDebugString();
    return artefacts_[key] = reply.compile().artefact();
  }

  const worker::ScratchFolder folder_;
  std::map<std::string, worker::pb::Artefact> artefacts_;
  worker::WorkerDriver build_{"build"};
  worker::WorkerDriver run_{"run"};
};

std::string OutcomeText(const Measurement& measurement) {
  const std::string name = worker::pb::Outcome_Name(measurement.outcome());
  return absl::AsciiStrToLower(name.substr(std::string("OUTCOME_").size()));
}

TEST_F(Verification, RejectsEveryPlantedBug) {
  for (const work::TaskDefinition& sound : SoundKernels()) {
    const Measurement measurement = Measured(sound);
    EXPECT_EQ(OutcomeText(measurement), "ok") << measurement.message();
    EXPECT_TRUE(measurement.correctness().verified());
  }
  std::map<std::string, int> found_by;
  for (const PlantedBug& bug : PlantedBugs()) {
    const Measurement measurement = Measured(bug.task);
    EXPECT_EQ(OutcomeText(measurement), bug.outcome) << bug.name;
    EXPECT_THAT(measurement.message(), HasSubstr(bug.message)) << bug.name;
    EXPECT_FALSE(measurement.correctness().verified()) << bug.name;
    ++found_by[bug.check];
    std::printf("%-36s %-13s %-16s %s\n", bug.name.c_str(), bug.check.c_str(),
                OutcomeText(measurement).c_str(), measurement.message().c_str());
  }
  std::printf("%zu planted bugs", PlantedBugs().size());
  for (const auto& [check, count] : found_by) std::printf(", %d by %s", count, check.c_str());
  std::printf("\n");
}

TEST_F(Verification, AcceptsEveryCorrectVariant) {
  int variants = 0;
  int rejected = 0;
  for (const Family& family : Families()) {
    std::set<double> errors;  // most variants have one of their own
    double frobenius = 0;
    for (int64_t i = 0; i < kVariants; ++i) {
      const Measurement measurement = Measured(Variant(family.task, i));
      ++variants;
      errors.insert(measurement.correctness().max_relative_error());
      frobenius = std::max(frobenius, measurement.correctness().relative_frobenius());
      if (measurement.outcome() == worker::pb::OUTCOME_OK && measurement.correctness().verified()) {
        continue;
      }
      ++rejected;
      ADD_FAILURE() << family.name << ", variant " << i << ": " << OutcomeText(measurement) << ": "
                    << measurement.message();
    }
    std::printf("%-42s %lld variants, %2zu errors up to %.2g, frobenius %.2g\n",
                family.name.c_str(), static_cast<long long>(kVariants), errors.size(),
                *errors.rbegin(), frobenius);
  }
  std::printf("%d correct variants, %d rejected\n", variants, rejected);
  EXPECT_GE(variants, 1000);
}

}  // namespace
}  // namespace burnish::verification
