/// The names that a config gives to stages ("label") and to ranges of stages ("range").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/reader.h"
#include "plan/case.h"

namespace normbench {

/// Returns the label of a stage that has none in the config: the op's name, like "cast". If the
/// config names the kernel, the kernel follows, as in "cast (simd)".
std::string own_label(const Op& op, const std::string& forced);

/// Returns what is wrong with a label; nothing if it is right.
std::optional<std::string> label_mistake(std::string_view label);

/// Reads the name in member `key`; returns `fallback` if there is none. Reports a name that is no
/// valid label.
std::string read_label(Reader& reader, std::string_view key, std::string fallback);

/// Returns true if the label contains "{i}". Then the stage's range has another name in every
/// iteration.
bool is_numbered(std::string_view label);
/// Returns the label with the number of the iteration for "{i}": "load7" for "load{i}".
std::string numbered(std::string_view label, std::int64_t iteration);
/// Returns true if the two labels are the same name, or become the same name in some iterations.
bool can_be_one_name(std::string_view a, std::string_view b);

/// A range around the consecutive stages `first` to `last`, both included.
struct StageRange {
  std::string name;
  std::size_t first = 0, last = 0;

  bool operator==(const StageRange&) const = default;
};

/// Returns the ranges of a case in the order in which they open: an outer range comes before the
/// ranges inside it.
std::vector<StageRange> ranges_of(const std::vector<Stage>& stages);

}  // namespace normbench
