#include "client/cli/commands.h"

#include <cstdio>
#include <utility>

#include "client/cli/context.h"
#include "client/cli/output.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

absl::StatusOr<int> Run(CommandContext& context, Acts acts,
                        const std::function<absl::StatusOr<int>()>& body) {
  GlobalOptions& options = context.options;
  if (acts != Acts::kNowhere) {
    ASSIGN_OR_RETURN(options.place, ResolvePlace(options.flags));
  }
  if (acts == Acts::kChanging && !options.quiet && !options.json) {
    std::fprintf(stderr, "%s\n", DescribePlace(options.place).c_str());
  }
  return body();
}

}  // namespace

void SetAction(CLI::App* command, CommandContext& context, Acts acts,
               std::function<absl::StatusOr<int>()> body) {
  command->callback([&context, acts, body = std::move(body)] {
    context.run = [&context, acts, body] {
      const absl::StatusOr<int> code = Run(context, acts, body);
      return code.ok() ? *code : PrintError(code.status(), context.options);
    };
  });
}

}  // namespace burnish::cli
