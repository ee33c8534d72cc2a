#include "app/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "app/terminal.h"
#include "core/text.h"

namespace normbench {
namespace {

constexpr std::size_t options_start = 30, sections_start = 24;  // columns at which meanings begin

/// Returns the line or lines of an option. A long label gets a line of its own.
std::string option_line(std::string label, std::string_view text, std::size_t width) {
  const std::size_t room = std::max(width, options_start + 24);
  if (label.size() + 2 < options_start) return labelled(label, text, options_start, room);
  return fmt::format("  {}\n{}", label, labelled("", text, options_start, room));
}

std::string label_of(const Option& row) {
  std::string label = row.name;
  if (!row.value.empty()) label += " " + row.value;
  const bool is_list = std::holds_alternative<std::vector<std::string>*>(row.target);
  if (is_list && (row.rules & Option::Pair) == 0) label += " ...";
  if ((row.rules & Option::Required) != 0) label += " REQUIRED";
  return label;
}

/// Returns the meaning of an option. Adds the name of the option that must not be given together
/// with it, if there is one.
std::string meaning_of(const Option& row, const std::vector<Option>& rows) {
  std::string other = row.excludes;
  for (const Option& one : rows)
    if (!one.excludes.empty() && one.excludes == row.name) other = one.name;
  return other.empty() ? row.help : fmt::format("{}; not with {}", row.help, other);
}

std::string usage_of(const Command& command, const std::vector<Option>& rows) {
  std::string usage = fmt::format("Usage: normbench {} [OPTIONS]", command.name);
  for (const Option& row : rows) {
    if (is_option(row.name) || row.help.empty()) continue;
    const std::string place = row.name + ((row.rules & Option::Several) != 0 ? "..." : "");
    usage += (row.rules & Option::Required) != 0 ? " " + place : " [" + place + "]";
  }
  return usage + "\n";
}

/// Returns the lines of all options, or of all positional arguments; "" if there are none.
std::string rows_text(const std::vector<Option>& rows, bool options, std::size_t width) {
  std::string text;
  for (const Option& row : rows)
    if (is_option(row.name) == options && !row.help.empty())
      text += option_line(label_of(row), meaning_of(row, rows), width);
  return text;
}

constexpr std::string_view help_label = "-h,--help";
constexpr std::string_view help_meaning = "Print this help message and exit";

std::string exit_text(std::size_t width) {
  std::string codes;
  for (const auto& [code, meaning] : exit_meanings())
    codes += fmt::format("{}{} {}", codes.empty() ? "" : ", ", static_cast<int>(code), meaning);
  return wrapped(fmt::format("Exit codes: {}.", codes), 0, width);
}

}  // namespace

std::string help_text() {
  const std::size_t width = prose_width(stdout_screen());
  std::string text = wrapped(purpose(), 0, width);
  text += "\nUsage: normbench [OPTIONS] SUBCOMMAND\n\nOptions:\n";
  text += option_line(std::string(help_label), help_meaning, width);
  text += option_line("-V,--version", "Show the version", width);
  text += "\nSubcommands:\n";
  for (const Command& command : commands())
    if (!command.about.empty())
      text += option_line(std::string(command.name), command.about, width);
  return text + "\n" + exit_text(width) +
         "\nExamples:\n  normbench init --images photos\n  normbench run --config "
         "configs/quickstart.json\n";
}

std::string help_text(const Command& command) {
  const std::size_t width = prose_width(stdout_screen());
  const Subcommand made = command.make();
  std::string text = wrapped(command.about, 0, width) + usage_of(command, made.options);
  if (const std::string places = rows_text(made.options, false, width); !places.empty())
    text += "\nPositionals:\n" + places;
  text += "\nOptions:\n" + option_line(std::string(help_label), help_meaning, width) +
          rows_text(made.options, true, width);
  text += fmt::format("\nExample:\n  {}\n", command.example);
  if (!made.help.empty()) text += "\n" + wrapped(made.help, 0, width);
  for (const HelpSection& section : made.help_sections) {
    text += "\n" + section.title + ":\n";
    for (const HelpEntry& one : section.entries)
      text += labelled(one.label, one.text, sections_start, width);
  }
  return text;
}

Subcommand make_help() {
  const auto name = std::make_shared<std::string>();
  const auto run = [name] {
    if (name->empty()) {
      show(help_text());
      return Exit::Fine;
    }
    std::vector<std::string> known;
    for (const Command& command : commands()) {
      if (command.about.empty()) continue;
      known.emplace_back(command.name);
      if (command.name != *name) continue;
      show(help_text(command));
      return Exit::Fine;
    }
    throw Invalid(unknown("subcommand", *name, known));
  };
  return {.options = {{"COMMAND", "", "A subcommand (default: all of them)", name.get()}},
          .run = run};
}

}  // namespace normbench
