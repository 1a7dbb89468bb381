#include "server/store/sql/history_codec.h"

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace burnish::store::sql {
namespace {

using Json = nlohmann::json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::Status Unreadable(const Json::exception& error) {
  return absl::DataLossError(
      absl::StrCat("the database holds an unreadable history: ", error.what()));
}

}  // namespace

// [[name, [index…], [latency…]]…]: numbers read back exactly.
std::string EncodeHistory(const std::vector<HistorySource>& sources) {
  Json list = Json::array();
  for (const HistorySource& source : sources) {
    Json indices = Json::array();
    Json latencies = Json::array();
    for (const HistoryRecord& record : source.records) {
      indices.push_back(record.index);
      latencies.push_back(record.latency_seconds);
    }
    list.push_back({source.name, std::move(indices), std::move(latencies)});
  }
  return Dump(list);
}

absl::StatusOr<std::vector<HistorySource>> DecodeHistory(const std::string& text) {
  std::vector<HistorySource> sources;
  try {
    for (const Json& item : Json::parse(text)) {
      HistorySource& source = sources.emplace_back();
      source.name = item.at(0).get<std::string>();
      const Json& indices = item.at(1);
      const Json& latencies = item.at(2);
      for (size_t i = 0; i < indices.size(); ++i) {
        source.records.push_back(
            {indices[i].get<space::ConfigurationIndex>(), latencies.at(i).get<double>()});
      }
    }
  } catch (const Json::exception& error) {
    return Unreadable(error);
  }
  return sources;
}

// [[name, records]…]
std::string EncodeHistorySummary(const std::vector<HistorySource>& sources) {
  Json list = Json::array();
  for (const HistorySource& source : sources) {
    list.push_back({source.name, source.records.size()});
  }
  return Dump(list);
}

absl::StatusOr<std::vector<HistorySummary>> DecodeHistorySummary(const std::string& text) {
  std::vector<HistorySummary> sources;
  try {
    for (const Json& item : Json::parse(text)) {
      sources.push_back({item.at(0).get<std::string>(), item.at(1).get<int64_t>()});
    }
  } catch (const Json::exception& error) {
    return Unreadable(error);
  }
  return sources;
}

}  // namespace burnish::store::sql
