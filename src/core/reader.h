/// JSON objects as typed fields; every mistake becomes an issue at its pointer.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enums.h"
#include "core/json.h"
#include "core/tensor.h"

namespace normbench {

/// A view of a JSON object (or of nothing, when the value was no object) and of where it stands.
/// Getters return the default for absent keys and for mistakes, which they report. `finish` reports
/// keys that no getter asked for, with the nearest known one. A single value is a list of one.
///
/// A reader can also describe instead of reading. Then every getter adds to a JSON Schema what it
/// would take, and all values are the defaults. `has` is always true, so that keys which only some
/// objects have are asked for too.
class Reader {
 public:
  Reader(const Json& value, std::string pointer, std::vector<Issue>& issues);
  /// A reader that describes. `schema` becomes the object's schema. Issues of the object, which is
  /// not there, go to `unused`.
  static Reader describing(Json& schema, std::vector<Issue>& unused);

  bool has(std::string_view key);
  /// Has the key. Where it is not there, adds the issue 'no "key" (why)'.
  bool require(std::string_view key, std::string_view why);
  std::int64_t integer(std::string_view key, std::int64_t fallback,
                       std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t high = std::numeric_limits<std::int64_t>::max());
  double number(std::string_view key, double fallback,
                double low = -std::numeric_limits<double>::max(),
                double high = std::numeric_limits<double>::max());
  bool boolean(std::string_view key, bool fallback);
  std::string text(std::string_view key, std::string fallback);
  std::vector<double> numbers(std::string_view key, std::vector<double> fallback);
  std::vector<std::int64_t> integers(std::string_view key, std::vector<std::int64_t> fallback,
                                     std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                                     std::int64_t high = std::numeric_limits<std::int64_t>::max());
  std::vector<std::string> texts(std::string_view key, std::vector<std::string> fallback);

  /// A word of the enumeration's table.
  template <class E>
  E word(std::string_view key, E fallback) {
    const std::optional<std::string> said =
        text_of(key, all_words<E>(), std::string(name_of(fallback)));
    if (!said) return fallback;
    if (const auto value = parse_word<E>(*said)) return *value;
    unknown_word(key, *said, all_words<E>());
    return fallback;
  }

  /// The member itself (null when absent), for callers that read it on their own.
  const Json& member(std::string_view key);
  /// A reader of a member object (empty when absent).
  Reader object(std::string_view key);
  /// A reader that describes each member of a member object, whatever its key.
  Reader members(std::string_view key);
  /// A reader of element `index` of the list `key`.
  Reader element(std::string_view key, std::size_t index);
  /// Calls `read(reader)` for each object in the list `key`, and finishes the reader. A reader that
  /// describes calls it once.
  template <class Read>
  void each_object(std::string_view key, Read read) {
    for (std::size_t i = 0; i < list_size(key); ++i) {
      Reader one = element(key, i);
      if (is_object_at(key, i)) read(one);
      one.finish();
    }
  }

  /// True for a reader that describes.
  bool describes() const { return schema_ != nullptr; }
  /// In a reader that describes: the member may be what this JSON Schema says, whatever getters are
  /// asked for it.
  void takes(std::string_view key, Json schema);

  /// Adds an issue at this object, or at its member `key`.
  void complain(std::string text);
  void complain_at(std::string_view key, std::string text);
  void unknown_word(std::string_view key, const std::string& said,
                    const std::vector<std::string>& known);

  /// Reports the keys that were never asked for.
  void finish();

  std::string pointer_to(std::string_view key) const;
  std::vector<Issue>& issues() { return issues_; }

 private:
  const Json* find(std::string_view key);
  /// The length of the list `key`; another value is an issue. 1 in a reader that describes.
  std::size_t list_size(std::string_view key);
  bool is_object_at(std::string_view key, std::size_t index);
  /// The member's text, which is to be one of `words`; nothing where the key is absent or no text.
  std::optional<std::string> text_of(std::string_view key, const std::vector<std::string>& words,
                                     std::string fallback);
  void describe(std::string_view key, Json schema, const Json& fallback);
  Json& described(std::string_view key);
  std::string described_as(std::string_view key, Json schema);
  Reader(std::vector<Issue>& unused, Json& whole, std::string pointer);

  const Json& value_;
  std::string pointer_;  // in a reader that describes: of the object's schema in `schema_`
  std::vector<Issue>& issues_;
  std::vector<std::string> asked_;  // in a reader that describes: keys that takes() has described
  Json* schema_ = nullptr;          // the whole schema that is described; null: this reads
};

/// A tensor as {"dtype", "shape": [n, c, h, w], "layout", "memory"}, without strides.
Json tensor_json(const TensorDesc& desc);

/// Reads such an object into a dense tensor; defaults are uint8, nchw, pageable, shape 0.
TensorDesc read_tensor(Reader& reader);

}  // namespace normbench
