// The verbs of `burnish`. Each adds itself to the CLI11 tree; parsing picks one and stores what to
// run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "client/cli/options.h"
#include "common/base/shutdown_signals.h"

namespace burnish::cli {

// What the verbs share. `run` is set by the chosen verb's callback and returns the exit code.
struct CommandContext {
  GlobalOptions options;
  ShutdownSignals* signals = nullptr;
  std::function<int()> run;
};

// What a verb has to do with a server. Only those that act need to know which one is meant; those
// that change something there say on standard error where.
enum class Acts { kNowhere, kReading, kChanging };

// What `command` does when it is the chosen one: `body` returns the exit code or an error, which is
// printed.
void SetAction(CLI::App* command, CommandContext& context, Acts acts,
               std::function<absl::StatusOr<int>()> body);

void AddTune(CLI::App& app, CommandContext& context);
void AddSubmit(CLI::App& app, CommandContext& context);
void AddWatch(CLI::App& app, CommandContext& context);
void AddWait(CLI::App& app, CommandContext& context);
void AddList(CLI::App& app, CommandContext& context);
void AddShow(CLI::App& app, CommandContext& context);
// cancel, pause, resume, finish
void AddControl(CLI::App& app, CommandContext& context);
void AddBest(CLI::App& app, CommandContext& context);
void AddPareto(CLI::App& app, CommandContext& context);
void AddRecords(CLI::App& app, CommandContext& context);
void AddExport(CLI::App& app, CommandContext& context);
void AddImport(CLI::App& app, CommandContext& context);
void AddDiff(CLI::App& app, CommandContext& context);
void AddDevices(CLI::App& app, CommandContext& context);
void AddRoofline(CLI::App& app, CommandContext& context);
// drain, undrain, quarantine
void AddFleet(CLI::App& app, CommandContext& context);
void AddShare(CLI::App& app, CommandContext& context);
void AddTop(CLI::App& app, CommandContext& context);
void AddContext(CLI::App& app, CommandContext& context);
void AddToken(CLI::App& app, CommandContext& context);
void AddExplain(CLI::App& app, CommandContext& context);
void AddInit(CLI::App& app, CommandContext& context);
void AddCompletion(CLI::App& app, CommandContext& context);
// `burnish __complete WORDS…`: one candidate for the last word per line.
int PrintCompletions(const CLI::App& app, const std::vector<std::string>& words,
                     const GlobalOptions& options);
void AddValidate(CLI::App& app, CommandContext& context);
void AddSpace(CLI::App& app, CommandContext& context);
void AddReplay(CLI::App& app, CommandContext& context);
void AddDoctor(CLI::App& app, CommandContext& context);
void AddVersion(CLI::App& app, CommandContext& context);

}  // namespace burnish::cli
