// burnish explain: what a word means.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/output.h"
#include "client/cli/topics.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

std::string FirstSentence(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  const size_t end = line.find(". ");
  return end == std::string::npos ? line : line.substr(0, end + 1);
}

// By its whole name, or by the end of it if that is one topic's only: `budget`, `state.ready`.
absl::StatusOr<Topic> FindTopic(const std::string& name) {
  std::vector<Topic> found;
  std::vector<std::string> names;
  for (const Topic& topic : AllTopics()) {
    if (topic.name == name) return topic;
    if (topic.name.ends_with(absl::StrCat(".", name))) found.push_back(topic);
    names.emplace_back(topic.name);
  }
  if (found.size() == 1) return found.front();
  const auto nearest = NearestName(name, names);
  return InvalidInput(absl::StrCat("there is no topic '", name, "'"),
                      nearest.has_value() ? absl::StrCat("did you mean '", *nearest, "'?")
                                          : "`burnish explain` lists all topics");
}

absl::StatusOr<int> Explain(const std::string& name, const GlobalOptions& options) {
  if (!name.empty()) {
    ASSIGN_OR_RETURN(const Topic topic, FindTopic(name));
    if (options.json) {
      PrintDocument({{"topic", topic.name}, {"text", topic.text}});
    } else {
      std::printf("%s\n\n%s", std::string(topic.name).c_str(), std::string(topic.text).c_str());
    }
    return kExitDone;
  }
  nlohmann::ordered_json topics = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Topic& topic : AllTopics()) {
    topics.push_back(topic.name);
    rows.push_back({std::string(topic.name), FirstSentence(topic.text)});
  }
  if (options.json) {
    PrintDocument({{"topics", topics}});
  } else {
    std::printf("%s", FormatTable(rows).c_str());
  }
  return kExitDone;
}

}  // namespace

void AddExplain(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "explain", "a key of the job file, an outcome, a metric or a state, in a few lines");
  const auto name = std::make_shared<std::string>();
  command->add_option("topic", *name, "such as job.budget or outcome.timeout; none: lists all");
  command->footer("Example: burnish explain outcome.wrong_result");
  SetAction(command, context, Acts::kNowhere,
            [name, &context] { return Explain(*name, context.options); });
}

}  // namespace burnish::cli
