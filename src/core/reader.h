/// Reads JSON objects as typed fields. Every mistake becomes an Issue with the JSON pointer of the
/// wrong value.
#pragma once

#include <algorithm>
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

/// Reads one JSON object. For an absent key, getters return `fallback`. For a wrong value they add
/// an issue and return `fallback`. Getters of lists, such as integers(), accept a single value as a
/// list of one element. finish() reports keys that no getter asked for, each with the nearest known
/// key.
///
/// A reader can also describe: it then builds a JSON Schema instead of reading. Every getter adds
/// to the schema what it would accept, and returns `fallback`. has() returns true, so that callers
/// also call the getters of optional keys.
class Reader {
 public:
  Reader(const Json& value, std::string pointer, std::vector<Issue>& issues);
  /// Returns a reader that describes. It writes the schema of the object to `schema`. The issues
  /// that it adds to `unused` have no meaning.
  static Reader describing(Json& schema, std::vector<Issue>& unused);

  bool has(std::string_view key);
  /// Returns true if the object has the key. Otherwise adds the issue 'no "key" (why)' and returns
  /// false.
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

  /// Returns the enumerator that the member spells. For an unknown spelling, adds an issue and
  /// returns `fallback`.
  template <class E>
  E word(std::string_view key, E fallback) {
    const std::optional<std::string> said =
        text_of(key, all_words<E>(), std::string(name_of(fallback)));
    if (!said) return fallback;
    if (const auto value = parse_word<E>(*said)) return *value;
    unknown_word(key, *said, all_words<E>());
    return fallback;
  }

  /// Returns the enumerators that the list spells, each once. An unknown spelling adds an issue and
  /// is left out. If the list is absent, returns an empty vector.
  template <class E>
  std::vector<E> word_list(std::string_view key) {
    std::vector<E> values;
    for (const std::string& said : texts_of(key, all_words<E>())) {
      const auto value = parse_word<E>(said);
      if (!value)
        unknown_word(key, said, all_words<E>());
      else if (std::ranges::find(values, *value) == values.end())
        values.push_back(*value);
    }
    return values;
  }

  /// Returns the JSON value of the member, for callers that read it themselves; null if it is
  /// absent.
  const Json& member(std::string_view key);
  /// Returns a reader of the object `key`. An absent member counts as an empty object.
  Reader object(std::string_view key);
  /// Returns a reader that describes the members of the object `key`, which all have the same
  /// schema. Only for a reader that describes.
  Reader members(std::string_view key);
  /// Returns a reader of element `index` of the list `key`.
  Reader element(std::string_view key, std::size_t index);
  /// Calls `read(reader)` and then reader.finish() for each object in the list `key`. In a reader
  /// that describes, calls both functions once.
  template <class Read>
  void each_object(std::string_view key, Read read) {
    for (std::size_t i = 0; i < list_size(key); ++i) {
      Reader one = element(key, i);
      if (is_object_at(key, i)) read(one);
      one.finish();
    }
  }

  /// Returns true for a reader that describes.
  bool describes() const { return schema_ != nullptr; }
  /// In a reader that describes, sets the schema of the member `key`; getters for this key then do
  /// not change it. Other readers ignore the call.
  void takes(std::string_view key, Json schema);

  /// Adds an issue at this object, or at its member `key`.
  void complain(std::string text);
  void complain_at(std::string_view key, std::string text);
  std::vector<std::string> texts_of(std::string_view key, const std::vector<std::string>& words);
  void unknown_word(std::string_view key, const std::string& said,
                    const std::vector<std::string>& known);

  /// Reports the keys that no getter asked for.
  void finish();

  std::string pointer_to(std::string_view key) const;
  std::vector<Issue>& issues() { return issues_; }

 private:
  const Json* find(std::string_view key);
  /// Returns the length of the list `key`; 0 if it is absent. If it is no list, adds an issue and
  /// returns 0. Returns 1 in a reader that describes.
  std::size_t list_size(std::string_view key);
  bool is_object_at(std::string_view key, std::size_t index);
  /// Returns the member's text; std::nullopt if it is absent. If it is not a string, adds an issue
  /// and returns `fallback`. A reader that describes adds `words` as the allowed texts.
  std::optional<std::string> text_of(std::string_view key, const std::vector<std::string>& words,
                                     std::string fallback);
  void describe(std::string_view key, Json schema, const Json& fallback);
  Json& described(std::string_view key);
  std::string described_as(std::string_view key, Json schema);
  Reader(std::vector<Issue>& unused, Json& whole, std::string pointer);

  const Json& value_;
  std::string pointer_;  // pointer of the object, or of its schema in `schema_`
  std::vector<Issue>& issues_;
  std::vector<std::string> asked_;  // keys passed to getters (to takes() if this reader describes)
  Json* schema_ = nullptr;          // whole schema that is being built; null if this reader reads
};

/// Returns a tensor as {"dtype", "shape": [n, c, h, w], "layout", "memory"}, without strides.
Json tensor_json(const TensorDesc& desc);

/// Reads an object that tensor_json() has written. Returns a dense tensor. The defaults are uint8,
/// nchw, pageable and shape 0.
TensorDesc read_tensor(Reader& reader);

}  // namespace normbench
