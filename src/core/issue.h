/// Mistakes in the user's input. All of them are reported at once, each with its place.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// One mistake: a JSON pointer ("": the whole file), and a text that tells what is wrong and what
/// would be right.
struct Issue {
  std::string pointer;
  std::string text;
  bool operator==(const Issue&) const = default;
};

/// Thrown by code that finds wrong input. It tells what is wrong; the caller knows where.
struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown for bad input as a whole. The app prints every issue as `FILE:POINTER: text` and exits
/// with 2.
struct BadInput : std::runtime_error {
  BadInput(std::string file, std::vector<Issue> issues);

  std::string file;
  std::vector<Issue> issues;
};

/// Returns the names of a list: `a, b`, or `"a b", "c"` if a name is more than a word.
std::string listed(const std::vector<std::string>& names);

/// Returns the message `unknown WHAT "said" (known: a, b)`.
std::string unknown_of(std::string_view what, std::string_view said,
                       const std::vector<std::string>& known);
/// Returns the message `unknown WHAT "said"` with a nearby known word ("did you mean"), or with all
/// known words if none is near.
std::string unknown(std::string_view what, const std::string& said,
                    const std::vector<std::string>& known);

/// Returns `text` as one word of a shell, quoted if necessary.
std::string shell_word(const std::string& text);

/// Returns the word of `known` nearest to `word` by edit distance; "" if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace normbench
