#include "agent/sandbox/isolation/isolation.h"

#include <gtest/gtest.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "agent/sandbox/isolation/namespaces.h"
#include "agent/sandbox/isolation/probe.h"
#include "agent/sandbox/isolation/syscall_filter.h"

namespace burnish::isolation {
namespace {

TEST(IsolationTest, TheLevelIsTheWeakestOfWhatIsThere) {
  Isolation isolation;
  EXPECT_EQ(isolation.ToText(), "none: process group");
  isolation.limits = true;
  isolation.seccomp = true;
  EXPECT_EQ(isolation.ToText(), "process: seccomp, rlimits");
  isolation.cgroup = CgroupVersion::kV2;
  EXPECT_EQ(isolation.level(), Level::kProcess) << "groups without namespaces";
  isolation.namespaces = true;
  EXPECT_EQ(isolation.ToText(),
            "full: user pid mount net ipc uts namespaces, cgroup v2, seccomp, rlimits");
  isolation.seccomp = false;
  EXPECT_EQ(isolation.level(), Level::kNamespace);
}

TEST(ProbeTest, FindsNoMoreThanItsCeiling) {
  EXPECT_EQ(Probe(Level::kNone).isolation.level(), Level::kNone);
  EXPECT_EQ(Probe(Level::kProcess).isolation.level(), Level::kProcess);
  EXPECT_LE(Probe(Level::kNamespace).isolation.level(), Level::kNamespace);
  const Found full = Probe(Level::kFull);
  EXPECT_EQ(full.isolation.level() == Level::kFull, full.isolation.missing.empty());
}

// Enters namespaces in a death test's process and ends with what the body says.
void EnterAndExit(const View& view, int (*body)()) {
  ::_exit(EnterNamespaces(view, User::kOther).ok() ? body() : 99);
}

TEST(NamespacesDeathTest, ThereIsNothingButTheView) {
  if (!Probe(Level::kNamespace).isolation.namespaces) GTEST_SKIP() << "no namespaces";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const View view{.readable = {}, .writable = {}, .scratch_bytes = 1 << 20};
  EXPECT_EXIT(EnterAndExit(view,
                           [] {
                             if (::getpid() != 1) return 1;
                             if (::access("/root", F_OK) == 0) return 2;
                             if (::access("/usr/bin/env", X_OK) != 0) return 3;
                             struct statvfs usr = {};
                             if (::statvfs("/usr", &usr) != 0) return 4;
                             if ((usr.f_flag & ST_RDONLY) == 0) return 4;
                             if (::access("/tmp", W_OK) != 0) return 5;
                             return 0;
                           }),
              ::testing::ExitedWithCode(0), "");
}

TEST(SyscallFilterDeathTest, EndsACandidateThatStartsAProgramAndNotOneThatAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        if (!FilterSyscalls(Profile::kCandidate).ok()) ::_exit(99);
        ::execl("/bin/true", "true", nullptr);
      },
      ::testing::KilledBySignal(SIGSYS), "");
  EXPECT_EXIT(
      {
        if (!FilterSyscalls(Profile::kCandidate).ok()) ::_exit(99);
        std::abort();
      },
      ::testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace burnish::isolation
