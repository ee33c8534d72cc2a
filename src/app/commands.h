/// Subcommands and their options as rows. main.cpp, the only file that sees CLI11, reads them.
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

/// Takes the value that was given to the option `name`. Throws Invalid saying what would be right.
struct Take {
  std::function<void(const std::string& name, const std::string& given)> call;
  std::vector<std::string> words = {};  // for completion; empty: other values are possible

  void operator()(const std::string& name, const std::string& given) const { call(name, given); }
};

/// A Take that adds its mistakes to `mistakes`, a list that must outlive it.
Take noted(Take take, std::vector<std::string>& mistakes);

/// One option. For `run` its row also says if a resumed run needs the same value, and if the
/// process that continues after a hang gets it again.
struct Option {
  enum Rule : unsigned {
    Required = 1,
    Several = 2,  // a list: many values may follow one name
    Once = 4,     // not given again after a hang
    Newer = 8,    // journals of older versions do not have it
    Pair = 16     // a list of two values that follow its name together
  };

  std::string name;   // "--out"; "FILE": a place on the command line
  std::string value;  // the value's name in --help; "" for a flag, and for "FILE"
  std::string help;   // "": not shown
  /// Where the value goes. A whole number must be at least 0.
  std::variant<bool*, int*, std::string*, std::vector<std::string>*, Take> target;
  /// Where the journal's header keeps it (a JSON pointer), for --resume; "": it affects no number.
  std::string_view journal = {};
  unsigned rules = 0;
  std::string excludes = {};  // an option before it
};

/// The value of a target, which must not be a Take.
Json value_of(const Option& option);
/// Sets the target. Throws Json::exception for a value of another type.
void set_value(const Option& option, const Json& value);

/// The whole number, or number, in `given`. Both throw Invalid outside of these bounds.
std::int64_t read_whole(const std::string& name, const std::string& given, std::int64_t least,
                        std::int64_t most = std::numeric_limits<std::int64_t>::max());
double read_number(const std::string& name, const std::string& given, double least,
                   double most = std::numeric_limits<double>::infinity());

/// A Take that reads a whole number into any type of number, or an optional one.
template <class T>
Take whole(T& target, std::int64_t least,
           std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  return {[&target, least, most](const std::string& name, const std::string& given) {
    target = static_cast<T>(read_whole(name, given, least, most));
  }};
}

/// A Take that reads a word of E into an E, or an optional one.
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

/// An entry that help explains under a title: words and their meaning.
struct HelpEntry {
  std::string label, text;
};
struct HelpSection {
  std::string title;
  std::vector<HelpEntry> entries;
};

/// Everything that main.cpp needs of a subcommand.
struct Subcommand {
  std::vector<Option> options;  // `run` keeps their targets alive
  std::function<Exit()> run;
  std::string help = {};  // shown below its example
  std::vector<HelpSection> help_sections = {};
  Given* given = nullptr;         // filled before `run`
  std::string_view unnamed = {};  // the option whose value a stray word probably is
};

Subcommand make_run();
Subcommand make_check();
Subcommand make_init();
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
Subcommand make_completion();
Subcommand make_man();
Subcommand make_peer();
Subcommand make_part();

/// "normbench 0.1.0 (34e4670, Release)".
std::string version_text();

struct Command {
  std::string_view name, about, example;  // about "": not in --help
  Subcommand (*make)();
};

/// An exit code and its meaning.
struct ExitMeaning {
  Exit code;
  std::string_view meaning;
};
std::span<const ExitMeaning> exit_meanings();

/// The purpose of the tool, in a line.
std::string_view purpose();

/// True for "--out"; false for a place on the command line.
bool is_option(std::string_view word);

/// All subcommands, in the order of --help.
std::span<const Command> commands();

}  // namespace normbench
