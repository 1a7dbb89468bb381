// Any bytes given as a T1 file, or as a Python list in one, are read or refused by a Diagnostic, in
// bounded time.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/spec/job_reader.h"
#include "common/spec/python_list.h"

using burnish::Diagnostic;
using burnish::DiagnosticOf;
namespace spec = burnish::spec;

namespace {

// More configurations take longer than an input may.
constexpr size_t kFewConfigurations = 10'000;

void CheckPython(const std::string& text) {
  const spec::NamedLists lists = {{"ProblemSize", {int64_t{64}, int64_t{2}}}};
  const auto values = spec::EvaluatePythonList(text, lists);
  CHECK(values.ok() || DiagnosticOf(values.status()).has_value()) << values.status();
  CHECK(!values.ok() || values->size() <= burnish::limits::kParameterValues);
  const auto expression = spec::ParsePythonExpression(text, lists);
  CHECK(expression.ok() || DiagnosticOf(expression.status()).has_value()) << expression.status();
}

void CheckJob(const std::string& text) {
  if (text.find("ConfigurationFraction") != text.npos) return;  // constructs spaces of any size
  const spec::JobText job{"fuzz.json", text, {{"x.cc", "code"}}};
  (void)spec::FindFileReferences(job.file_name, text);
  const auto read = spec::ReadJob(job, spec::SourceCheck::kRequired);
  if (!read.ok()) {
    const std::optional<Diagnostic> diagnostic = DiagnosticOf(read.status());
    CHECK(diagnostic.has_value() && diagnostic->file == "fuzz.json") << read.status();
    return;
  }
  size_t configurations = 1;
  for (const auto& parameter : read->parameters) {
    configurations *= parameter.values.size();
    if (configurations > kFewConfigurations) return;
  }
  const auto space = spec::BuildSpace(job, *read);
  CHECK(space.ok() || DiagnosticOf(space.status()).has_value()) << space.status();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckPython(text);
  CheckJob(text);
  return 0;
}
