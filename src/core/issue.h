/// Mistakes in what the user gave: all of them at once, each with its place.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// One mistake: where (a JSON pointer; "": the whole file), what, and what would be right.
struct Issue {
  std::string pointer;
  std::string text;
  bool operator==(const Issue&) const = default;
};

/// What a leaf throws when its input is wrong; it says what, the caller knows where.
struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Bad input as a whole: the app prints every issue as `FILE:POINTER: text` and exits 2.
struct BadInput : std::runtime_error {
  BadInput(std::string file, std::vector<Issue> issues);

  std::string file;
  std::vector<Issue> issues;
};

/// The names of a list: `a, b`, or `"a b", "c"` where a name is more than a word.
std::string listed(const std::vector<std::string>& names);

/// The message `unknown WHAT "said" (known: a, b)`.
std::string unknown_of(std::string_view what, std::string_view said,
                       const std::vector<std::string>& known);
/// `unknown WHAT "said"`, with "did you mean" where a known word is near, else with all of them.
std::string unknown(std::string_view what, const std::string& said,
                    const std::vector<std::string>& known);

/// `text` as one word of a shell: in quotes where it needs them.
std::string shell_word(const std::string& text);

/// The word of `known` nearest to `word` by edit distance, or "" when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace normbench
