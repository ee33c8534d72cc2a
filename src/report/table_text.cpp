#include "report/table_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench {
namespace {

bool is_continuation(char byte) { return (byte & 0xc0) == 0x80; }

std::vector<std::size_t> widths_of(std::span<const std::vector<std::string>> cells) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : cells) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], characters(row[c]));
  }
  return widths;
}

}  // namespace

std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

std::string first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  while (end < text.size() && (count > 0 || is_continuation(text[end])))
    count -= is_continuation(text[end++]) ? 0 : 1;
  return std::string(text.substr(0, end));
}

std::string shown_name(const std::string& name, std::size_t most) {
  constexpr std::size_t dots = 3;
  if (most <= dots || characters(name) < most - dots) return name;
  return first_characters(name, most - dots) + "...";
}

std::string time_text(std::int64_t ns) { return time_text_us(static_cast<double>(ns) / 1000); }

std::string time_text_us(double us) {
  if (us >= 1e6) return fmt::format("{:.3f}s", us / 1e6);
  if (us >= 1e3) return fmt::format("{:.3f}ms", us / 1e3);
  return fmt::format("{:.3f}us", us);
}

std::string aligned(std::span<const std::vector<std::string>> cells,
                    const std::set<std::size_t>& left) {
  const std::vector<std::size_t> widths = widths_of(cells);
  std::string text;
  for (const std::vector<std::string>& row : cells) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - characters(row[c]), ' ');
      line += (c > 0 ? "  " : "") + (left.contains(c) ? row[c] + blanks : blanks + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace normbench
