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

/// The label of a stage without one in the config: "cast", or "cast (simd)" where the config names
/// the kernel.
std::string own_label(const Op& op, const std::string& forced);

/// The mistake in a label; nothing when it is fine.
std::optional<std::string> label_mistake(std::string_view label);

/// The name in the member `key`, or `fallback`. A name that is no label is a mistake.
std::string read_label(Reader& reader, std::string_view key, std::string fallback);

/// True if the label has "{i}": the stage's ranges have another name in every iteration.
bool is_numbered(std::string_view label);
/// The label's name in an iteration: "load7" for "load{i}".
std::string numbered(std::string_view label, std::int64_t iteration);
/// True if the two can be the same name: as they are, or in some of their iterations.
bool can_be_one_name(std::string_view a, std::string_view b);

/// A range around consecutive stages, from `first` to `last`.
struct StageRange {
  std::string name;
  std::size_t first = 0, last = 0;

  bool operator==(const StageRange&) const = default;
};

/// The ranges of a case in the order in which they open: outer ones before those inside.
std::vector<StageRange> ranges_of(const std::vector<Stage>& stages);

}  // namespace normbench
