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

/// Returns the default label of a stage: the name of the op, like "cast". If the config names a
/// kernel (`forced`), the name of the kernel follows: "cast (simd)".
std::string own_label(const Op& op, const std::string& forced);

/// Returns what is wrong with a label; nothing if it is valid.
std::optional<std::string> label_mistake(std::string_view label);

/// Reads the label in member `key`; returns `fallback` if it is absent. Adds an issue for an
/// invalid label.
std::string read_label(Reader& reader, std::string_view key, std::string fallback);

/// Returns true if the label contains "{i}", which stands for the number of the iteration.
bool is_numbered(std::string_view label);
/// Returns the label with `iteration` in place of "{i}": "load7" for "load{i}".
std::string numbered(std::string_view label, std::int64_t iteration);
/// Returns true if the labels are equal, or can become equal when "{i}" is replaced.
bool can_be_one_name(std::string_view a, std::string_view b);

/// A range around the consecutive stages `first` to `last`, both included.
struct StageRange {
  std::string name;
  std::size_t first = 0, last = 0;

  bool operator==(const StageRange&) const = default;
};

/// Returns the ranges of a case in the order in which they begin. An outer range comes before its
/// inner ranges.
std::vector<StageRange> ranges_of(const std::vector<Stage>& stages);

}  // namespace normbench
