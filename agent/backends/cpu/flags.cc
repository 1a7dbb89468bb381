#include "agent/backends/cpu/flags.h"

#include <algorithm>
#include <string_view>

namespace burnish::backends::cpu {
namespace {

constexpr std::string_view kAccepted[] = {"-O",    "-f", "-m",      "-D",       "-U",
                                          "-W",    "-g", "-std=",   "-pthread", "-pedantic",
                                          "-ansi", "-l", "--param="};
// Members of the accepted families that name files, plug-ins or other programs.
constexpr std::string_view kRefused[] = {"-fplugin",
                                         "-fpass-plugin",
                                         "-fdump",
                                         "-fprofile",
                                         "-fauto-profile",
                                         "-fopt-info",
                                         "-fuse-ld",
                                         "-fmodule",
                                         "-fpch",
                                         "-fsave-",
                                         "-fcallgraph-",
                                         "-foptimization-record",
                                         "-mllvm",
                                         "-mlinker",
                                         "-gsplit-",
                                         "-Wl",
                                         "-Wa",
                                         "-Wp"};

bool Accepted(std::string_view flag) {
  const auto begins_flag = [&](std::string_view prefix) { return flag.starts_with(prefix); };
  if (std::ranges::none_of(kAccepted, begins_flag)) return false;
  if (std::ranges::any_of(kRefused, begins_flag)) return false;
  if (flag == "-D" || flag == "-U" || flag == "-l") return false;  // would take the next flag
  return flag.starts_with("-D") || flag.find('/') == std::string_view::npos;
}

}  // namespace

std::optional<std::string> RefusedFlag(const std::vector<std::string>& flags) {
  const auto refused = std::ranges::find_if_not(flags, Accepted);
  if (refused == flags.end()) return std::nullopt;
  return *refused;
}

}  // namespace burnish::backends::cpu
