#include "common/spec/naming.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/base/limits.h"
#include "common/expr/expression.h"
#include "common/spec/fields.h"

namespace burnish::spec {
namespace {

constexpr std::string_view kCppKeywords[] = {"alignas",       "alignof",     "and",
                                             "and_eq",        "asm",         "auto",
                                             "bitand",        "bitor",       "bool",
                                             "break",         "case",        "catch",
                                             "char",          "char16_t",    "char32_t",
                                             "char8_t",       "class",       "co_await",
                                             "co_return",     "co_yield",    "compl",
                                             "concept",       "const",       "const_cast",
                                             "consteval",     "constexpr",   "constinit",
                                             "continue",      "decltype",    "default",
                                             "delete",        "do",          "double",
                                             "dynamic_cast",  "else",        "enum",
                                             "explicit",      "export",      "extern",
                                             "false",         "float",       "for",
                                             "friend",        "goto",        "if",
                                             "inline",        "int",         "long",
                                             "mutable",       "namespace",   "new",
                                             "noexcept",      "not",         "not_eq",
                                             "nullptr",       "operator",    "or",
                                             "or_eq",         "private",     "protected",
                                             "public",        "register",    "reinterpret_cast",
                                             "requires",      "return",      "short",
                                             "signed",        "sizeof",      "static",
                                             "static_assert", "static_cast", "struct",
                                             "switch",        "template",    "this",
                                             "thread_local",  "throw",       "true",
                                             "try",           "typedef",     "typeid",
                                             "typename",      "union",       "unsigned",
                                             "using",         "virtual",     "void",
                                             "volatile",      "wchar_t",     "while",
                                             "xor",           "xor_eq"};

// Beyond those of C++; vector types such as float4 are recognised by form.
constexpr std::string_view kOpenClKeywords[] = {
    "constant",   "event_t",  "global",    "half",      "image1d_t", "image2d_t",
    "image3d_t",  "kernel",   "local",     "pipe",      "ptrdiff_t", "read_only",
    "read_write", "restrict", "sampler_t", "size_t",    "uchar",     "uint",
    "ulong",      "uniform",  "ushort",    "write_only"};

constexpr std::string_view kVectorBases[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                             "long", "ulong", "float", "double", "half"};
constexpr std::string_view kVectorWidths[] = {"2", "3", "4", "8", "16"};

template <size_t kSize>
bool IsOneOf(std::string_view name, const std::string_view (&words)[kSize]) {
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

bool IsVectorType(std::string_view name) {
  const size_t digits = name.find_first_of("0123456789");
  return digits != name.npos && IsOneOf(name.substr(0, digits), kVectorBases) &&
         IsOneOf(name.substr(digits), kVectorWidths);
}

// What C and C++ leave to compilers, and what the code around a candidate uses.
bool IsReserved(std::string_view name) {
  const bool compiler = name.find("__") != name.npos ||
                        (name.size() > 1 && name[0] == '_' && absl::ascii_isupper(name[1]));
  return compiler || name == "defined" || absl::StartsWithIgnoreCase(std::string(name), "burnish_");
}

bool IsCppIdentifier(std::string_view name) {
  if (name.empty() || absl::ascii_isdigit(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

absl::Status Refuse(const Node& node, const std::string& name, const std::string& message,
                    const std::string& hint) {
  return node.text == name ? ErrorAt(node, message, hint) : ErrorAtKey(node, message, hint);
}

absl::Status CheckIdentifier(const Node& node, const std::string& name, const std::string& what) {
  if (name.size() > limits::kNameBytes) {
    return Refuse(
        node, name,
        "the name of " + what + " is longer than " + std::to_string(limits::kNameBytes) + " bytes",
        "");
  }
  if (IsCppIdentifier(name)) return absl::OkStatus();
  return Refuse(node, name, Quoted(name) + " cannot name " + what,
                "a name has letters, digits and '_', and does not start with a digit");
}

}  // namespace

absl::Status CheckCppName(const Node& node, const std::string& name, const std::string& what) {
  if (absl::Status status = CheckIdentifier(node, name, what); !status.ok()) return status;
  if (!IsOneOf(name, kCppKeywords)) return absl::OkStatus();
  return Refuse(node, name, "'" + name + "' is a keyword of C++ and cannot name " + what,
                "choose another name");
}

absl::Status CheckExpressionName(const Node& node, const std::string& name,
                                 const std::string& what) {
  if (absl::Status status = CheckIdentifier(node, name, what); !status.ok()) return status;
  if (expr::IsIdentifier(name)) return absl::OkStatus();
  return Refuse(node, name, "'" + name + "' is a word of expressions and cannot name " + what,
                "choose another name");
}

absl::Status CheckMacroName(const Node& node, const std::string& name, const std::string& what) {
  if (absl::Status status = CheckCppName(node, name, what); !status.ok()) return status;
  if (IsOneOf(name, kOpenClKeywords) || IsVectorType(name)) {
    return Refuse(node, name, "'" + name + "' is a keyword of OpenCL C and cannot name " + what,
                  "choose another name");
  }
  if (!IsReserved(name)) return absl::OkStatus();
  return Refuse(node, name, "'" + name + "' is reserved and cannot name " + what,
                "choose a name without '__', and without '_' and a capital or 'burnish_' in front");
}

}  // namespace burnish::spec
