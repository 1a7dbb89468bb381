// Parses any text as an expression and evaluates it with small integers: nothing may crash, and
// folding may not change what evaluation gives.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/check.h"
#include "common/expr/expression.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using burnish::expr::Expression;
  using burnish::expr::FormatValue;
  using burnish::expr::Value;

  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expression = Expression::Parse(text);
  if (!expression.ok()) return 0;

  std::vector<Value> values;
  for (size_t i = 0; i < expression->names().size(); ++i) {
    values.emplace_back(static_cast<int64_t>(i % 5) - 1);
  }
  const auto value = expression->Evaluate(values);

  size_t next = 0;  // Substitute asks for the names in order
  const Expression folded = expression->Substitute(
      [&](std::string_view) -> std::optional<Value> { return values[next++]; });
  const auto constant = folded.Constant();
  CHECK(constant.has_value());
  CHECK(constant->ok() == value.ok());
  if (value.ok()) CHECK(FormatValue(*value) == FormatValue(**constant));
  (void)expression->Test(values);
  (void)expression->EvaluateInteger(values);
  return 0;
}
