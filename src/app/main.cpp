/// normbench's command line: parses, runs one subcommand, turns errors into text and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <climits>
#include <csignal>
#include <exception>
#include <functional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "app/commands.h"
#include "app/process.h"
#include "core/file.h"
#include "core/issue.h"

namespace {

using namespace normbench;

void print_issues(const BadInput& bad) {
  for (const Issue& issue : bad.issues)
    tell("{}:{}{} {}\n", bad.file, issue.pointer, issue.pointer.empty() ? "" : ":", issue.text);
  if (bad.issues.size() > 1) tell("{} mistakes; nothing was run\n", bad.issues.size());
}

/// Its exit code, or what went wrong as text and a code.
Exit guarded(const std::function<Exit()>& action) {
  try {
    return action();
  } catch (const BadInput& bad) {
    print_issues(bad);
    return Exit::BadInput;
  } catch (const Invalid& error) {
    tell("normbench: {}\n", error.what());
    return Exit::BadInput;
  } catch (const Differs& error) {
    tell("normbench: {}\n", error.what());
    return Exit::Incomparable;
  } catch (const CannotWrite& error) {
    tell("normbench: {}\n", error.what());
    return Exit::NotWritten;
  } catch (const std::exception& error) {
    tell("normbench: {}\n", error.what());
    return Exit::Failed;
  }
}

/// Help and version, or what is wrong with the command line.
Exit answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  const bool fine = app.exit(error, out, err) == 0;
  tell("{}", err.str());
  say("{}", out.str());
  return fine ? Exit::Fine : Exit::BadInput;
}

/// CLI11's option for a row.
struct Declare {
  CLI::App& app;
  const Option& row;

  CLI::Option* operator()(bool* target) const { return app.add_flag(row.name, *target, row.help); }
  CLI::Option* operator()(int* target) const {
    return (*this)(Take([target](const std::string& name, const std::string& given) {
      *target = static_cast<int>(read_whole(name, given, 0, INT_MAX));
    }));
  }
  CLI::Option* operator()(const Take& take) const {
    return app
        .add_option_function<std::string>(
            row.name, [take, name = row.name](const std::string& given) { take(name, given); },
            row.help)
        ->type_name(row.value);
  }
  template <class T>
  CLI::Option* operator()(T* target) const {
    return app.add_option(row.name, *target, row.help)->type_name(row.value);
  }
};

void declare(CLI::App& app, const Option& row) {
  CLI::Option* const option = std::visit(Declare{app, row}, row.target);
  option->required((row.rules & Option::Required) != 0);
  if (std::holds_alternative<std::vector<std::string>*>(row.target))
    option->allow_extra_args((row.rules & Option::Several) != 0);
  if (!row.excludes.empty()) option->excludes(app.get_option(row.excludes));
  if (row.help.empty()) option->group("");
}

void declare(CLI::App& app, const Command& command, std::function<Exit()>& chosen) {
  CLI::App* const sub = app.add_subcommand(std::string(command.name), std::string(command.about));
  if (command.about.empty()) sub->group("");
  const Subcommand made = command.make();
  sub->footer(fmt::format("Example:\n  {}{}{}", command.example, made.help.empty() ? "" : "\n\n",
                          made.help));
  for (const Option& row : made.options) declare(*sub, row);
  sub->callback([&chosen, sub, made] {
    for (const Option& row : made.options)
      if (made.given != nullptr && sub->count(row.name) > 0)
        (*made.given)[row.name] = sub->get_option(row.name)->results();
    chosen = made.run;
  });
}

Exit parse_and_run(int argc, char** argv) {
  CLI::App app("Where, and in which form, should images be cast, normalised and moved to the GPU?");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return fmt::format("normbench: {} (see {} --help)\n", error.what(),
                       failed->get_parent() ? "normbench " + failed->get_name() : "normbench");
  });
  std::function<Exit()> chosen;
  for (const Command& command : commands()) declare(app, command, chosen);
  app.footer(
      "Exit codes: 0 fine, 1 a case failed or a regression was found, 2 bad input, 3 not to be\n"
      "compared or resumed, 4 inconclusive (with --strict), 5 outputs could not be written,\n"
      "130 interrupted.\n\nExample:\n  normbench run --config "
      "configs/quickstart.json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return answer(app, error);
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  take_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed stdout does not stop a run
  std::signal(SIGXFSZ, SIG_IGN);  // writing past the file size limit is an error, not a signal
  return static_cast<int>(guarded([&] { return parse_and_run(argc, argv); }));
}
