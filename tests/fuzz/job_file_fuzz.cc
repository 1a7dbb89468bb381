// Any bytes given as a job file are read into a job or refused by a Diagnostic that names the file.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/spec/job_reader.h"

using burnish::Diagnostic;
using burnish::DiagnosticOf;
namespace spec = burnish::spec;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto references = spec::FindFileReferences("fuzz.yaml", text);
  const auto job = spec::ReadJob({"fuzz.yaml", text, {}}, spec::SourceCheck::kNotNeeded);
  CHECK(references.ok() || !job.ok()) << references.status();
  if (job.ok()) return 0;
  const std::optional<Diagnostic> diagnostic = DiagnosticOf(job.status());
  CHECK(diagnostic.has_value()) << job.status();
  CHECK(diagnostic->file == "fuzz.yaml" && !diagnostic->message.empty()) << job.status();
  return 0;
}
