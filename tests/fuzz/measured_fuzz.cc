// Any bytes given as another tuner's file are read into a measured space or refused by a Diagnostic
// that names the file; what is read comes back the same from the formats that are written.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/measured/reader.h"
#include "common/measured/writer.h"

using burnish::Diagnostic;
using burnish::DiagnosticOf;
namespace measured = burnish::measured;

namespace {

// A cache file's record holds the parameters among its own keys.
bool NamesCollide(const measured::MeasuredSpace& space) {
  for (const burnish::space::Parameter& parameter : space.parameters) {
    const std::string& name = parameter.name;
    if (name == "time" || name == "times" || name == "__error__" || name.ends_with("_time")) {
      return true;
    }
  }
  return false;
}

void CheckReadsBack(const measured::MeasuredSpace& space, const std::string& text) {
  const auto again = measured::Read("again", text);
  CHECK(again.ok()) << again.status() << "\n" << text;
  CHECK(again->records.size() == space.records.size()) << text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto space = measured::Read("fuzz.json", text);
  if (!space.ok()) {
    const std::optional<Diagnostic> diagnostic = DiagnosticOf(space.status());
    CHECK(diagnostic.has_value()) << space.status();
    CHECK(diagnostic->file == "fuzz.json" && !diagnostic->message.empty()) << space.status();
    return 0;
  }
  CHECK(!space->records.empty());
  for (const measured::Record& record : space->records) {
    CHECK(record.values.size() == space->parameters.size());
    for (size_t p = 0; p < record.values.size(); ++p) {
      CHECK(record.values[p] < space->parameters[p].values.size());
    }
    const bool ok = record.outcome == burnish::work::Outcome::kOk;
    CHECK(!ok || (std::isfinite(record.latency_seconds) && record.latency_seconds > 0));
  }
  CheckReadsBack(*space, measured::WriteT4(*space));
  if (NamesCollide(*space)) return 0;
  CheckReadsBack(*space, measured::WriteKernelTunerCache(*space));
  return 0;
}
