#include "core/issue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "core/units.h"

namespace normbench {
namespace {

std::string joined(const std::string& file, const std::vector<Issue>& issues) {
  std::string text;
  for (const Issue& issue : issues) {
    if (!text.empty()) text += "\n";
    // Names in a config may hold control characters, which a terminal would obey. on_one_line()
    // escapes them.
    text +=
        on_one_line(file + ":" + issue.pointer + (issue.pointer.empty() ? " " : ": ") + issue.text);
  }
  return text;
}

/// Returns the smallest number of insertions, deletions, replacements and swaps of neighbours that
/// turn `a` into `b`.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

}  // namespace

BadInput::BadInput(std::string file_name, std::vector<Issue> all)
    : std::runtime_error(joined(file_name, all)),
      file(std::move(file_name)),
      issues(std::move(all)) {}

std::string listed(const std::vector<std::string>& names) {
  const auto is_word = [](const std::string& name) {
    return !name.empty() && std::ranges::none_of(name, [](unsigned char c) {
      return std::isspace(c) || c == ',' || c == ':' || c == ';';
    });
  };
  if (std::ranges::all_of(names, is_word)) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

std::string unknown_of(std::string_view what, std::string_view said,
                       const std::vector<std::string>& known) {
  return known.empty() ? fmt::format("unknown {} \"{}\" (there are none)", what, said)
                       : fmt::format("unknown {} \"{}\" (known: {})", what, said, listed(known));
}

std::string unknown(std::string_view what, const std::string& said,
                    const std::vector<std::string>& known) {
  const std::string near = nearest(said, known);
  return near.empty() ? unknown_of(what, said, known)
                      : fmt::format("unknown {} \"{}\" (did you mean \"{}\"?)", what, said, near);
}

std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) || c > 127 ||
           std::string_view("_-./:,=+@%").find(c) != std::string::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  // "gpu" means "cuda". Its edit distance to "cpu" is smaller than to "cuda", so the code below
  // would return "cpu".
  if (word == "gpu" && std::ranges::find(known, "cuda") != known.end()) return "cuda";
  // The largest allowed distance is below the length of the word, so that a near word shares at
  // least one letter with `word`.
  const std::size_t limit =
      std::min(std::max<std::size_t>(2, word.size() / 3), word.empty() ? 0 : word.size() - 1);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : known) {
    const auto longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) > limit) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace normbench
