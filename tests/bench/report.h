// What a bench found: figures with units and targets, as a table for people and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace burnish::bench {

struct Figure {
  std::string group;  // "sqlite"
  std::string name;   // "trials stored, steady"
  double value = 0;
  std::string unit;
  // A figure without a target passes.
  std::optional<double> at_least;
  std::optional<double> at_most;

  bool pass() const {
    return (!at_least.has_value() || value >= *at_least) &&
           (!at_most.has_value() || value <= *at_most);
  }
};

struct Report {
  std::string command;
  std::vector<Figure> figures;
  std::vector<std::string> remarks;                   // what was left out, and why
  nlohmann::json machine = nlohmann::json::object();  // what else is to be said of it

  void Add(Figure figure);
  void Remark(std::string text);
  bool pass() const;
  // Processor, cores, kernel, load; what stands in `machine` beside it.
  nlohmann::json Json() const;
};

// Of the last minute.
std::string LoadAverage();

}  // namespace burnish::bench
