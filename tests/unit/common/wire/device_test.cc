#include "common/wire/device.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::wire {
namespace {

using ::testing::HasSubstr;

work::DeviceInfo FullDevice() {
  return {.backend = "cpu",
          .index = 3,
          .name = "AMD EPYC",
          .device_class = "x86_64/zen4",
          .vendor = "AMD",
          .arch = "x86_64",
          .cores = 16,
          .memory_bytes = int64_t{64} << 30,
          .isa = {"avx2", "avx512f"},
          .languages = {"cpp"},
          .metrics = {spec::Metric::kLatency, spec::Metric::kMemory},
          .labels = {{"rack", "7"}, {"room", "b"}},
          .exclusion_group = "host-cpu",
          .environment = {{"compiler", "g++ 12.2"}, {"os", "Debian 12"}},
          .unavailable_reason = "no compiler on the PATH",
          .caches = {.l1d_bytes = 32 << 10, .l2_bytes = 1 << 20, .l3_bytes = 32 << 20},
          .roofs = {.peaks = {{"f32", 1, 1e11}, {"i8", 16, 8e12}},
                    .bandwidths = {{"L1", 32 << 10, 1, 2e11}, {"memory", 64 << 20, 16, 9e10}},
                    .absence = "none"}};
}

TEST(DeviceWire, KeepsEveryField) {
  const work::DeviceInfo device = FullDevice();
  const auto back = FromProto(ToProto(device));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->backend, device.backend);
  EXPECT_EQ(back->index, device.index);
  EXPECT_EQ(back->name, device.name);
  EXPECT_EQ(back->device_class, device.device_class);
  EXPECT_EQ(back->vendor, device.vendor);
  EXPECT_EQ(back->arch, device.arch);
  EXPECT_EQ(back->cores, device.cores);
  EXPECT_EQ(back->memory_bytes, device.memory_bytes);
  EXPECT_EQ(back->isa, device.isa);
  EXPECT_EQ(back->languages, device.languages);
  EXPECT_EQ(back->metrics, device.metrics);
  EXPECT_EQ(back->labels, device.labels);
  EXPECT_EQ(back->exclusion_group, device.exclusion_group);
  EXPECT_EQ(back->environment, device.environment);
  EXPECT_EQ(back->unavailable_reason, device.unavailable_reason);
  EXPECT_EQ(back->caches, device.caches);
  EXPECT_EQ(back->roofs, device.roofs);
}

TEST(DeviceWire, PassesOverMetricsThatItDoesNotKnow) {
  pb::DeviceInfo proto = ToProto(FullDevice());
  proto.set_metrics(0, "noise");
  EXPECT_EQ(FromProto(proto)->metrics, std::vector{spec::Metric::kMemory});
}

TEST(DeviceWire, RefusesADeviceWithoutBackendOrClass) {
  pb::DeviceInfo proto = ToProto(FullDevice());
  proto.clear_device_class();
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("device.device_class"));
  proto = ToProto(FullDevice());
  proto.clear_backend();
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("device.backend"));
}

TEST(DeviceWire, RefusesRoofsThatNothingMeasures) {
  pb::Roofs proto = ToProto(FullDevice().roofs);
  proto.mutable_peaks(0)->set_operations_per_second(0);
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("roofs: a peak"));
  proto = ToProto(FullDevice().roofs);
  proto.mutable_bandwidths(1)->set_bytes_per_second(1.0 / 0.0);
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("roofs: a bandwidth"));
}

TEST(DeviceWire, MakesTextOfDriversFitForTheWire) {
  work::DeviceInfo device = FullDevice();
  device.name = "GPU\xFF";
  pb::DeviceInfo parsed;
  ASSERT_TRUE(parsed.ParseFromString(ToProto(device).SerializeAsString()));
  EXPECT_EQ(parsed.name(), "GPU\xEF\xBF\xBD");
}

}  // namespace
}  // namespace burnish::wire
