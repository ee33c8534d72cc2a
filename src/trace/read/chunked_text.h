/// The text of a stream in large pieces, for parsers that take it byte by byte.
#pragma once

#include <array>
#include <cstddef>
#include <istream>
#include <iterator>
#include <string>
#include <string_view>

namespace normbench {

/// Keeps one chunk, so that memory does not grow with the text.
class ChunkedText {
 public:
  explicit ChunkedText(std::istream& in) : in_(in) {}
  ChunkedText(const ChunkedText&) = delete;
  ChunkedText& operator=(const ChunkedText&) = delete;

  /// Reads the text once, to its end, with blanks for control characters: PyTorch leaves line
  /// breaks in names, which JSON forbids. Throws Invalid when the stream turns bad before the end.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    Iterator() = default;  // the end
    explicit Iterator(ChunkedText& text) : text_(&text) {}

    char operator*() const {
      const char next = *text_->next_;
      return next > 0 && next < ' ' ? ' ' : next;
    }
    Iterator& operator++() {
      ++text_->next_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++text_->next_;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_end() == other.at_end(); }

   private:
    bool at_end() const { return text_ == nullptr || !text_->has_next(); }

    ChunkedText* text_ = nullptr;
  };
  Iterator begin() { return Iterator(*this); }
  static Iterator end() { return {}; }

  /// The line of the last byte taken, from 1.
  std::size_t line();
  /// "line 12, column 3" of it, in bytes.
  std::string place();

  /// The letters and digits that come next, as far as they are read already.
  std::string_view next_word() const;

 private:
  static constexpr std::size_t chunk_bytes = 1 << 18;

  bool has_next() { return next_ != end_ || read_on(); }
  bool read_on();
  void count_lines();

  std::istream& in_;
  std::array<char, chunk_bytes> chunk_;
  const char* next_ = chunk_.data();
  const char* end_ = chunk_.data();
  const char* counted_ = chunk_.data();  // lines up to here are in `line_`
  std::size_t line_ = 1;
  std::size_t column_ = 0;  // bytes of the line before `counted_`
};

/// What is wrong with a text that is not JSON, in plain words: `message` is the parser's, `word`
/// ends with the wrong token.
std::string json_mistake(const std::string& message, const std::string& word);

/// True when more text could have made it right.
bool ends_early(const std::string& message);

}  // namespace normbench
