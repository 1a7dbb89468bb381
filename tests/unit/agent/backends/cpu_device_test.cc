#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/backends/cpu/device.h"

namespace burnish::backends::cpu {
namespace {

using ::testing::ElementsAre;

constexpr char kX86[] =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
    "model name\t: AMD EPYC 9R14\nflags\t\t: fpu avx avx2 fma avx512f\n\n"
    "processor\t: 1\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
    "model name\t: AMD EPYC 9R14\nflags\t\t: fpu avx avx2 fma avx512f\n";
constexpr char kArm[] =
    "processor\t: 0\nBogoMIPS\t: 62.50\nFeatures\t: fp asimd asimdhp\nCPU implementer\t: 0x41\n"
    "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd42\nCPU revision\t: 1\n";

TEST(CpuInfoTest, ReadsTheX86Form) {
  const Cpu cpu = ParseCpuInfo(kX86, "x86_64");
  EXPECT_EQ(cpu.vendor, "AuthenticAMD");
  EXPECT_EQ(cpu.model, "AMD EPYC 9R14");
  EXPECT_EQ(cpu.cores, 2);
  EXPECT_THAT(cpu.isa, ElementsAre("avx", "avx2", "fma", "avx512f"));
  EXPECT_EQ(cpu.DeviceClass(),
            "x86_64 AuthenticAMD family 25 model 17 (AMD EPYC 9R14) 2 cores L1d 0K L2 0K L3 0K");
}

TEST(CpuInfoTest, ReadsTheArmForm) {
  const Cpu cpu = ParseCpuInfo(kArm, "aarch64");
  EXPECT_EQ(cpu.vendor, "0x41");
  EXPECT_EQ(cpu.model, "aarch64 part 0xd42 variant 0x0");
  EXPECT_EQ(cpu.cores, 1);
  EXPECT_THAT(cpu.isa, ElementsAre("asimd", "asimdhp", "neon"));
}

TEST(HostCpuTest, HasCoresAndCaches) {
  EXPECT_GT(HostCpu().cores, 0);
  EXPECT_GT(HostDevice().memory_bytes, 0);
  EXPECT_EQ(HostDevice().device_class, HostCpu().DeviceClass());
}

}  // namespace
}  // namespace burnish::backends::cpu
