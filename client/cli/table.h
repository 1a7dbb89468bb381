// Tables that people filter, sort and cut, and that scripts read as CSV: one module for every verb
// that lists something. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/expr/value.h"

namespace burnish::cli {

// A value for filters, sorting and CSV, and its form for people.
struct Cell {
  std::optional<expr::Value> value;  // nothing: not known
  std::string text;

  Cell() = default;
  Cell(const char*) = delete;                                     // would be a bool
  Cell(std::string word) : value(word), text(std::move(word)) {}  // NOLINT: cells read like values
  Cell(int64_t number) : value(number), text(std::to_string(number)) {}  // NOLINT
  Cell(bool truth) : value(truth), text(truth ? "yes" : "no") {}         // NOLINT
  Cell(expr::Value known, std::string shown) : value(std::move(known)), text(std::move(shown)) {}
};

struct Column {
  enum class Shown { kAlways, kWide, kByName };
  std::string name;   // for scripts, with its unit: latency_seconds
  std::string title;  // for people, and as good in filters and flags
  Shown shown = Shown::kAlways;
};

struct Table {
  std::vector<Column> columns;  // the first one names the row
  std::vector<std::vector<Cell>> rows;
};

struct TableOptions {
  int limit = 0;                     // 0: all
  std::string filter;                // an expression over the columns
  std::string sort;                  // a column; with `-` before it, largest first
  std::vector<std::string> columns;  // empty: those of the output form
  std::string output = "table";      // table, wide, csv, md, name
};

void AddTableOptions(CLI::App* command, TableOptions& options);

// The rows to show, in order. A row that lacks a value that the filter names is left out, one that
// lacks the value to sort by comes last. Errors name the nearest column.
absl::StatusOr<std::vector<size_t>> ChooseRows(const Table& table, const TableOptions& options);

// The text of those rows in the output form; CSV has every column.
absl::StatusOr<std::string> FormatRows(const Table& table, const std::vector<size_t>& rows,
                                       const TableOptions& options);
// All of them, in their order, as a table for people.
absl::StatusOr<std::string> FormatAll(const Table& table);

}  // namespace burnish::cli
