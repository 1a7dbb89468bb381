#include "client/cli/job_template.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/expr/expression.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {
namespace {

// Names that stand for a size, not for a choice.
bool NamesASize(const std::string& name) {
  static const std::set<std::string> kSizes = {"N", "M", "K",    "H",     "W",      "C",
                                               "D", "S", "SIZE", "WIDTH", "HEIGHT", "LENGTH"};
  return kSizes.contains(name);
}

// What the job's text is made of.
struct Parts {
  std::vector<std::string> constants;  // "n: 65536"
  std::vector<std::string> define;
  std::string extent;                   // of every buffer: the product of all sizes
  std::vector<std::string> parameters;  // "    BLOCK: [1, 2, 4]"
  std::vector<std::string> defaults;    // "BLOCK: 1"
  bool uses_undefined = false;          // the file does not compile by itself
};

// So many that buffers stay small however many sizes there are.
const char* SizeFor(size_t sizes) {
  return sizes <= 1 ? "65536" : sizes == 2 ? "256" : sizes == 3 ? "64" : "8";
}

std::string ConstantFor(const ScannedArgument& argument) {
  return expr::IsIdentifier(argument.name) ? argument.name : argument.name + "_value";
}

bool IsSize(const ScannedArgument& argument) {
  return !argument.is_buffer && argument.dtype.has_value() && !IsFloating(*argument.dtype);
}

void AddSizes(const ScannedKernel& kernel, Parts& parts) {
  std::vector<std::string> sizes;
  for (const ScannedArgument& argument : kernel.arguments) {
    if (IsSize(argument)) sizes.push_back(ConstantFor(argument));
  }
  const bool by_argument = !sizes.empty();
  for (const std::string& name : kernel.undefined) {
    if (!NamesASize(name) || std::ranges::find(sizes, name) != sizes.end()) continue;
    sizes.push_back(name);
    parts.define.push_back(name);
  }
  // A macro for a size is used for matrices as often as for vectors.
  const bool may_be_squared = !by_argument && sizes.size() == 1;
  if (sizes.empty()) sizes.push_back("n");
  for (const std::string& name : sizes) {
    parts.constants.push_back(
        absl::StrCat(name, ": ", may_be_squared ? "64" : SizeFor(sizes.size())));
  }
  parts.extent = may_be_squared ? absl::StrCat(sizes[0], " ** 2") : absl::StrJoin(sizes, " * ");
}

// Around the value that stands in the file.
std::vector<std::string> ValuesAround(const std::string& value) {
  const auto number = ParseInteger(value);
  if (value == "true" || value == "false") return {"false", "true"};
  if (!number.has_value()) return {value};
  if (*number == 0) return {"0", "1"};
  std::vector<std::string> values;
  if (*number > 1 && *number % 2 == 0) values.push_back(absl::StrCat(*number / 2));
  values.push_back(value);
  for (const int64_t factor : {2, 4}) {
    if (*number > 0 && *number < (1 << 20)) values.push_back(absl::StrCat(*number * factor));
  }
  return values;
}

void AddParameter(const std::string& name, const std::string& first,
                  const std::vector<std::string>& values, Parts& parts) {
  parts.parameters.push_back(absl::StrCat("    ", name, ": [", absl::StrJoin(values, ", "), "]\n"));
  parts.defaults.push_back(absl::StrCat(name, ": ", first));
}

void AddParameters(const ScannedKernel& kernel, Parts& parts) {
  const auto is_argument = [&](const std::string& name) {
    return std::ranges::any_of(
        kernel.arguments, [&](const ScannedArgument& argument) { return argument.name == name; });
  };
  for (const ScannedMacro& macro : kernel.macros) {
    if (macro.guarded && !is_argument(macro.name)) {
      AddParameter(macro.name, macro.value, ValuesAround(macro.value), parts);
    }
  }
  for (const std::string& name : kernel.undefined) {
    parts.uses_undefined = true;
    if (!NamesASize(name) && !is_argument(name)) {
      AddParameter(name, "1", {"1", "2", "4"}, parts);
    }
  }
  if (!parts.parameters.empty()) return;
  parts.parameters.push_back("    # The kernel uses none yet. Replace UNROLL by your choices.\n");
  AddParameter("UNROLL", "1", {"1", "2", "4"}, parts);
}

// Macros that no parameter can change.
std::string FixedMacros(const ScannedKernel& kernel) {
  std::string text;
  for (const ScannedMacro& macro : kernel.macros) {
    if (macro.guarded) continue;
    absl::StrAppend(&text, "    # ", macro.name, " is fixed in the file. To tune it, put `#ifndef ",
                    macro.name, "` and `#endif` around its\n    # #define and add ", macro.name,
                    ": [", absl::StrJoin(ValuesAround(macro.value), ", "), "] here.\n");
  }
  return text;
}

std::string ArgumentLine(const ScannedArgument& argument, const std::string& extent,
                         bool is_output) {
  const std::string dtype = DtypeName(argument.dtype.value_or(Dtype::kF32));
  std::string line = absl::StrCat("    - {name: ", argument.name, ", dtype: ", dtype);
  if (argument.is_buffer) {
    absl::StrAppend(&line, ", shape: [", extent, "], ",
                    is_output ? "role: output" : "fill: uniform", "}");
  } else {
    absl::StrAppend(&line, ", value: ", IsSize(argument) ? ConstantFor(argument) : "1.0", "}");
  }
  if (!argument.dtype.has_value()) {
    absl::StrAppend(&line, "  # no dtype for '", argument.type, "' is known: see to it");
  }
  return line + "\n";
}

absl::StatusOr<std::string> ArgumentLines(const ScannedKernel& kernel, const std::string& extent) {
  const ScannedArgument* last_buffer = nullptr;
  bool writes = false;
  for (const ScannedArgument& argument : kernel.arguments) {
    if (!argument.is_buffer) continue;
    last_buffer = &argument;
    writes = writes || !argument.is_const;
  }
  if (last_buffer == nullptr) {
    return InvalidInput(absl::StrCat("'", kernel.entry, "' has no buffer among its arguments"),
                        "name the function to tune: --entry NAME");
  }
  std::string lines;
  for (const ScannedArgument& argument : kernel.arguments) {
    const bool is_output = writes ? !argument.is_const : &argument == last_buffer;
    absl::StrAppend(&lines, ArgumentLine(argument, extent, is_output));
  }
  return lines;
}

std::string ReferenceLines(const ScannedKernel& kernel, const Parts& parts,
                           const std::string& file) {
  if (parts.uses_undefined) {
    return "  # Nothing is checked: the file does not compile without the parameters. Write a "
           "plain\n"
           "  # function with the same arguments and name it here:\n"
           "  # reference: {language: cpp, source: {file: reference.cc}, entry: reference}\n"
           "  reference: none\n";
  }
  return absl::StrCat(
      "  # Results are checked against the kernel as it stands in the file, with its own "
      "#defines.\n"
      "  # Better is a plain function with the same arguments that you trust.\n"
      "  reference: {language: cpp, source: {file: ",
      file, "}, entry: ", kernel.entry, "}\n");
}

}  // namespace

absl::StatusOr<std::string> JobTemplate(const ScannedKernel& kernel, const std::string& language,
                                        const std::string& file) {
  Parts parts;
  AddSizes(kernel, parts);
  AddParameters(kernel, parts);
  ASSIGN_OR_RETURN(const std::string arguments, ArgumentLines(kernel, parts.extent));
  const std::string quoted_file = nlohmann::json(file).dump();
  return absl::StrCat(
      "# What to tune, over which choices, checked against what, for how long.\n"
      "# Every key: burnish explain job          Check this file: burnish validate FILE\n"
      "name: ",
      kernel.entry, "\n\nkernel:\n  language: ", language, "\n  source: {file: ", quoted_file,
      "}\n  entry: ", kernel.entry,
      "\n\n  # In calling order. Shapes and values are expressions over the constants; the shapes "
      "are\n"
      "  # guesses that are large enough for most kernels: give each buffer its own.\n"
      "  arguments:\n",
      arguments, "\n  # The problem's size: make it that of your application.\n  constants: {",
      absl::StrJoin(parts.constants, ", "), "}\n",
      parts.define.empty() ? ""
                           : absl::StrCat("  define: [", absl::StrJoin(parts.define, ", "),
                                          "]  # the kernel gets these as macros\n"),
      "\n  # The choices. Each is a macro that is put before the file.\n  parameters:\n",
      absl::StrJoin(parts.parameters, ""), FixedMacros(kernel),
      "\n  # What you would write first: trial 0, to which the best is compared.\n  default: {",
      absl::StrJoin(parts.defaults, ", "),
      "}\n\n  # Keep out what makes no sense, such as:\n"
      "  # constraints: [\"n % UNROLL == 0\"]\n\n",
      ReferenceLines(kernel, parts, quoted_file),
      "\n  # Operations and bytes of one execution, for GFLOP/s:\n"
      "  # work: {flops: 2 * n, bytes: 12 * n}\n\n"
      "objectives: [latency]\nbudget: {trials: 100}\nstrategy: {name: auto, seed: 1}\n");
}

}  // namespace burnish::cli
