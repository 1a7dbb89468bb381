// burnish completion: the scripts; and __complete, which they call and which never fails.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/commands.h"
#include "client/cli/completion.h"
#include "client/cli/connection.h"
#include "client/cli/context.h"
#include "client/cli/private_server.h"
#include "client/cli/topics.h"
#include "common/base/clock.h"
#include "common/net/channel.h"

namespace burnish::cli {
namespace {

constexpr char kBash[] = R"sh(# eval "$(burnish completion bash)"
_burnish() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _burnish burnish
)sh";
constexpr char kZsh[] = R"sh(#compdef burnish
# eval "$(burnish completion zsh)"
_burnish() {
  local - a found found = (
      "${(@f)$(" $ { words[1] } " __complete " $ {
        (@) words[2, CURRENT]
      } " 2>/dev/null)}") if[[-n "${found[*]}"]];
  then compadd - a found;
  else _files;
  fi
}
compdef _burnish burnish
)sh";
constexpr char kFish[] = R"sh(# burnish completion fish | source
function __burnish_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c burnish -a '(__burnish_complete)'
)sh";

constexpr absl::Duration kTimeLimit = absl::Milliseconds(300);
constexpr int kCompletedJobs = 50;

// Asks a server that is there; starts none, and waits for none.
std::vector<std::string> AskServer(Wanted wanted, const GlobalOptions& options) {
  const auto place = ResolvePlace(options.flags);
  if (!place.ok()) return {};
  std::string address = place->server;
  if (address.empty()) {
    const auto located = LocatePrivateServer();
    if (!located.ok()) return {};
    address = located->address;
  }
  const auto parsed = net::ParseServerAddress(address);
  if (!parsed.ok()) return {};
  if (!place->token.empty() && !net::CheckTokenMayTravel(*parsed, place->dial, "").ok()) return {};
  const auto channel = net::DialServer(*parsed, place->dial);
  if (!channel.ok()) return {};
  const auto stub = pb::JobService::NewStub(*channel);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(SystemClock().Now() + kTimeLimit));
  if (!place->token.empty()) context.AddMetadata("authorization", "Bearer " + place->token);
  std::vector<std::string> names;
  if (wanted == Wanted::kJob) {
    pb::ListRequest request;
    request.set_namespace_(place->owner);
    request.set_limit(kCompletedJobs);
    pb::ListReply reply;
    if (!stub->List(&context, request, &reply).ok()) return {};
    for (const pb::JobSnapshot& job : reply.jobs()) names.push_back(job.job_id());
    return names;
  }
  pb::DevicesRequest request;
  request.set_namespace_(place->owner);
  pb::DevicesReply reply;
  if (!stub->Devices(&context, request, &reply).ok()) return {};
  for (const pb::Device& device : reply.devices()) names.push_back(device.device_id());
  return names;
}

std::vector<std::string> NamesOf(Wanted wanted, const GlobalOptions& options) {
  std::vector<std::string> names;
  switch (wanted) {
    case Wanted::kTopic:
      for (const Topic& topic : AllTopics()) names.emplace_back(topic.name);
      return names;
    case Wanted::kContext:
      if (const auto contexts = LoadContexts(); contexts.ok()) names = contexts->Names();
      return names;
    default:
      return AskServer(wanted, options);
  }
}

}  // namespace

int PrintCompletions(const CLI::App& app, const std::vector<std::string>& words,
                     const GlobalOptions& options) {
  GlobalOptions with_flags = options;
  for (size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i] == "--server") with_flags.flags.server = words[i + 1];
    if (words[i] == "--context") with_flags.flags.context = words[i + 1];
    if (words[i] == "--namespace") with_flags.flags.owner = words[i + 1];
  }
  const auto names = [&](Wanted wanted) { return NamesOf(wanted, with_flags); };
  for (const std::string& word : Complete(app, words, names)) std::printf("%s\n", word.c_str());
  return kExitDone;
}

void AddCompletion(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("completion", "print a shell's completion script");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("Example: eval \"$(burnish completion bash)\"");
  SetAction(command, context, Acts::kNowhere, [shell]() -> absl::StatusOr<int> {
    std::printf("%s", *shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish);
    return kExitDone;
  });
}

}  // namespace burnish::cli
