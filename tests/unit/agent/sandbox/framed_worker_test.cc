// Against the real burnish-worker with the null backend, which needs no compiler.
#include "agent/sandbox/framed_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/base/environment.h"

namespace burnish::agent {
namespace {

using ::testing::HasSubstr;

FramedWorker RealWorker(const std::string& role) {
  return FramedWorker({.arguments = {ExecutableFolder() + "/burnish-worker", "--role", role,
                                     "--writable", ::testing::TempDir()},
                       .environment = {"PATH=/usr/bin:/bin"}});
}

const CallLimits kLimits{absl::Seconds(30), std::stop_token()};

TEST(FramedWorkerTest, DescribesTheDevicesOfABackend) {
  FramedWorker worker = RealWorker("run");
  const auto devices = worker.Describe("null", kLimits);
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_FALSE(devices->empty());
  EXPECT_EQ(devices->front().backend, "null");
}

TEST(FramedWorkerTest, ARefusalIsInvalidArgumentAndTheWorkerLives) {
  FramedWorker worker = RealWorker("run");
  const auto devices = worker.Describe("cuba", kLimits);
  EXPECT_TRUE(absl::IsInvalidArgument(devices.status())) << devices.status();
  EXPECT_THAT(std::string(devices.status().message()), HasSubstr("unknown backend 'cuba'"));
  EXPECT_TRUE(worker.Describe("null", kLimits).ok());
}

TEST(FramedWorkerTest, WhatTheBuildWorkerCompiledTheRunWorkerMeasuresAndCompares) {
  auto task = std::make_shared<work::TaskDefinition>();
  task->problem = "test";
  task->stages.emplace_back().entry = "kernel";
  task->reference.kind = spec::Reference::Kind::kNone;
  task->measure.min_repeat_ms = 0.01;
  task->measure.repeat = 3;
  const space::Configuration configuration = {{"N", int64_t{4}}};

  FramedWorker builder = RealWorker("build");
  const auto compiled = builder.Compile({.backend = "null",
                                         .task = task,
                                         .configuration = configuration,
                                         .artefact_folder = ::testing::TempDir()},
                                        kLimits);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  ASSERT_EQ(compiled->outcome, work::Outcome::kOk) << compiled->message;

  FramedWorker runner = RealWorker("run");
  RunTarget target;
  target.backend = "null";
  target.task = task;
  target.task_hash = TaskHash("test");
  target.reference_folder = ::testing::TempDir();
  const Candidate candidate{configuration, compiled->artefact};
  const auto measured = runner.Measure({target, candidate}, kLimits);
  ASSERT_TRUE(measured.ok()) << measured.status();
  EXPECT_EQ(measured->outcome, work::Outcome::kOk) << measured->message;
  EXPECT_FALSE(measured->samples.empty());

  const auto compared = runner.Compare({target, {candidate, candidate}, 2, 1}, kLimits);
  ASSERT_TRUE(compared.ok()) << compared.status();
  EXPECT_EQ(compared->outcome, work::Outcome::kOk) << compared->message;
  EXPECT_EQ(compared->finalists.size(), 2u);
}

}  // namespace
}  // namespace burnish::agent
