#include "client/cli/table.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/cli/output.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/expr/expression.h"

namespace burnish::cli {
namespace {

absl::StatusOr<size_t> FindColumn(const Table& table, const std::string& name,
                                  const std::string& where) {
  std::vector<std::string> known;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == name || table.columns[i].title == name) return i;
    known.push_back(table.columns[i].name);
    if (table.columns[i].title != known.back()) known.push_back(table.columns[i].title);
  }
  return InvalidInput(absl::StrCat(where, ": there is no column '", name, "'"),
                      NameHint(name, known));
}

absl::StatusOr<std::vector<size_t>> FilteredRows(const Table& table, const std::string& filter) {
  std::vector<size_t> rows;
  if (filter.empty()) {
    for (size_t i = 0; i < table.rows.size(); ++i) rows.push_back(i);
    return rows;
  }
  ASSIGN_OR_RETURN(const expr::Expression expression, expr::Expression::Parse(filter));
  std::vector<size_t> columns;
  for (const std::string& name : expression.names()) {
    ASSIGN_OR_RETURN(columns.emplace_back(), FindColumn(table, name, "--filter"));
  }
  for (size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<expr::Value> values;
    for (const size_t column : columns) {
      if (const auto& value = table.rows[i][column].value) values.push_back(*value);
    }
    if (values.size() < columns.size()) continue;
    ASSIGN_OR_RETURN(const bool chosen, expression.Test(values));
    if (chosen) rows.push_back(i);
  }
  return rows;
}

std::optional<double> NumberOf(const expr::Value& value) {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  if (const int64_t* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const double* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

// Numbers before words.
bool Less(const expr::Value& a, const expr::Value& b) {
  const auto x = NumberOf(a);
  const auto y = NumberOf(b);
  if (x.has_value() != y.has_value()) return x.has_value();
  return x.has_value() ? *x < *y : expr::FormatBare(a) < expr::FormatBare(b);
}

absl::Status SortRows(const Table& table, std::string key, std::vector<size_t>& rows) {
  const bool largest_first = key.starts_with('-');
  if (largest_first) key.erase(0, 1);
  ASSIGN_OR_RETURN(const size_t column, FindColumn(table, key, "--sort"));
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
    const auto& x = table.rows[a][column].value;
    const auto& y = table.rows[b][column].value;
    if (!x.has_value() || !y.has_value()) return x.has_value() && !y.has_value();
    return largest_first ? Less(*y, *x) : Less(*x, *y);
  });
  return absl::OkStatus();
}

absl::StatusOr<std::vector<size_t>> ShownColumns(const Table& table, const TableOptions& options) {
  std::vector<size_t> shown;
  for (const std::string& name : options.columns) {
    ASSIGN_OR_RETURN(shown.emplace_back(), FindColumn(table, name, "--columns"));
  }
  if (!shown.empty()) return shown;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Column::Shown when = table.columns[i].shown;
    if (options.output == "csv" || when == Column::Shown::kAlways ||
        (options.output == "wide" && when == Column::Shown::kWide)) {
      shown.push_back(i);
    }
  }
  return shown;
}

std::string CsvField(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string CsvValue(const Cell& cell) {
  if (!cell.value.has_value()) return "";
  if (const bool* truth = std::get_if<bool>(&*cell.value)) return *truth ? "true" : "false";
  return CsvField(expr::FormatBare(*cell.value));
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string MarkdownField(const Cell& cell) {
  return absl::StrReplaceAll(FirstLine(cell.text), {{"|", "\\|"}});
}

}  // namespace

void AddTableOptions(CLI::App* command, TableOptions& options) {
  command->add_option("--limit", options.limit, "how many rows at most; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--filter", options.filter,
                      "only rows for which this holds; the language of constraints over columns");
  command->add_option("--sort", options.sort, "column to sort by; -COLUMN: largest first");
  command->add_option("--columns", options.columns, "columns to show, as a,b,c")->delimiter(',');
  command->add_option("-o,--output", options.output, "form of the table")
      ->check(CLI::IsMember({"table", "wide", "csv", "md", "name"}))
      ->capture_default_str();
}

absl::StatusOr<std::vector<size_t>> ChooseRows(const Table& table, const TableOptions& options) {
  ASSIGN_OR_RETURN(std::vector<size_t> rows, FilteredRows(table, options.filter));
  if (!options.sort.empty()) RETURN_IF_ERROR(SortRows(table, options.sort, rows));
  if (options.limit > 0 && rows.size() > static_cast<size_t>(options.limit)) {
    rows.resize(static_cast<size_t>(options.limit));
  }
  return rows;
}

absl::StatusOr<std::string> FormatRows(const Table& table, const std::vector<size_t>& rows,
                                       const TableOptions& options) {
  std::string text;
  if (options.output == "name") {
    for (const size_t row : rows) absl::StrAppend(&text, table.rows[row].front().text, "\n");
    return text;
  }
  ASSIGN_OR_RETURN(const std::vector<size_t> shown, ShownColumns(table, options));
  const auto line = [&](const auto& field) {
    std::vector<std::string> fields;
    for (const size_t column : shown) fields.push_back(field(column));
    return fields;
  };
  if (options.output == "csv") {
    const auto header = [&](size_t column) { return CsvField(table.columns[column].name); };
    absl::StrAppend(&text, absl::StrJoin(line(header), ","), "\n");
    for (const size_t row : rows) {
      const auto value = [&](size_t column) { return CsvValue(table.rows[row][column]); };
      absl::StrAppend(&text, absl::StrJoin(line(value), ","), "\n");
    }
    return text;
  }
  const auto title = [&](size_t column) { return table.columns[column].title; };
  if (options.output == "md") {
    absl::StrAppend(&text, "| ", absl::StrJoin(line(title), " | "), " |\n|");
    for (size_t i = 0; i < shown.size(); ++i) absl::StrAppend(&text, " --- |");
    absl::StrAppend(&text, "\n");
    for (const size_t row : rows) {
      const auto cell = [&](size_t column) { return MarkdownField(table.rows[row][column]); };
      absl::StrAppend(&text, "| ", absl::StrJoin(line(cell), " | "), " |\n");
    }
    return text;
  }
  std::vector<std::vector<std::string>> lines = {line(title)};
  for (const size_t row : rows) {
    lines.push_back(line([&](size_t column) { return FirstLine(table.rows[row][column].text); }));
  }
  return FormatTable(lines);
}

absl::StatusOr<std::string> FormatAll(const Table& table) {
  std::vector<size_t> rows(table.rows.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return FormatRows(table, rows, TableOptions());
}

}  // namespace burnish::cli
