#include "common/measured/reader.h"

#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/measured/formats.h"

namespace burnish::measured {
namespace {

constexpr std::string_view kKnown =
    "known: T4, Kernel Tuner's cache, KTT's results, CLBlast's tuner output";
constexpr size_t kUnpackChunkBytes = 1 << 20;
constexpr int kGzip = 16;  // zlib's flag beside the window's bits

std::string NameWithoutEndings(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  bool removed = true;
  while (removed) {
    removed = false;
    for (const std::string_view ending : {".gz", ".json", ".t4", ".cache", ".ktt", ".clblast"}) {
      if (!name.ends_with(ending)) continue;
      name.remove_suffix(ending.size());
      removed = true;
    }
  }
  return std::string(name);
}

absl::Status FileError(const std::string& path, std::string_view message) {
  Diagnostic diagnostic;
  diagnostic.file = path;
  diagnostic.message = std::string(message);
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

absl::StatusOr<std::string> Unpack(const std::string& path, const std::string& packed) {
  z_stream stream = {};
  CHECK(inflateInit2(&stream, kGzip + MAX_WBITS) == Z_OK);
  const absl::Cleanup end = [&stream] { inflateEnd(&stream); };
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  size_t left = packed.size();
  std::string text;
  int result = Z_OK;
  while (true) {
    const auto taken = static_cast<uInt>(std::min<size_t>(left, kUnpackChunkBytes));
    stream.avail_in = taken;
    const size_t size = text.size();
    text.resize(size + kUnpackChunkBytes);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + size);
    stream.avail_out = kUnpackChunkBytes;
    result = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
    left -= taken - stream.avail_in;
    if (text.size() > limits::kMeasuredFileBytes) {
      return FileError(path, absl::StrCat("is larger than ", limits::kMeasuredFileBytes,
                                          " bytes when unpacked"));
    }
    if (result == Z_STREAM_END) {
      if (left == 0) return text;
      inflateReset(&stream);  // gzip files may be strung together
    } else if (result == Z_BUF_ERROR) {
      return FileError(path, "the packed file ends early: it was cut");
    } else if (result != Z_OK) {
      return FileError(path, "is no whole gzip file: it is damaged");
    }
  }
}

bool LooksLikeClblast(std::string_view text) {
  return text.substr(0, 4096).find("\"kernel_family\"") != text.npos;
}

// The text as JSON. CLBlast's is repaired if it is none.
absl::StatusOr<JsonText> Parse(std::string_view text, std::vector<std::string>& warnings) {
  absl::StatusOr<JsonText> json = ParseJson(text);
  if (json.ok() && json->open == 0 && !json->trailing) return json;
  if (!LooksLikeClblast(text)) return json;
  warnings.push_back("the file is not JSON as CLBlast wrote it; quotes and commas were repaired");
  return ParseJson(RepairClblast(text));
}

absl::Status NotWhole(const JsonText& json) {
  Diagnostic diagnostic;
  diagnostic.line = static_cast<int>(json.line);
  diagnostic.message = json.trailing ? "something stands behind the end of the file"
                                     : "the file ends early: it was cut";
  diagnostic.hint = "only Kernel Tuner's cache may lack its end";
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

absl::StatusOr<MeasuredSpace> ReadAny(std::string_view name, std::string_view text) {
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(JsonText json, Parse(text, warnings));
  const JsonValue& root = json.root;
  const std::string space = NameWithoutEndings(name);
  if (root.Find("cache") != nullptr || root.Find("tune_params_keys") != nullptr) {
    SpaceBuilder builder(space, "cache");
    RETURN_IF_ERROR(ReadKernelTunerCache(std::move(json), builder));
    return std::move(builder).Finish();
  }
  if (json.open > 0 || json.trailing) return NotWhole(json);
  if (root.Find("Results") != nullptr) {
    SpaceBuilder builder(space, "ktt");
    RETURN_IF_ERROR(ReadKtt(root, builder));
    return std::move(builder).Finish();
  }
  if (root.Find("kernel_family") != nullptr) {
    SpaceBuilder builder(space, "clblast");
    for (const std::string& warning : warnings) builder.Warn("", warning);
    RETURN_IF_ERROR(ReadClblast(root, builder));
    return std::move(builder).Finish();
  }
  if (root.Find("results") != nullptr) {
    SpaceBuilder builder(space, "t4");
    RETURN_IF_ERROR(ReadT4(root, builder));
    return std::move(builder).Finish();
  }
  if (root.Find("ConfigurationSpace") != nullptr) {
    return InvalidInput("this is a T1 file, which says what to tune", "it stands where a job does");
  }
  return InvalidInput("the text is in no known format of measurements", kKnown);
}

}  // namespace

absl::StatusOr<MeasuredSpace> Read(std::string_view name, std::string_view text) {
  absl::StatusOr<MeasuredSpace> space = ReadAny(name, text);
  if (space.ok()) return space;
  Diagnostic diagnostic = DiagnosticOf(space.status()).value_or(Diagnostic{});
  diagnostic.file = name;
  return DiagnosticStatus(space.status().code(), diagnostic);
}

absl::StatusOr<std::string> ReadFileText(const std::string& path) {
  absl::StatusOr<std::string> content = burnish::ReadFile(path, limits::kMeasuredFileBytes);
  if (absl::IsFailedPrecondition(content.status())) {
    return InvalidInput(std::string(content.status().message()));
  }
  if (!content.ok() || !absl::StartsWith(*content, "\x1f\x8b")) return content;
  return Unpack(path, *content);
}

absl::StatusOr<MeasuredSpace> ReadFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFileText(path));
  return Read(path, text);
}

}  // namespace burnish::measured
