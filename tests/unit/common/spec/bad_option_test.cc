// Devices, objectives, measuring, budget and strategy. Every refusal with its exact words and
// place.
#include <gtest/gtest.h>

#include "common/spec/job_reader.h"
#include "tests/unit/common/spec/bad_job.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {
namespace {

class BadJobOptionTest : public testing::TestWithParam<BadJob> {};

TEST_P(BadJobOptionTest, IsRefused) {
  const BadJob& job = GetParam();
  ExpectRefusal(ReadJob(SampleJob(job.text), SourceCheck::kRequired).status(), job);
}

const BadJob kBadJobs[] = {
    {"DevicesUnknownName", SampleWith("backend == 'cpu'", "bakend == 'cpu'"),
     "job.yaml:25:11: devices: unknown name 'bakend'", "did you mean 'backend'?"},
    {"DevicesBareWord", SampleWith("\"backend == 'cpu' and cores >= 2\"", "cpu"),
     "job.yaml:25:10: devices: unknown name 'cpu'",
     "known: backend, name, device_class, vendor, arch, cores, memory_bytes, isa, label.KEY"},
    {"DevicesSyntax", SampleWith("\"backend == 'cpu' and cores >= 2\"", "\"backend = 'cpu'\""),
     "job.yaml:25:19: devices: '=' is not an operator", "did you mean '=='?"},
    {"DevicesList", SampleWith("\"backend == 'cpu' and cores >= 2\"", "[cpu]"),
     "job.yaml:25:10: devices: must be an expression, not a list", "such as \"backend == 'cpu'\""},
    {"DevicesShorthandUnknownName",
     SampleWith("\"backend == 'cpu' and cores >= 2\"", "{bakend: cpu}"),
     "job.yaml:25:11: devices.bakend: unknown name 'bakend'", "did you mean 'backend'?"},
    {"DevicesUnknownBackend", SampleWith("\"backend == 'cpu' and cores >= 2\"", "{backend: gpu}"),
     "job.yaml:25:20: devices.backend: unknown backend 'gpu'", "did you mean 'cpu'?"},
    {"DevicesLaterBackend", SampleWith("\"backend == 'cpu' and cores >= 2\"", "{backend: cuda}"),
     "job.yaml:25:20: devices.backend: backend 'cuda' is not supported by this version",
     "known: cpu, null, replay"},
    {"DevicesShorthandList", SampleWith("\"backend == 'cpu' and cores >= 2\"", "{cores: [1, 2]}"),
     "job.yaml:25:18: devices.cores: must be a single value, not a list", ""},
    {"DevicesShorthandEmpty", SampleWith("\"backend == 'cpu' and cores >= 2\"", "{}"),
     "job.yaml:25:10: devices: names no device", "leave `devices` out to use any"},
    {"UnknownObjective", SampleWith("[latency]", "[latenzy]"),
     "job.yaml:26:14: objectives[0]: unknown objective 'latenzy'", "did you mean 'latency'?"},
    {"LaterObjective", SampleWith("[latency]", "[latency, throughput]"),
     "job.yaml:26:23: objectives[1]: objective 'throughput' is not supported by this version",
     "known: latency"},
    {"ObjectiveTwice", SampleWith("[latency]", "[latency, latency]"),
     "job.yaml:26:23: objectives[1]: 'latency' stands twice", ""},
    {"ObjectivesEmpty", SampleWith("[latency]", "[]"),
     "job.yaml:26:13: objectives: has no objective", "write [latency]"},
    {"ObjectivesScalar", SampleWith("[latency]", "latency"),
     "job.yaml:26:13: objectives: must be a list, not the string 'latency'", "write [latency]"},
    {"ObjectiveMapping", SampleWith("[latency]", "[{metric: throughput, direction: maximize}]"),
     "job.yaml:26:14: objectives[0]: `{metric: …}` is not supported by this version",
     "write [latency]"},
    {"CacheUnknown", SampleWith("cache: cold", "cache: warm"),
     "job.yaml:27:18: measure.cache: unknown cache state 'warm'", "known: hot, cold"},
    {"NumberZero", SampleWith("number: 3", "number: 0"),
     "job.yaml:27:32: measure.number: must be from 1 to 1000000, not 0", ""},
    {"NumberReal", SampleWith("number: 3", "number: 3.5"),
     "job.yaml:27:32: measure.number: must be an integer, not the real 3.5", ""},
    {"RepeatTooLarge", SampleWith("repeat: 20", "repeat: 201"),
     "job.yaml:27:43: measure.repeat: must be from 1 to 200, not 201", ""},
    {"MinRepeatZero", SampleWith("min_repeat_ms: 1.5", "min_repeat_ms: 0"),
     "job.yaml:27:62: measure.min_repeat_ms: must be above 0 and at most 60000, not 0", ""},
    {"MinRepeatText", SampleWith("min_repeat_ms: 1.5", "min_repeat_ms: long"),
     "job.yaml:27:62: measure.min_repeat_ms: must be a number, not the string 'long'", ""},
    {"WarmupNegative", SampleWith("warmup: 0", "warmup: -1"),
     "job.yaml:27:75: measure.warmup: must be from 0 to 1000000, not -1", ""},
    {"TimeoutNegative", SampleWith("timeout: 5", "timeout: -5"),
     "job.yaml:27:87: measure.timeout: must be above 0 and at most 3600, not -5", ""},
    {"TimeoutTooLong", SampleWith("timeout: 5", "timeout: 3601"),
     "job.yaml:27:87: measure.timeout: must be above 0 and at most 3600, not 3601", ""},
    {"MeasureUnknownKey", SampleWith("warmup: 0", "warm_up: 0"),
     "job.yaml:27:67: measure.warm_up: unknown key 'warm_up'", "did you mean 'warmup'?"},
    {"BudgetZero", SampleWith("trials: 50", "trials: 0"),
     "job.yaml:28:18: budget.trials: must be from 1 to 1000000, not 0", ""},
    {"BudgetTooLarge", SampleWith("trials: 50", "trials: 1000001"),
     "job.yaml:28:18: budget.trials: must be from 1 to 1000000, not 1000001", ""},
    {"BudgetNumber", SampleWith("budget: {trials: 50, seconds: 600}", "budget: 50"),
     "job.yaml:28:9: budget: must be a mapping, not the integer 50", "write {trials: 100}"},
    {"BudgetSecondsZero", SampleWith("seconds: 600", "seconds: 0"),
     "job.yaml:28:31: budget.seconds: must be above 0 and at most 31622400, not 0", ""},
    {"BudgetJoules", SampleWith("seconds: 600", "joules: 10"),
     "job.yaml:28:22: budget.joules: `joules` is not supported by this version", ""},
    {"BudgetUnknownRule", SampleWith("seconds: 600", "patiense: 10"),
     "job.yaml:28:22: budget.patiense: unknown key 'patiense'", "did you mean 'patience'?"},
    {"BudgetDeviceSecondsNegative", SampleWith("seconds: 600", "device_seconds: -1"),
     "job.yaml:28:38: budget.device_seconds: must be above 0 and at most 31622400, not -1", ""},
    {"BudgetPatienceZero", SampleWith("seconds: 600", "patience: 0"),
     "job.yaml:28:32: budget.patience: must be from 1 to 1000000, not 0", ""},
    {"BudgetPatienceReal", SampleWith("seconds: 600", "patience: 1.5"),
     "job.yaml:28:32: budget.patience: must be an integer, not the real 1.5", ""},
    {"BudgetTargetText", SampleWith("seconds: 600", "target: 1.2 ms"),
     "job.yaml:28:30: budget.target: must be a number, not the string '1.2 ms'",
     "a latency in seconds: 1.2 ms is 0.0012"},
    {"BudgetTargetZero", SampleWith("seconds: 600", "target: 0"),
     "job.yaml:28:30: budget.target: must be above 0 and at most 3600, not 0",
     "a latency in seconds: 1.2 ms is 0.0012"},
    {"BudgetRoofSharePercent", SampleWith("seconds: 600", "roof_share: 80"),
     "job.yaml:28:34: budget.roof_share: must be above 0 and at most 1, not 80", "80 % is 0.8"},
    {"BudgetRoofShareWithoutBytes",
     With(SampleWith("seconds: 600", "roof_share: 0.8"), "bytes: 12 * n", ""),
     "job.yaml:28:22: budget.roof_share: the job does not say how much work one execution is",
     "add `work: {flops: …, bytes: …}` under `kernel`"},
    {"UnknownStrategy", SampleWith("name: random", "name: randon"),
     "job.yaml:29:18: strategy.name: unknown strategy 'randon'", "did you mean 'random'?"},
    {"StrategyShorthandUnknown", SampleWith("{name: random, seed: 7}", "annealing"),
     "job.yaml:29:11: strategy: unknown strategy 'annealing'",
     "known: auto, random, exhaustive, local, genetic, simulated_annealing, boosted_trees, "
     "bayesian, transfer, gradient, parego, nsga2"},
    {"StrategySeedNegative", SampleWith("seed: 7", "seed: -7"),
     "job.yaml:29:32: strategy.seed: must be from 0 to 9223372036854775807, not -7", ""},
};

INSTANTIATE_TEST_SUITE_P(Table, BadJobOptionTest, testing::ValuesIn(kBadJobs), NameOfBadJob);

}  // namespace
}  // namespace burnish::spec
