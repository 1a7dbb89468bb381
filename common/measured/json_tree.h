// JSON as other programs write it, as a tree that keeps the order of keys, the difference of 1 and
// 1.0, and what was read of a text that ends early. Python's bare NaN and Infinity are read. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/expr/value.h"

namespace burnish::measured {

struct JsonMember;
struct JsonValue;
using JsonList = std::vector<JsonValue>;
using JsonObject = std::vector<JsonMember>;  // keys may occur twice
struct JsonValue
    : std::variant<std::monostate, bool, int64_t, double, std::string, JsonList, JsonObject> {
  using std::variant<std::monostate, bool, int64_t, double, std::string, JsonList,
                     JsonObject>::variant;

  // The last member of that name; null if there is none, or if this is no object.
  const JsonValue* Find(std::string_view key) const;
  // Null if it is something else.
  const JsonList* List() const { return std::get_if<JsonList>(this); }
  const JsonObject* Object() const { return std::get_if<JsonObject>(this); }
  const std::string* Text() const { return std::get_if<std::string>(this); }
  // Of integers and reals, also those that are not finite.
  std::optional<double> Number() const;
};
struct JsonMember {
  std::string key;
  JsonValue value;
};

struct JsonText {
  JsonValue root;
  // Objects and lists that were open when the text ended; the innermost ones may lack something.
  int open = 0;
  size_t line = 0;        // at which it ended
  bool trailing = false;  // something stands behind the end of the root
};

// InvalidArgument with line and column for what is not JSON.
absl::StatusOr<JsonText> ParseJson(std::string_view text);

// An error at a JSON path: `results[3].times.runtimes[0]`.
absl::Status ErrorAtPath(const std::string& path, std::string_view message,
                         std::string_view hint = "");
// A member that must be there, of that kind; `path` is the object's.
absl::StatusOr<const JsonList*> RequireList(const JsonValue& object, const std::string& path,
                                            std::string_view key);
absl::StatusOr<const JsonObject*> RequireObject(const JsonValue& object, const std::string& path,
                                                std::string_view key);
absl::StatusOr<std::string> RequireText(const JsonValue& object, const std::string& path,
                                        std::string_view key);
// The value of a parameter: a finite number, a string or a boolean.
absl::StatusOr<expr::Value> ParameterValue(const JsonValue& json, const std::string& path);
// A text that may be absent or something else: empty then.
std::string TextOr(const JsonValue& object, std::string_view key);

}  // namespace burnish::measured
