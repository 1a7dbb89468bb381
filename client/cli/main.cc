// `burnish`: the command line.
#include <algorithm>
#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "client/cli/commands.h"
#include "client/cli/output.h"
#include "common/base/diagnostic.h"
#include "common/net/grpc_log.h"

namespace burnish::cli {
namespace {

void AddGlobalOptions(CLI::App& app, GlobalOptions& options) {
  app.add_option("--server", options.flags.server,
                 "HOST:PORT or unix:PATH of a server (else $BURNISH_SERVER, .burnish.yaml, the "
                 "current context, this machine's private server)");
  app.add_option("--context", options.flags.context,
                 "a context of `burnish context list`, or local (else $BURNISH_CONTEXT)");
  app.add_option("--namespace", options.flags.owner,
                 "team whose jobs are meant (else $BURNISH_NAMESPACE, the context's, default)");
  app.add_flag("--json", options.json, "one JSON document on standard output");
  app.add_flag("-q,--quiet", options.quiet, "no progress, no warnings");
  net::DialOptions& dial = options.flags.dial;
  app.add_option("--ca", dial.tls.ca,
                 "PEM file of the certificates to trust (else the context's, the system's)");
  app.add_option("--tls-certificate", dial.tls.certificate,
                 "PEM file of a certificate to show to a server that asks for one");
  app.add_option("--tls-key", dial.tls.key, "PEM file of that certificate's private key");
  app.add_flag("--insecure", dial.insecure, "plain text to a server that is not loopback");
  app.add_option("--color", options.color, "auto, always or never (else $BURNISH_COLOR)")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->envname("BURNISH_COLOR");
  app.add_flag("-y,--yes", options.yes, "do not ask");
  app.add_option("--connect-timeout", options.connect_timeout_seconds,
                 "seconds to try to reach the server")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

// CLI11's own words, with the nearest verb where an unknown one was given.
absl::Status UsageError(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with('-')) continue;
    bool known = false;
    for (const std::string& verb : verbs) known = known || verb == word;
    if (!known && app.get_subcommands().empty()) {
      return InvalidInput("unknown command '" + word + "'", NameHint(word, verbs));
    }
    break;
  }
  return InvalidInput(error.what(), "burnish --help, burnish VERB --help");
}

int Main(int argc, char** argv) {
  // Before any thread starts, so that Ctrl-C reaches the one that waits for it.
  ShutdownSignals signals;
  net::LogGrpcMessages();
  CommandContext context;
  context.signals = &signals;
  context.options.program = argv[0];

  CLI::App app{"Burnish tunes compute kernels by measuring them on the real device.", "burnish"};
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(
      "Exit codes: 0 done, 1 the job failed or a lookup missed, 2 bad usage or a bad job file,\n"
      "3 server unreachable, 4 not allowed, 5 interrupted, 6 --timeout passed, the job still "
      "runs.\n\nExample: burnish tune examples/convolution/convolution.yaml");
  AddGlobalOptions(app, context.options);
  AddTune(app, context);
  AddSubmit(app, context);
  AddWatch(app, context);
  AddWait(app, context);
  AddList(app, context);
  AddShow(app, context);
  AddControl(app, context);
  AddBest(app, context);
  AddPareto(app, context);
  AddRecords(app, context);
  AddExport(app, context);
  AddImport(app, context);
  AddDiff(app, context);
  AddDevices(app, context);
  AddRoofline(app, context);
  AddFleet(app, context);
  AddShare(app, context);
  AddTop(app, context);
  AddSpace(app, context);
  AddReplay(app, context);
  AddValidate(app, context);
  AddExplain(app, context);
  AddContext(app, context);
  AddToken(app, context);
  AddInit(app, context);
  AddCompletion(app, context);
  AddDoctor(app, context);
  AddVersion(app, context);
  if (argc > 1 && std::string(argv[1]) == "__complete") {
    return PrintCompletions(app, std::vector<std::string>(argv + 2, argv + argc), context.options);
  }
  if (argc == 1) {
    std::cerr << app.help();
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help
  } catch (const CLI::ParseError& error) {
    // The flag may stand behind the fault.
    context.options.json |= std::count(argv, argv + argc, std::string("--json")) > 0;
    return PrintError(UsageError(app, error, argc, argv), context.options);
  }
  return context.run();
}

}  // namespace
}  // namespace burnish::cli

int main(int argc, char** argv) { return burnish::cli::Main(argc, argv); }
