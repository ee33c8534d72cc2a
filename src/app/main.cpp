/// Parses the command line, runs one subcommand, and turns errors into messages and exit codes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <type_traits>

#include "app/commands.h"
#include "app/help.h"
#include "app/terminal.h"
#include "core/file.h"
#include "report/words.h"

namespace {

using namespace normbench;

void print_issues(std::span<const BadInput> files) {
  write_mistakes(files);
  std::size_t count = 0;
  for (const BadInput& bad : files) count += bad.issues.size();
  if (count > 1) tell("{} mistakes; nothing was run\n", count);
}

/// Puts the program's folder first in PATH if it is that of a virtual environment of Python, which
/// need not be activated then: "python3" in the command of a peer is that of the environment.
void take_environment() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path here = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  if (!fs::exists(here.parent_path() / "pyvenv.cfg", unknown)) return;
  const char* const before = std::getenv("PATH");
  const std::string rest = before == nullptr ? "/bin:/usr/bin" : before;
  setenv("PATH", (here.string() + ":" + rest).c_str(), 1);
}

/// Runs an action and returns its exit code. If the action throws, this reports the error and
/// returns the exit code for it.
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

/// Returns the subcommands that have this option, like "run and check"; "" if none has.
std::string owners_of(const std::string& option) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    const std::vector<Option> options = command.make().options;
    const auto same = std::ranges::find(options, option, &Option::name);
    if (!command.about.empty() && same != options.end() && !same->help.empty())
      names.emplace_back(command.name);
  }
  return enumerate(names);
}

/// Returns a message about a word that is no option of `known`. If another subcommand has this
/// option, the message names that subcommand. Otherwise it suggests the option of `known` with the
/// most similar name.
std::string unknown_option(const std::string& word, const std::vector<std::string>& known) {
  const std::string name = word.substr(0, word.find('='));
  if (const std::string owners = owners_of(name); !owners.empty())
    return fmt::format("unknown option \"{}\" (only of {})", name, owners);
  const std::string near = nearest(name, known);
  return fmt::format("unknown option \"{}\"{}", name,
                     near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near));
}

/// Returns a message about an option that is given before the subcommand.
std::string early_option(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (const Command& command : commands()) {
    const std::vector<Option> options = command.make().options;
    if (std::ranges::find(options, name, &Option::name) != options.end())
      return fmt::format("\"{0}\" follows a subcommand (normbench {1} {0} …)", name, command.name);
  }
  return unknown_option(name, {"--help", "--version", "-V"});
}

/// A subcommand as declared to CLI11, with its options and the function that runs it.
struct Declared {
  const Command* command;
  CLI::App* app;
  Subcommand made;
};

/// Returns messages about words that the subcommand does not accept.
std::vector<std::string> strays_of(const Declared& sub) {
  std::vector<std::string> options{"--help"}, places, wrong;
  for (const Option& row : sub.made.options)
    if (!row.help.empty()) (is_option(row.name) ? options : places).push_back(row.name);
  std::vector<std::string> strays = sub.app->remaining();
  std::erase(strays, "--");
  for (const std::string& word : strays)
    if (is_option(word)) wrong.push_back(unknown_option(word, options));
  if (!wrong.empty()) return wrong;  // other strays may be values of the unknown options
  for (const std::string& word : strays)
    wrong.push_back(
        fmt::format("unexpected \"{}\" ({} takes {})", word, sub.command->name,
                    places.empty() ? "options only" : fmt::format("{}", fmt::join(places, " "))));
  return wrong;
}

/// Returns a message about words before the subcommand, or "".
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

bool is_flag(const Option& row) { return std::holds_alternative<bool*>(row.target); }
bool is_list(const Option& row) {
  return std::holds_alternative<std::vector<std::string>*>(row.target);
}
bool is_pair(const Option& row) { return (row.rules & Option::Pair) != 0; }

std::vector<std::string> given_to(const Option& row, const CLI::App& app) {
  return app.get_option(row.name)->results();
}

/// Returns the name of the option that lacks a value. Called only if CLI11 has reported that a
/// value is missing. `last` is the last word of the command line.
std::string cut_off_name(const Declared& sub, const std::string& last) {
  for (const Option& row : sub.made.options)
    if (is_pair(row) && given_to(row, *sub.app).size() % 2 == 1) return row.name;
  return last.substr(0, last.find('='));
}

/// Returns a message about an option or argument that lacks a value.
std::string too_few_values(const Option& row) {
  return is_pair(row) ? fmt::format("{}: expected two values, {}", row.name, row.value)
                      : row.name + ": no value is given";
}

/// Returns a message about wrong values given to an option or argument, or "".
std::string wrong_values(const Option& row, const CLI::App& app) {
  const std::vector<std::string> given = given_to(row, app);
  if (given.empty() && (row.rules & Option::Required) != 0) return row.name + " is required";
  if (is_flag(row))
    return std::ranges::all_of(given, [](const std::string& value) { return value == "true"; })
               ? ""
               : row.name + ": takes no value";
  const std::size_t most = is_pair(row) ? 2 : is_list(row) ? SIZE_MAX : 1;
  if (given.size() > most) return row.name + ": given more than once";
  const bool has_empty = std::ranges::find(given, "") != given.end();
  if (has_empty && !std::holds_alternative<Take>(row.target))
    return row.name + ": empty (expected a value)";
  if (!row.excludes.empty() && !given.empty() && app.count(row.excludes) > 0)
    return fmt::format("{} excludes {}", row.excludes, row.name);
  return "";
}

/// Returns all mistakes in the words given to a subcommand. `cut_off` is the name of the option
/// that lacks a value, or "".
std::vector<std::string> mistakes_of(const Declared& sub, const std::string& cut_off) {
  if (const auto strays = strays_of(sub); !strays.empty()) return strays;
  std::vector<std::string> mistakes;
  for (const Option& row : sub.made.options) {
    const std::string wrong =
        row.name == cut_off ? too_few_values(row) : wrong_values(row, *sub.app);
    if (!wrong.empty()) mistakes.push_back(wrong);
  }
  return mistakes;
}

Declared declare(CLI::App& app, const Command& command) {
  Declared sub{&command, app.add_subcommand(std::string(command.name)), command.make()};
  for (const Option& row : sub.made.options) {
    if (is_flag(row)) {
      sub.app->add_flag(row.name);
      continue;
    }
    CLI::Option* const option = sub.app->add_option(row.name)->take_all();
    option->required((row.rules & Option::Required) != 0);
    if (is_pair(row))
      option->type_size(2);
    else if (is_list(row))
      option->expected(1, -1)->allow_extra_args((row.rules & Option::Several) != 0);
  }
  return sub;
}

/// Stores the values given to an option or argument in its target. There must be at least one
/// value. Throws Invalid.
void put(const Option& row, const std::vector<std::string>& given) {
  const auto put_in = [&]<class T>(const T& target) {
    if constexpr (std::is_same_v<T, bool*>)
      *target = true;
    else if constexpr (std::is_same_v<T, int*>)
      whole(*target, 0, INT_MAX)(row.name, given.front());
    else if constexpr (std::is_same_v<T, Take>)
      target(row.name, given.front());
    else if constexpr (std::is_same_v<T, std::string*>)
      *target = given.front();
    else
      *target = given;
  };
  std::visit(put_in, row.target);
}

/// Stores all values in their targets. Returns messages about values that a target refuses.
std::vector<std::string> put_all(const Declared& sub) {
  std::vector<std::string> wrong;
  for (const Option& row : sub.made.options) {
    const std::vector<std::string> given = given_to(row, *sub.app);
    if (given.empty()) continue;
    try {
      put(row, given);
    } catch (const Invalid& mistake) {
      wrong.emplace_back(mistake.what());
    }
    if (sub.made.given != nullptr) (*sub.made.given)[row.name] = given;
  }
  return wrong;
}

const Declared* chosen(const CLI::App& app, const std::vector<Declared>& declared) {
  const auto subs = app.get_subcommands();
  return subs.empty() ? nullptr : &*std::ranges::find(declared, subs.front(), &Declared::app);
}

Exit tell_mistakes(const std::vector<std::string>& mistakes, const Declared* sub) {
  for (const std::string& mistake : mistakes)
    tell("normbench: {}; see normbench {}--help\n", mistake,
         sub == nullptr ? "" : fmt::format("{} ", sub->command->name));
  return Exit::BadInput;
}

Exit parse_and_run(int argc, char** argv) {
  CLI::App app{"", "normbench"};
  app.set_version_flag("-V,--version", version_text(), "Show the version");
  app.require_subcommand(1);
  std::vector<Declared> declared;
  for (const Command& command : commands()) declared.push_back(declare(app, command));
  bool is_cut_off = false;
  std::vector<std::string> refused;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const Declared* const sub = chosen(app, declared);
    show(sub == nullptr ? help_text() : help_text(*sub->command));
    return Exit::Fine;
  } catch (const CLI::CallForVersion&) {
    show(version_text() + "\n");
    return Exit::Fine;
  } catch (const CLI::ParseError& error) {
    is_cut_off = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
    refused = {error.what()};
  }
  const Declared* const sub = chosen(app, declared);
  if (const std::string before = stray_before(app); !before.empty())
    return tell_mistakes({before}, sub);
  const auto mistakes = mistakes_of(*sub, is_cut_off ? cut_off_name(*sub, argv[argc - 1]) : "");
  const std::vector<std::string> wrong = put_all(*sub);
  if (mistakes.empty() && refused.empty() && wrong.empty()) return sub->made.run();
  tell_mistakes(mistakes.empty() && wrong.empty() ? refused : mistakes, sub);
  for (const std::string& mistake : wrong) tell("normbench: {}\n", mistake);
  return Exit::BadInput;
}

}  // namespace

int main(int argc, char** argv) {
  // Freed memory stays in the process for reuse. Without this setting, getting new pages took a
  // third of the time for checking outputs.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  // Keeps hwloc from writing warnings about unusual topologies to stderr. Must be set before any
  // thread starts.
  setenv("HWLOC_HIDE_ERRORS", "2", 0);
  take_environment();
  take_closed_streams();
  std::signal(SIGCHLD, SIG_DFL);  // if ignored, exit statuses of children would be lost
  std::signal(SIGPIPE, SIG_IGN);  // a closed stdout must not end a run
  std::signal(SIGXFSZ, SIG_IGN);  // writing past the file size limit is an error, not a signal
  return static_cast<int>(guarded([&] { return parse_and_run(argc, argv); }));
}
