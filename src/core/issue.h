/// Mistakes in the user's input. Code that reads input collects them, so that all are reported at
/// once.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// One mistake. `pointer` is the JSON pointer of the wrong value ("": the whole file). `text`
/// explains what is wrong and what would be right.
struct Issue {
  std::string pointer;
  std::string text;
  bool operator==(const Issue&) const = default;
};

/// Thrown by code that finds a wrong value, but does not know where the value is in the input. The
/// caller adds the file or the JSON pointer to the message.
struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown with all issues of an input file. The app prints each as `FILE:POINTER: text` and exits
/// with code 2.
struct BadInput : std::runtime_error {
  BadInput(std::string file, std::vector<Issue> issues);

  std::string file;
  std::vector<Issue> issues;
};

/// Joins names: `a, b`; or `"a b", "c"` if a name has blanks or punctuation.
std::string listed(const std::vector<std::string>& names);

/// Returns the message `unknown WHAT "said" (known: a, b)`.
std::string unknown_of(std::string_view what, std::string_view said,
                       const std::vector<std::string>& known);
/// Like unknown_of(), but if nearest() finds a word for `said`, the message ends with that word in
/// place of the list: `(did you mean "a"?)`.
std::string unknown(std::string_view what, const std::string& said,
                    const std::vector<std::string>& known);

/// Returns `text` as one word of a shell, quoted if necessary.
std::string shell_word(const std::string& text);

/// Returns the word of `known` nearest to `word` by edit distance; "" if all of them are too
/// different.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace normbench
