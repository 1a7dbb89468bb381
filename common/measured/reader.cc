#include "common/measured/reader.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

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

struct ParsedText {
  JsonText json;
  bool repaired = false;
};

// The text as JSON. CLBlast's is repaired if it is none.
absl::StatusOr<ParsedText> Parse(std::string_view text) {
  absl::StatusOr<JsonText> json = ParseJson(text);
  const bool whole = json.ok() && json->open == 0 && !json->trailing;
  const bool repaired = !whole && LooksLikeClblast(text);
  if (repaired) json = ParseJson(RepairClblast(text));
  RETURN_IF_ERROR(json.status());
  return ParsedText{*std::move(json), repaired};
}

absl::Status NotWhole(const JsonText& json) {
  Diagnostic diagnostic;
  diagnostic.line = static_cast<int>(json.line);
  diagnostic.message = json.trailing ? "something stands behind the end of the file"
                                     : "the file ends early: it was cut";
  diagnostic.hint = "only Kernel Tuner's cache may lack its end";
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

struct Format {
  const char* name;
  const char* key;  // of the root, by which it is told
  absl::Status (*read)(const JsonValue& root, SpaceBuilder& builder);
};
// In this order: CLBlast's files have T4's key too.
constexpr Format kFormats[] = {{"ktt", "Results", ReadKtt},
                               {"clblast", "kernel_family", ReadClblast},
                               {"t4", "results", ReadT4}};

absl::StatusOr<MeasuredSpace> ReadAny(std::string_view name, std::string_view text) {
  ASSIGN_OR_RETURN(ParsedText parsed, Parse(text));
  const JsonText& json = parsed.json;
  const JsonValue& root = json.root;
  if (root.Find("cache") != nullptr || root.Find("tune_params_keys") != nullptr) {
    SpaceBuilder builder(NameWithoutEndings(name), "cache");
    RETURN_IF_ERROR(ReadKernelTunerCache(json, builder));
    return std::move(builder).Finish();
  }
  if (json.open > 0 || json.trailing) return NotWhole(json);
  for (const Format& format : kFormats) {
    if (root.Find(format.key) == nullptr) continue;
    SpaceBuilder builder(NameWithoutEndings(name), format.name);
    if (parsed.repaired) {
      builder.Warn("",
                   "the file is no JSON, as CLBlast writes it; quotes and commas were repaired");
    }
    RETURN_IF_ERROR(format.read(root, builder));
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
