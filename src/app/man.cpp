#include <fmt/format.h>

#include "app/commands.h"

namespace normbench {
namespace {

/// Returns `text` on one line, escaped so that roff prints it literally.
std::string roff(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '\n':
        result += ' ';
        break;
      default:
        result += c;
    }
  return result;
}

std::string option_entry(const Option& row) {
  const std::string value = row.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(row.value));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(row.name), value, roff(row.help));
}

std::string command_entry(const Command& command) {
  const Subcommand made = command.make();
  std::string text = fmt::format(".SS {}\n{}\n", roff(command.name), roff(command.about));
  for (const Option& row : made.options)
    if (!row.help.empty()) text += option_entry(row);
  if (!made.help.empty()) text += fmt::format(".PP\n{}\n", roff(made.help));
  for (const HelpSection& section : made.help_sections) {
    text += fmt::format(".PP\n{}:\n", roff(section.title));
    for (const auto& [label, meaning] : section.entries)
      text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(label), roff(meaning));
  }
  return text +
         fmt::format(".PP\nExample:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(command.example));
}

std::string manual() {
  std::string text = fmt::format(
      ".TH NORMBENCH 1 \"\" \"{}\" \"User Commands\"\n"
      ".SH NAME\nnormbench \\- measure where and how to cast, normalise and move images\n"
      ".SH SYNOPSIS\n.B normbench\n.I command\n.RI [ options ]\n"
      ".SH DESCRIPTION\n{}\n"
      "normbench runs the pipelines that a config describes against each other, checks every "
      "output,\n"
      "holds each to this machine\\(aqs own measured limit, and says what is faster, by how much, "
      "and\n"
      "why.\n.SH COMMANDS\n",
      roff(version_text()), roff(purpose()));
  for (const Command& command : commands())
    if (!command.about.empty()) text += command_entry(command);
  text += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_meanings())
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", static_cast<int>(code), roff(meaning));
  return text;
}

}  // namespace

Subcommand make_man() {
  return {.options = {}, .run = [] {
            write_result(manual());
            return Exit::Fine;
          }};
}

}  // namespace normbench
