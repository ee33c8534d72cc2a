/// normbench's command line: parses, runs one subcommand, turns errors into text and exit codes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <csignal>
#include <exception>

#include "app/commands.h"
#include "app/help.h"
#include "app/terminal.h"
#include "core/file.h"

namespace {

using namespace normbench;

void print_issues(std::span<const BadInput> files) {
  std::size_t count = 0;
  for (const BadInput& bad : files) {
    write_notice(fmt::format("{}\n", bad.what()));
    count += bad.issues.size();
  }
  if (count > 1) tell("{} mistakes; nothing was run\n", count);
}

/// Runs an action. Returns its exit code, or writes what went wrong and returns the code for that.
Exit guarded(const std::function<Exit()>& action) {
  try {
    return action();
  } catch (const BadInput& bad) {
    print_issues({&bad, 1});
    return Exit::BadInput;
  } catch (const BadFiles& bad) {
    print_issues(bad.files);
    return Exit::BadInput;
  } catch (const Invalid& error) {
    tell("normbench: {}\n", error.what());
    return Exit::BadInput;
  } catch (const Differs& error) {
    write_notice(fmt::format("normbench: {}\n", error.what()));
    return Exit::Incomparable;
  } catch (const CannotWrite& error) {
    tell("normbench: {}\n", error.what());
    return Exit::NotWritten;
  } catch (const std::exception& error) {
    tell("normbench: {}\n", error.what());
    return Exit::Failed;
  }
}

/// What is wrong with a word that is no option of `known`.
std::string unknown_option(const std::string& word, const std::vector<std::string>& known) {
  const std::string name = word.substr(0, word.find('='));
  const std::string near = nearest(name, known);
  return fmt::format("unknown option \"{}\"{}", name,
                     near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near));
}

/// What is wrong with an option that stands before the subcommand.
std::string early_option(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const Command& command : commands()) {
    const std::vector<Option> options = command.make().options;
    if (std::ranges::find(options, name, &Option::name) != options.end())
      return fmt::format("\"{0}\" follows a subcommand (normbench {1} {0} …)", name, command.name);
  }
  return unknown_option(name, {"--help", "--version"});
}

/// What is wrong with words that the subcommand does not take.
std::vector<std::string> strays_of(const CLI::App& app, const Subcommand& made) {
  std::vector<std::string> options{"--help"}, places, wrong;
  for (const Option& row : made.options)
    if (!row.help.empty()) (is_option(row.name) ? options : places).push_back(row.name);
  for (const std::string& word : app.remaining())
    if (is_option(word)) wrong.push_back(unknown_option(word, options));
  if (!wrong.empty()) return wrong;  // other words may be the values of these
  for (const std::string& word : app.remaining())
    wrong.push_back(made.unnamed.empty()
                        ? fmt::format("unexpected \"{}\" ({} takes {})", word, app.get_name(),
                                      places.empty() ? "options only"
                                                     : fmt::format("{}", fmt::join(places, " ")))
                        : fmt::format("unexpected \"{}\" (did you mean {} {}?)", word, made.unnamed,
                                      shell_word(word)));
  return wrong;
}

/// What is wrong with words before the subcommand, or "".
std::string stray_before(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  std::vector<std::string> known;
  for (const Command& command : commands())
    if (!command.about.empty()) known.emplace_back(command.name);
  if (words.empty())
    return app.get_subcommands().empty()
               ? fmt::format("no subcommand (known: {})", fmt::join(known, ", "))
               : "";
  if (is_option(words.front())) return early_option(words.front());
  return unknown("subcommand", words.front(), known);
}

/// "H W" for an option that takes two values; else "".
std::string pair_of(const Command& command, const std::string& name) {
  for (const Option& row : command.make().options)
    if (row.name == name && (row.rules & Option::Pair) != 0) return row.value;
  return "";
}

/// All mistakes in the command line.
std::vector<std::string> usage_mistakes(const CLI::App& app, const CLI::ParseError& error) {
  if (const std::string before = stray_before(app); !before.empty()) return {before};
  const CLI::App& given = *app.get_subcommands().front();
  const auto command = std::ranges::find(commands(), given.get_name(), &Command::name);
  const std::vector<std::string> strays = strays_of(given, command->make());
  if (!strays.empty()) return strays;
  const std::string said = error.what(), name = said.substr(0, said.find(": "));
  const std::string pair = pair_of(*command, name);
  if (said.ends_with(" missing"))
    return {name + (pair.empty() ? ": no value is given" : ": expected two values, " + pair)};
  // Versions of CLI11 differ in their words: "At Most 1 required", "At most 1 required".
  const std::string most = name + (pair.empty() ? ": At Most 1 " : ": At Most 2 ");
  if (CLI::detail::to_lower(said).starts_with(CLI::detail::to_lower(most)))
    return {name + ": given more than once"};
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && said.find("flag override") != said.npos)
    return {"--" + said.substr(0, said.find(' ')) + ": takes no value"};
  return {said};
}

/// Answers with help or version, or with the mistakes in the command line.
Exit answer(const CLI::App& app, const CLI::ParseError& error) {
  const auto given = app.get_subcommands();
  if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr) {
    show(given.empty() ? help_text()
                       : help_text(*std::ranges::find(commands(), given.front()->get_name(),
                                                      &Command::name)));
    return Exit::Fine;
  }
  if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
    show(version_text() + "\n");
    return Exit::Fine;
  }
  const std::string help =
      fmt::format("normbench {}--help", given.empty() ? "" : given.front()->get_name() + " ");
  for (const std::string& mistake : usage_mistakes(app, error))
    tell("normbench: {}; see {}\n", mistake, help);
  return Exit::BadInput;
}

/// Declares the option of a row to CLI11.
struct Declare {
  CLI::App& app;
  const Option& row;

  CLI::Option* operator()(bool* target) const {
    return app.add_flag(row.name, *target)->disable_flag_override();
  }
  CLI::Option* operator()(int* target) const { return (*this)(whole(*target, 0, INT_MAX)); }
  CLI::Option* operator()(const Take& take) const {
    return app
        .add_option_function<std::string>(
            row.name, [take, name = row.name](const std::string& given) { take(name, given); })
        ->type_name(row.value);
  }
  template <class T>
  CLI::Option* operator()(T* target) const {
    return app.add_option(row.name, *target)->type_name(row.value)->check(is_said);
  }

  static std::string is_said(const std::string& given) {
    return given.empty() ? "empty (expected a value)" : "";
  }
};

void declare(CLI::App& app, const Option& row) {
  CLI::Option* const option = std::visit(Declare{app, row}, row.target);
  option->required((row.rules & Option::Required) != 0);
  if (std::holds_alternative<std::vector<std::string>*>(row.target))
    option->allow_extra_args((row.rules & Option::Several) != 0);
  if ((row.rules & Option::Pair) != 0) option->type_size(2)->expected(1);
  if (!row.excludes.empty()) option->excludes(app.get_option(row.excludes));
}

void declare(CLI::App& app, const Command& command, std::function<Exit()>& chosen) {
  CLI::App* const sub = app.add_subcommand(std::string(command.name));
  const Subcommand made = command.make();
  for (const Option& row : made.options) declare(*sub, row);
  sub->callback([&chosen, sub, made] {
    for (const Option& row : made.options)
      if (made.given != nullptr && sub->count(row.name) > 0)
        (*made.given)[row.name] = sub->get_option(row.name)->results();
    chosen = made.run;
  });
}

Exit parse_and_run(int argc, char** argv) {
  CLI::App app{"", "normbench"};
  app.set_version_flag("--version", version_text(), "Show the version");
  app.require_subcommand(1);
  std::function<Exit()> chosen;
  for (const Command& command : commands()) declare(app, command, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return answer(app, error);
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  // Memory that a check frees stays for the next one: fetching pages anew took a third of its time.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  take_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed stdout does not stop a run
  std::signal(SIGXFSZ, SIG_IGN);  // writing past the file size limit is an error, not a signal
  return static_cast<int>(guarded([&] { return parse_and_run(argc, argv); }));
}
