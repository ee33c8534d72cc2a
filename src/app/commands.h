/// Subcommands and their options, as data. main.cpp declares them to CLI11. No other file uses
/// CLI11.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/process.h"
#include "core/enums.h"
#include "core/issue.h"
#include "core/json.h"

namespace normbench {

/// A function that reads the value `given` to the option `name`. It throws Invalid with a message
/// that says what is expected.
struct Take {
  std::function<void(const std::string& name, const std::string& given)> call;
  // Possible values, for completion in shells; empty: any value.
  std::vector<std::string> words = {};

  void operator()(const std::string& name, const std::string& given) const { call(name, given); }
};

/// Returns a Take that calls `take` and adds its mistakes to `mistakes` instead of throwing them.
/// `mistakes` must outlive the returned Take.
Take noted(Take take, std::vector<std::string>& mistakes);

/// An option or a positional argument of a subcommand.
struct Option {
  enum Rule : unsigned {
    Required = 1,
    Several = 2,  // a list: many values may follow one name
    // The option is not passed to the process that continues `run` after a hang.
    Once = 4,
    Newer = 8,  // journals of older versions may lack it
    Pair = 16   // a list of exactly two values after one name
  };

  std::string name;   // like "--out", or "FILE" for a positional argument
  std::string value;  // stands for the value in --help; "" for a flag or a positional argument
  std::string help;   // "": --help does not show the option
  /// Where the value is stored. An int must be at least 0.
  std::variant<bool*, int*, std::string*, std::vector<std::string>*, Take> target;
  /// JSON pointer to the value in the header of a run's journal. A run can be resumed only with the
  /// same value. "" for an option that does not change results.
  std::string_view journal = {};
  unsigned rules = 0;
  // Name of an option in an earlier row that must not be given with this one.
  std::string excludes = {};
};

/// Returns the value of the option's target; null for a Take.
Json value_of(const Option& option);
/// Sets the option's target, unless it is a Take. Throws Json::exception for a value of the wrong
/// type.
void set_value(const Option& option, const Json& value);

/// Read the value `given` to the option `name` as a number. Throw Invalid if it is not a number,
/// below `least` or above `most`.
std::int64_t read_whole(const std::string& name, const std::string& given, std::int64_t least,
                        std::int64_t most = std::numeric_limits<std::int64_t>::max());
double read_number(const std::string& name, const std::string& given, double least,
                   double most = std::numeric_limits<double>::infinity());

/// Returns a Take that reads a whole number into `target`. T is a number type or a std::optional of
/// one.
template <class T>
Take whole(T& target, std::int64_t least,
           std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  return {[&target, least, most](const std::string& name, const std::string& given) {
    target = static_cast<T>(read_whole(name, given, least, most));
  }};
}

/// Returns a Take that reads a word of the enum E into `target`, an E or an optional E.
template <class E, class T>
Take word_of(T& target) {
  const auto take = [&target](const std::string& name, const std::string& given) {
    const auto value = parse_word<E>(given);
    if (!value)
      throw Invalid(unknown_of(name.substr(name.find_first_not_of('-')), given, all_words<E>()));
    target = *value;
  };
  return {.call = take, .words = all_words<E>()};
}

enum class TextOrJson { Text, Json };
constexpr auto words(TextOrJson) {
  return std::to_array<Word<TextOrJson>>({{TextOrJson::Text, "text"}, {TextOrJson::Json, "json"}});
}

/// The values given to each option, by its name.
using Given = std::map<std::string, std::vector<std::string>>;

/// An entry in a section of the help: a label and its meaning.
struct HelpEntry {
  std::string label, text;
};
struct HelpSection {
  std::string title;
  std::vector<HelpEntry> entries;
};

/// Everything that main.cpp needs to know about a subcommand.
struct Subcommand {
  std::vector<Option> options;  // the targets live as long as `run`
  std::function<Exit()> run;
  std::string help = {};  // shown below the example
  std::vector<HelpSection> help_sections = {};
  Given* given = nullptr;  // filled before `run` is called; null: not needed
};

Subcommand make_run();
Subcommand make_check();
Subcommand make_init();
Subcommand make_try();
Subcommand make_compare();
Subcommand make_report();
Subcommand make_reproduce();
Subcommand make_prepare();
Subcommand make_table();
Subcommand make_info();
Subcommand make_list();
Subcommand make_selftest();
Subcommand make_calibrate();
Subcommand make_schema();
Subcommand make_help();
Subcommand make_completion();
Subcommand make_man();
Subcommand make_peer();
Subcommand make_part();

/// Returns a text like "normbench 0.1.0 (34e4670, Release)".
std::string version_text();

struct Command {
  std::string_view name, about, example;  // `about` is "" if --help does not show the subcommand
  Subcommand (*make)();
};

/// An exit code and its meaning.
struct ExitMeaning {
  Exit code;
  std::string_view meaning;
};
std::span<const ExitMeaning> exit_meanings();

/// Returns the purpose of the tool in one line.
std::string_view purpose();

/// Returns true for an option like "--out", and false for a positional argument.
bool is_option(std::string_view word);

/// Returns all subcommands in the order of --help.
std::span<const Command> commands();

}  // namespace normbench
