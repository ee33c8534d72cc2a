#include "app/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace normbench {
namespace {

constexpr std::size_t kNarrowest = 40, kUsual = 80, kWidest = 160;

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Returns the number in the environment variable COLUMNS, or 0 if it has no number.
std::size_t said_columns() {
  const std::string_view said = variable("COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), columns);
  return error == std::errc() && end == said.data() + said.size() ? columns : 0;
}

/// Returns the number of columns that the terminal reports, or 0 if it reports none.
std::size_t real_columns(int stream) {
  winsize size{};
  return ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t layout_columns(int stream) {
  const std::size_t said = said_columns(), columns = said > 0 ? said : real_columns(stream);
  return std::clamp(columns == 0 ? kUsual : columns, kNarrowest, kWidest);
}

bool is_dumb() {
  const std::string_view terminal = variable("TERM");
  return terminal.empty() || terminal == "dumb";
}

struct Sign {
  std::string_view utf8, ascii;
};
constexpr auto kSigns =
    std::to_array<Sign>({{"·", "-"}, {"±", "~"}, {"…", "."}, {"–", "-"}, {"×", "x"}, {"→", ">"}});

}  // namespace

Screen stdout_screen() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  return {.width = layout_columns(STDOUT_FILENO),
          .colour = !is_dumb() && variable("NO_COLOR").empty()};
}

Screen screen_of(const std::string& out_file) {
  return out_file.empty() ? stdout_screen() : Screen{};
}

bool is_live() { return isatty(STDERR_FILENO) != 0 && !is_dumb(); }

std::size_t stderr_columns() {
  const std::size_t real = real_columns(STDERR_FILENO), columns = real > 0 ? real : said_columns();
  return columns == 0 ? kUsual : columns;
}

bool shows_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(variable(name));
    if (locale.empty()) continue;
    std::ranges::transform(locale, locale.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return true;
}

std::string in_ascii(std::string_view text) {
  std::string result(text);
  for (const auto& [utf8, ascii] : kSigns)
    for (std::size_t at = 0; (at = result.find(utf8, at)) != result.npos; at += ascii.size())
      result.replace(at, utf8.size(), ascii);
  return result;
}

}  // namespace normbench
