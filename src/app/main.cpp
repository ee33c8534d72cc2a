/// normbench's command line: parses, runs one subcommand, turns errors into text and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <sstream>

#include "app/begin.h"
#include "app/commands.h"
#include "app/say.h"
#include "core/file.h"
#include "core/issue.h"
#include "machine/environment.h"

namespace {

using namespace normbench;

std::string version_text() {
  const Json built = tool();
  return fmt::format("normbench {} ({}, {})", built.at("version").get<std::string>(),
                     built.at("revision").get<std::string>(), built.at("build").get<std::string>());
}

void print_issues(const BadInput& bad) {
  for (const Issue& issue : bad.issues)
    tell("{}:{}{} {}\n", bad.file, issue.pointer, issue.pointer.empty() ? "" : ":", issue.text);
  if (bad.issues.size() > 1) tell("{} mistakes; nothing was run\n", bad.issues.size());
}

int run_command(const std::function<Exit()>& action) {
  try {
    return static_cast<int>(action());
  } catch (const BadInput& bad) {
    print_issues(bad);
  } catch (const Invalid& invalid) {
    tell("normbench: {}\n", invalid.what());
  } catch (const Differs& error) {
    tell("normbench: {}\n", error.what());
    return static_cast<int>(Exit::Incomparable);
  } catch (const CannotWrite& error) {
    tell("normbench: {}\n", error.what());
    return static_cast<int>(Exit::NotWritten);
  } catch (const std::exception& error) {
    tell("normbench: {}\n", error.what());
    return static_cast<int>(Exit::Failed);
  }
  return static_cast<int>(Exit::BadInput);
}

/// Help and version, or what is wrong with the command line.
Exit answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  const bool fine = app.exit(error, out, err) == 0;
  tell("{}", err.str());
  say("{}", out.str());
  return fine ? Exit::Fine : Exit::BadInput;
}

}  // namespace

int main(int argc, char** argv) {
  take_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed stdout does not stop a run, …
  std::signal(SIGXFSZ, SIG_IGN);  // … and a file that may not grow is one that cannot be written
  CLI::App app("Where, and in which form, should images be cast, normalised and moved to the GPU?");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return fmt::format("normbench: {} (see {} --help)\n", error.what(),
                       failed->get_parent() ? "normbench " + failed->get_name() : "normbench");
  });

  std::function<Exit()> chosen;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.about));
    sub->footer(fmt::format("Example:\n  {}", command.example));
    sub->callback([&chosen, action = command.declare(*sub)] { chosen = action; });
  }
  CLI::App* part = app.add_subcommand("part")->group("");
  part->callback([&chosen, action = declare_part(*part)] { chosen = action; });
  app.footer(
      "Exit codes: 0 fine, 1 a case failed or a regression was found, 2 bad input, 3 not to be\n"
      "compared or resumed, 4 inconclusive (with --strict), 5 outputs could not be written,\n"
      "130 interrupted.\n\nExample:\n  normbench run --config "
      "configs/quickstart.json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return run_command([&] { return answer(app, error); });
  }
  return run_command(chosen);
}
