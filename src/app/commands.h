/// One row per subcommand; main.cpp adds them all to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string_view>

namespace normbench {

/// Exit codes of the tool.
enum class Exit {
  Fine = 0,
  Failed = 1,  // a case failed, or a regression was found
  BadInput = 2,
  Incomparable = 3,
  Inconclusive = 4,  // with --strict
  NotWritten = 5,
  Interrupted = 130
};

struct Command {
  std::string_view name, about, example;
  /// Declares the options on `app` and returns what runs once they are parsed.
  std::function<Exit()> (*declare)(CLI::App& app);
};

std::function<Exit()> declare_run(CLI::App& app);
std::function<Exit()> declare_check(CLI::App& app);
std::function<Exit()> declare_compare(CLI::App& app);
std::function<Exit()> declare_report(CLI::App& app);
std::function<Exit()> declare_table(CLI::App& app);
std::function<Exit()> declare_info(CLI::App& app);
std::function<Exit()> declare_list(CLI::App& app);
std::function<Exit()> declare_selftest(CLI::App& app);
std::function<Exit()> declare_calibrate(CLI::App& app);
std::function<Exit()> declare_peer(CLI::App& app);
/// What `run` starts for itself; not shown in --help.
std::function<Exit()> declare_part(CLI::App& app);

/// All subcommands, in the order of --help.
std::span<const Command> commands();

}  // namespace normbench
