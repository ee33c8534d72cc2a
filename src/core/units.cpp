#include "core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/characters.h"

namespace normbench {
namespace {

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

std::string format_bytes(double bytes) {
  constexpr std::array<std::string_view, 6> units{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  // From 999.5 on, the number would be rounded to 1000.
  while (std::abs(bytes) >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return (unit == 0 ? fmt::format("{:.0f}", bytes) : format_significant(bytes, 3)) + " " +
         std::string(units[unit]);
}

std::string format_binary_bytes(std::int64_t bytes) {
  const bool mebi = bytes >= 1 << 20;
  return fmt::format("{:.4g} {}", static_cast<double>(bytes) / (mebi ? 1 << 20 : 1 << 10),
                     mebi ? "MiB" : "KiB");
}

std::string format_count(std::int64_t value) {
  std::string text = std::to_string(value);
  const std::ptrdiff_t digits_from = value < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > digits_from; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string format_ms(double ns) {
  const double ms = ns / 1e6;
  if (std::abs(ms) >= 99.95) return fmt::format("{:.1f}", ms);
  return format_significant(ms, 3);
}

std::string format_significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  // Rounding can raise the exponent, so the exponent is read from the rounded number: 9.996 with
  // three digits is 10.0, not 10.00.
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

std::string format_rate(double per_second) {
  constexpr int digits = 2;
  if (!std::isfinite(per_second)) return fmt::format("{}", per_second);
  const double rounded = std::stod(fmt::format("{:.{}e}", per_second, digits - 1));
  return std::abs(rounded) >= 10 ? format_count(std::llround(rounded))
                                 : format_significant(rounded, digits);
}

std::string format_percent(double fraction) {
  const double percent = fraction * 100;
  if (std::abs(percent) >= 9.95) return fmt::format("{:.0f} %", percent);
  if (percent != 0 && std::abs(percent) < 0.095) return format_significant(percent, 1) + " %";
  return fmt::format("{:.1f} %", percent);
}

std::string on_one_line(std::string_view text) {
  if (!has_control(text)) return std::string(text);
  std::string line;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    const std::string_view character = text.substr(0, bytes);
    if (code && !is_control(*code))
      line += character;
    else
      line += escaped(character);
    text.remove_prefix(bytes);
  }
  return line;
}

std::size_t next_character(std::string_view text, std::size_t byte) {
  while (byte < text.size() && is_inside_character(text[byte])) ++byte;
  return std::min(byte, text.size());
}

std::string cut_utf8(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && is_inside_character(text[most])) --most;
  return std::string(text.substr(0, most)) + "…";
}

std::string escaped_markdown(std::string_view text) {
  std::string safe;
  for (const char c : on_one_line(text)) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else if (std::string_view("\\`*_{}[]|~#>").find(c) != std::string_view::npos)
      safe += std::string("\\") + c;
    else
      safe += c;
  }
  return safe;
}

}  // namespace normbench
