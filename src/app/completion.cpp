#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/commands.h"

namespace normbench {
namespace {

enum class Shell { Bash, Zsh, Fish };
constexpr auto words(Shell) {
  return std::to_array<Word<Shell>>(
      {{Shell::Bash, "bash"}, {Shell::Zsh, "zsh"}, {Shell::Fish, "fish"}});
}

/// The kind of value that an option or a positional argument takes.
enum class Follows { Nothing, Folder, File, Word, Other };

std::vector<std::string> words_of(const Option& row) {
  const auto* const take = std::get_if<Take>(&row.target);
  return take == nullptr ? std::vector<std::string>{} : take->words;
}

Follows follows(const Option& row) {
  if (std::holds_alternative<bool*>(row.target)) return Follows::Nothing;
  if (!words_of(row).empty()) return Follows::Word;
  const std::string& value = is_option(row.name) ? row.value : row.name;
  if (value == "DIR") return Follows::Folder;
  const bool is_file =
      std::ranges::any_of(std::array{"FILE", "DOC", "CONFIG", "TRACE", "BASE", "NEW"},
                          [&](std::string_view word) { return value.starts_with(word); });
  return is_file ? Follows::File : Follows::Other;
}

/// Returns the rows of a command that --help shows: its options, or its positional arguments if
/// `options` is false. The targets of these rows no longer exist and must not be used.
std::vector<Option> rows_of(const Command& command, bool options) {
  std::vector<Option> rows;
  for (Option& row : command.make().options)
    if (!row.help.empty() && is_option(row.name) == options) rows.push_back(std::move(row));
  return rows;
}

std::vector<Command> shown_commands() {
  std::vector<Command> shown;
  std::ranges::copy_if(commands(), std::back_inserter(shown),
                       [](const Command& command) { return !command.about.empty(); });
  return shown;
}

std::vector<std::string> names(const std::vector<Command>& list) {
  std::vector<std::string> all;
  for (const Command& command : list) all.emplace_back(command.name);
  return all;
}

/// Returns arguments for bash's compgen that complete the value of an option or positional
/// argument.
std::string bash_source(const Option& row) {
  switch (follows(row)) {
    case Follows::Folder:
      return "-d";
    case Follows::File:
      return "-f";
    case Follows::Word:
      return fmt::format("-W '{}'", fmt::join(words_of(row), " "));
    case Follows::Nothing:
    case Follows::Other:
      break;
  }
  return "-W ''";
}

std::string bash() {
  const std::vector<Command> shown = shown_commands();
  std::string values, options;
  for (const Command& command : shown) {
    std::vector<std::string> own{"--help"};
    for (const Option& row : rows_of(command, true)) {
      own.push_back(row.name);
      if (follows(row) != Follows::Nothing)
        values +=
            fmt::format("    '{} {}') what=({}) ;;\n", command.name, row.name, bash_source(row));
    }
    const std::vector<Option> places = rows_of(command, false);
    options +=
        fmt::format("    '{}') options='{}'; place=({}) ;;\n", command.name, fmt::join(own, " "),
                    places.empty() ? "-W ''" : bash_source(places.front()));
  }
  return fmt::format(R"(# source <(normbench completion bash)
_normbench() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}}
  local options='' place=(-W '') what=()
  if [ "$word" = = ]; then word=''; elif [ "$before" = = ]; then before=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$word")
    return
  fi
  case "$command $before" in
{}  esac
  case "$command" in
{}  esac
  if [ ${{#what[@]}} -eq 0 ]; then
    if [[ $word == -* ]]; then what=(-W "$options"); else what=("${{place[@]}}"); fi
  fi
  if [ "${{what[0]}}" != -W ]; then compopt -o filenames 2>/dev/null; fi
  mapfile -t COMPREPLY < <(compgen "${{what[@]}}" -- "$word")
}}
complete -F _normbench normbench
)",
                     fmt::join(names(shown), " "), values, options);
}

/// Returns the text escaped for use inside single quotes, in zsh and fish. A backslash is put
/// before each character that is in `also`.
std::string quoted(std::string_view text, std::string_view also) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += also.find(c) == also.npos ? std::string(1, c) : fmt::format("\\{}", c);
  }
  return result;
}

/// Returns the action for zsh's _arguments that completes the value of an option or positional
/// argument.
std::string zsh_action(const Option& row) {
  switch (follows(row)) {
    case Follows::Folder:
      return "_files -/";
    case Follows::File:
      return "_files";
    case Follows::Word:
      return fmt::format("({})", fmt::join(words_of(row), " "));
    case Follows::Nothing:
    case Follows::Other:
      break;
  }
  return " ";
}

std::string zsh_argument(const Option& row) {
  const bool again = std::holds_alternative<std::vector<std::string>*>(row.target);
  const std::string help = quoted(row.help, "[]:\\");
  const std::string name = quoted(row.value.empty() ? row.name : row.value, ":");
  if (!is_option(row.name))
    return fmt::format("'{}:{}:{}'", again ? "*" : "", name, zsh_action(row));
  const std::string value =
      follows(row) == Follows::Nothing ? "" : fmt::format(":{}:{}", name, zsh_action(row));
  return fmt::format("'{}{}[{}]{}'", again ? "*" : "", row.name, help, value);
}

std::string zsh() {
  std::string list, cases;
  for (const Command& command : shown_commands()) {
    list += fmt::format("    '{}:{}'\n", command.name, quoted(command.about, ":"));
    cases += fmt::format("    {}) _arguments \\\n", command.name);
    for (const bool options : {true, false})
      for (const Option& row : rows_of(command, options))
        cases += fmt::format("      {} \\\n", zsh_argument(row));
    cases += "      '--help[Show the options]' ;;\n";
  }
  return fmt::format(R"(#compdef normbench
# normbench completion zsh > "${{fpath[1]}}/_normbench"
_normbench() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = _normbench ]; then _normbench "$@"; else compdef _normbench normbench; fi
)",
                     list, cases);
}

/// Returns options for fish's `complete` that complete the value of an option or positional
/// argument.
std::string fish_value(const Option& row) {
  switch (follows(row)) {
    case Follows::Nothing:
      return "";
    case Follows::Folder:
      return " -x -a '(__fish_complete_directories)'";
    case Follows::File:
      return " -r -F";
    case Follows::Word:
      return fmt::format(" -x -a '{}'", fmt::join(words_of(row), " "));
    case Follows::Other:
      break;
  }
  return " -x";
}

std::string fish() {
  const std::vector<Command> shown = shown_commands();
  std::string text = fmt::format(
      "# normbench completion fish > ~/.config/fish/completions/normbench.fish\n"
      "complete -c normbench -f\n"
      "set -l commands {}\n",
      fmt::join(names(shown), " "));
  for (const Command& command : shown) {
    text += fmt::format(
        "complete -c normbench -n \"not __fish_seen_subcommand_from $commands\" -a {} -d '{}'\n",
        command.name, quoted(command.about, ""));
    const std::string here =
        fmt::format("complete -c normbench -n '__fish_seen_subcommand_from {}'", command.name);
    for (const Option& row : rows_of(command, true))
      text += fmt::format("{} -l {}{} -d '{}'\n", here, row.name.substr(2), fish_value(row),
                          quoted(row.help, ""));
    for (const Option& row : rows_of(command, false)) text += here + fish_value(row) + "\n";
  }
  return text;
}

std::string completion(Shell shell) {
  switch (shell) {
    case Shell::Bash:
      return bash();
    case Shell::Zsh:
      return zsh();
    case Shell::Fish:
      return fish();
  }
  return "";
}

}  // namespace

Subcommand make_completion() {
  const auto shell = std::make_shared<std::optional<Shell>>();
  return {
      .options = {{"SHELL", "", "bash, zsh or fish", word_of<Shell>(*shell), "", Option::Required}},
      .run = [shell] {
        write_result(completion(shell->value()));
        return Exit::Fine;
      }};
}

}  // namespace normbench
