/// JSON objects as typed fields; every mistake becomes an issue at its pointer.
#pragma once

#include <cstdint>
#include <limits>
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
class Reader {
 public:
  Reader(const Json& value, std::string pointer, std::vector<Issue>& issues);

  bool has(std::string_view key);
  std::int64_t integer(std::string_view key, std::int64_t fallback,
                       std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t high = std::numeric_limits<std::int64_t>::max());
  double number(std::string_view key, double fallback,
                double low = -std::numeric_limits<double>::max(),
                double high = std::numeric_limits<double>::max());
  bool boolean(std::string_view key, bool fallback);
  std::string text(std::string_view key, std::string fallback);
  std::vector<double> numbers(std::string_view key, std::vector<double> fallback);
  std::vector<std::int64_t> integers(std::string_view key, std::vector<std::int64_t> fallback);
  std::vector<std::string> texts(std::string_view key, std::vector<std::string> fallback);

  /// A word of the enumeration's table.
  template <class E>
  E word(std::string_view key, E fallback) {
    if (!has(key)) return fallback;
    const std::string said = text(key, std::string(name_of(fallback)));
    if (const auto value = parse_word<E>(said)) return *value;
    unknown_word(key, said, all_words<E>());
    return fallback;
  }

  /// The member itself (null when absent), for callers that read it on their own.
  const Json& member(std::string_view key);
  /// A reader of a member object (empty when absent).
  Reader object(std::string_view key);

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

  const Json& value_;
  std::string pointer_;
  std::vector<Issue>& issues_;
  std::vector<std::string> asked_;
};

/// {"dtype", "shape": [n, c, h, w], "layout", "memory"}; strides are not said.
Json tensor_json(const TensorDesc& desc);

/// The tensor back, dense; defaults are uint8, nchw, pageable, shape 0. Reports to the reader.
TensorDesc read_tensor(Reader& reader);

}  // namespace normbench
