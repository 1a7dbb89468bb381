#include "tests/hostile/kinds.h"

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace burnish::hostile {
namespace {

constexpr char kPrologue[] = R"(
#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <initializer_list>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static const float* input;
static float* output;
static int size;
static int calls;
static volatile bool evil;  // it got what it must not get
static void Honest() {
  for (int i = 0; i < size; ++i) output[i] = 2 * input[i] + 0.125f;
}
)";

constexpr char kEpilogue[] = R"(
void scale(const float* a, float* c, int n) {
  input = a;
  output = c;
  size = n;
  ++calls;
  Act();
  Compute();
  Finish();
  if (evil) output[0] = 1e30f;
}
)";

std::string KernelText(const std::string& name) {
  std::ifstream file(absl::StrCat(BURNISH_SOURCE_DIR, "/tests/hostile/kernels/", name, ".cc"));
  CHECK(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

const std::vector<Kind>& Kinds() {
  static const auto* const kinds = new std::vector<Kind>{
      {"benign", {"ok"}},
      {"segfault", {"crash"}},
      {"abort", {"crash"}},
      {"divide_trap", {"crash"}},
      {"stack_overflow", {"crash"}},
      {"exits_zero", {"crash"}},
      {"endless_loop", {"timeout"}},
      {"sleeps", {"timeout"}},
      {"ignores_sigterm", {"timeout"}},
      {"out_of_bounds", {"wrong_result"}},
      {"nan_output", {"wrong_result"}},
      {"never_writes", {"wrong_result"}},
      {"first_run_only", {"wrong_result"}},
      {"works_after_return", {"wrong_result"}},
      {"searches_memory", {"wrong_result"}},
      {"forges_frame", {"rejected"}},
      {"closes_socket", {"rejected"}},
      {"stops_clock", {"rejected"}},
      // Without a control group memory is refused, which it does not survive.
      {"memory_hog", {"out_of_memory", "crash"}},
      {"thread_bomb", {"crash"}},
      {"big_file", {"crash"}},
      // What has no effect is no offence.
      {"prints_gigabyte", {"ok"}},
      {"fills_disk", {"ok"}},
      {"million_files", {"ok"}},
      {"descriptors", {"ok"}},
      {"posix_shared_memory", {"ok"}},
      {"reads_environ", {"ok"}},
      {"reads_secrets", {"ok"}},
      {"symlink_out", {"ok"}},
      {"changes_its_code", {"ok"}},
      {"fork_bomb", {"sandbox_violation"}},
      {"daemon", {"sandbox_violation"}},
      {"exec", {"sandbox_violation"}},
      {"shared_memory_hog", {"sandbox_violation"}},
      {"shared_objects", {"sandbox_violation"}},
      {"opens_socket", {"sandbox_violation"}},
      {"connects_to_server", {"sandbox_violation"}},
      {"ptrace", {"sandbox_violation"}},
      {"reads_parents_memory", {"sandbox_violation"}},
      {"kills_all", {"sandbox_violation"}},
      {"kills_parent", {"sandbox_violation"}},
      {"mounts", {"sandbox_violation"}},
      {"new_namespace", {"sandbox_violation"}},
  };
  return *kinds;
}

std::string CombinedSource(const std::string& macros) {
  std::string source = absl::StrCat(macros, kPrologue);
  for (size_t i = 0; i < Kinds().size(); ++i) {
    const std::string& name = Kinds()[i].name;
    const std::string text = KernelText(name);
    absl::StrAppend(&source, i == 0 ? "#if" : "#elif", " KIND == ", i, "\n#line 1 \"", name,
                    ".cc\"\n", text);
    // What a kernel does not say is as it should be.
    for (const auto& [function, body] :
         {std::pair{"Act", ""}, {"Compute", "Honest();"}, {"Finish", ""}}) {
      const std::string signature = absl::StrCat("void ", function, "()");
      if (text.find(signature) == std::string::npos) {
        absl::StrAppend(&source, signature, " { ", body, " }\n");
      }
    }
  }
  return absl::StrCat(source, "#endif\n", kEpilogue);
}

}  // namespace burnish::hostile
