#include "client/cli/kernel_scan.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

using Tokens = std::vector<std::string>;

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}
bool IsWord(const std::string& token) {
  return !token.empty() && IsWordCharacter(token[0]) && !absl::ascii_isdigit(token[0]);
}
bool Has(const Tokens& tokens, std::string_view token) {
  return std::ranges::find(tokens, token) != tokens.end();
}

// Comments become a space, so that tokens stay apart; text in quotes stays.
std::string WithoutComments(const std::string& source) {
  std::string text;
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '/' && source.compare(i, 2, "//") == 0) {
      i = std::min(source.find('\n', i), source.size());
      text += '\n';
    } else if (c == '/' && source.compare(i, 2, "/*") == 0) {
      i = source.find("*/", i + 2);
      if (i == std::string::npos) break;
      ++i;
      text += ' ';
    } else if (c == '"' || c == '\'') {
      const size_t start = i;
      for (++i; i < source.size() && source[i] != c && source[i] != '\n'; ++i) {
        if (source[i] == '\\') ++i;
      }
      text.append(source, start, i + 1 - start);
    } else {
      text += c;
    }
  }
  return text;
}

Tokens TokensOf(std::string_view text) {
  Tokens tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (IsWordCharacter(text[i])) {
      while (end < text.size() && IsWordCharacter(text[end])) ++end;
    } else if (text[i] == '"' || text[i] == '\'') {
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      end = std::min(end + 1, text.size());
    }
    if (!absl::ascii_isspace(static_cast<unsigned char>(text[i]))) {
      tokens.emplace_back(text.substr(i, end - i));
    }
    i = end;
  }
  return tokens;
}

bool IsLiteral(const std::string& value) {
  return value == "true" || value == "false" || ParseInteger(value).has_value() ||
         ParseReal(value).has_value();
}

// Splits off the preprocessor's lines: `code` is what is left.
struct Directives {
  std::vector<ScannedMacro> macros;
  std::set<std::string> defined;  // with whatever value, with arguments too
  Tokens code;
};

Directives ReadDirectives(const std::string& text) {
  Directives read;
  std::set<std::string> guarded;
  std::string code;
  bool continued = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(line);
    const bool directive = continued || absl::StartsWith(stripped, "#");
    if (!directive) {
      absl::StrAppend(&code, line, "\n");
      continue;
    }
    const bool first = !continued;
    continued = absl::EndsWith(stripped, "\\");
    const Tokens words =
        first ? TokensOf(std::string_view(stripped.data(), stripped.size())) : Tokens();
    if (words.size() < 3) continue;
    if (words[1] == "ifndef") guarded.insert(words[2]);
    if (words.size() >= 6 && words[1] == "if" && words[2] == "!" && words[3] == "defined") {
      guarded.insert(words[4] == "(" ? words[5] : words[4]);
    }
    if (words[1] != "define") continue;
    read.defined.insert(words[2]);
    const std::string rest(
        absl::StripAsciiWhitespace(stripped.substr(stripped.find(words[2]) + words[2].size())));
    if (IsLiteral(rest)) read.macros.push_back({words[2], rest, guarded.contains(words[2])});
  }
  read.code = TokensOf(code);
  return read;
}

struct Function {
  std::string name;
  Tokens before;  // return type and what stands before it
  Tokens inside;  // of the parentheses
  bool extern_c = false;
};

// Position behind the bracket that closes the one at `open`.
size_t Behind(const Tokens& code, size_t open) {
  int depth = 0;
  for (size_t i = open; i < code.size(); ++i) {
    if (code[i] == "(" || code[i] == "{") ++depth;
    if (code[i] == ")" || code[i] == "}") --depth;
    if (depth == 0) return i + 1;
  }
  return code.size();
}

// Definitions at file scope and in `extern "C" { … }`.
std::vector<Function> FunctionsOf(const Tokens& code) {
  std::vector<Function> functions;
  size_t start = 0;  // of the declaration that is being read
  bool in_extern_c = false;
  for (size_t i = 0; i < code.size();) {
    const bool starts_extern_c =
        code[i] == "{" && i >= 2 && code[i - 1] == "\"C\"" && code[i - 2] == "extern";
    if (code[i] == ";" || code[i] == "}" || starts_extern_c) {
      if (code[i] != ";") in_extern_c = starts_extern_c;
      start = ++i;
    } else if (code[i] == "{") {
      start = i = Behind(code, i);
    } else if (code[i] == "(" && i > start && IsWord(code[i - 1])) {
      const size_t behind = Behind(code, i);
      if (behind < code.size() && code[behind] == "{") {
        Function function{.name = code[i - 1]};
        function.before.assign(code.begin() + start, code.begin() + (i - 1));
        function.inside.assign(code.begin() + i + 1, code.begin() + (behind - 1));
        function.extern_c = in_extern_c || Has(function.before, "\"C\"");
        functions.push_back(std::move(function));
      }
      i = behind;
    } else {
      ++i;
    }
  }
  return functions;
}

absl::StatusOr<Function> ChooseEntry(const std::vector<Function>& functions,
                                     const std::string& entry) {
  const auto first = [&](const auto& fits) { return std::ranges::find_if(functions, fits); };
  if (!entry.empty()) {
    const auto found = first([&](const Function& function) { return function.name == entry; });
    if (found != functions.end()) return *found;
    std::vector<std::string> names;
    for (const Function& function : functions) names.push_back(function.name);
    return InvalidInput(absl::StrCat("there is no function '", entry, "'"), NameHint(entry, names));
  }
  const auto kernel = first([](const Function& function) {
    return Has(function.before, "__kernel") || Has(function.before, "kernel") ||
           Has(function.before, "__global__");
  });
  if (kernel != functions.end()) return *kernel;
  const auto exported = first([](const Function& function) { return function.extern_c; });
  if (exported != functions.end()) return *exported;
  const auto last =
      std::find_if(functions.rbegin(), functions.rend(), [](const Function& function) {
        return !Has(function.before, "static") && !Has(function.before, "template") &&
               !Has(function.before, ":") && function.name != "main";
      });
  if (last != functions.rend()) return *last;
  return InvalidInput("there is no function that could be the entry", "name it: --entry NAME");
}

std::optional<Dtype> DtypeOf(const std::string& type) {
  constexpr std::pair<std::string_view, Dtype> kTypes[] = {
      {"double", Dtype::kF64},
      {"float", Dtype::kF32},
      {"_Float16", Dtype::kF16},
      {"half", Dtype::kF16},
      {"long", Dtype::kI64},
      {"long long", Dtype::kI64},
      {"int64_t", Dtype::kI64},
      {"int", Dtype::kI32},
      {"int32_t", Dtype::kI32},
      {"short", Dtype::kI16},
      {"int16_t", Dtype::kI16},
      {"signed char", Dtype::kI8},
      {"char", Dtype::kI8},
      {"int8_t", Dtype::kI8},
      {"unsigned long", Dtype::kU64},
      {"unsigned long long", Dtype::kU64},
      {"size_t", Dtype::kU64},
      {"uint64_t", Dtype::kU64},
      {"unsigned", Dtype::kU32},
      {"unsigned int", Dtype::kU32},
      {"uint", Dtype::kU32},
      {"uint32_t", Dtype::kU32},
      {"unsigned short", Dtype::kU16},
      {"uint16_t", Dtype::kU16},
      {"unsigned char", Dtype::kU8},
      {"uint8_t", Dtype::kU8},
  };
  const auto found = std::ranges::find(kTypes, type, [](const auto& known) { return known.first; });
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->second);
}

ScannedArgument ArgumentOf(const Tokens& tokens) {
  static const std::set<std::string> kQualifiers = {
      "const",   "volatile", "restrict",   "__restrict", "__restrict__", "__global", "global",
      "__local", "local",    "__constant", "constant",   "register",     "struct",   "std"};
  ScannedArgument argument;
  Tokens words;
  for (const std::string& token : tokens) {
    if (token == "*" || token == "[") argument.is_buffer = true;
    if (token == "const" && !argument.is_buffer) argument.is_const = true;
    if (IsWord(token) && !kQualifiers.contains(token)) words.push_back(token);
  }
  if (words.size() > 1) {
    argument.name = words.back();
    words.pop_back();
  }
  argument.type = absl::StrJoin(words, " ");
  argument.dtype = DtypeOf(argument.type);
  return argument;
}

std::vector<ScannedArgument> ArgumentsOf(const Tokens& inside) {
  std::vector<ScannedArgument> arguments;
  Tokens one;
  const auto end_one = [&] {
    if (!one.empty() && one != Tokens{"void"}) arguments.push_back(ArgumentOf(one));
    one.clear();
  };
  for (const std::string& token : inside) {
    if (token == ",") {
      end_one();
    } else {
      one.push_back(token);
    }
  }
  end_one();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name.empty()) arguments[i].name = absl::StrCat("argument_", i);
  }
  return arguments;
}

// Of headers that need no definition in the file.
bool IsWellKnown(const std::string& name) {
  static const std::set<std::string> kNames = {"NULL", "EOF", "NAN", "INFINITY", "TRUE", "FALSE"};
  return kNames.contains(name) || name.ends_with("_MAX") || name.ends_with("_MIN") ||
         name.starts_with("M_") || name.starts_with("CLK_") || name.starts_with("FLT_") ||
         name.starts_with("DBL_");
}

std::vector<std::string> UndefinedNames(const Directives& read) {
  std::vector<std::string> names;
  std::set<std::string> declared;
  const Tokens& code = read.code;
  bool in_enum = false;
  for (size_t i = 0; i < code.size(); ++i) {
    in_enum = code[i] == "enum" || (in_enum && code[i] != "}");
    const bool in_capitals = IsWord(code[i]) && absl::ascii_isupper(code[i][0]) &&
                             std::ranges::none_of(code[i], absl::ascii_islower);
    if (!in_capitals || read.defined.contains(code[i]) || IsWellKnown(code[i])) continue;
    // After a type or `class` it is being declared; before a parenthesis it is called.
    const bool declares = in_enum || (i > 0 && IsWord(code[i - 1]) && code[i - 1] != "return");
    if (declares) declared.insert(code[i]);
    if (declares || (i + 1 < code.size() && code[i + 1] == "(")) continue;
    if (!Has(names, code[i])) names.push_back(code[i]);
  }
  std::erase_if(names, [&](const std::string& name) { return declared.contains(name); });
  return names;
}

}  // namespace

absl::StatusOr<ScannedKernel> ScanKernel(const std::string& source, const std::string& entry) {
  Directives read = ReadDirectives(WithoutComments(source));
  ASSIGN_OR_RETURN(const Function function, ChooseEntry(FunctionsOf(read.code), entry));
  ScannedKernel kernel{.entry = function.name, .arguments = ArgumentsOf(function.inside)};
  kernel.undefined = UndefinedNames(read);
  kernel.macros = std::move(read.macros);
  return kernel;
}

}  // namespace burnish::cli
