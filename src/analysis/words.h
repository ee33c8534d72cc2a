/// Phrases that verdicts and reports share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/json.h"

namespace normbench {

/// The name as it reads in a sentence: quoted when it has punctuation of its own.
std::string spoken(std::string_view name);
/// "A", "A and B", "A, B and C".
std::string enumerate(std::span<const std::string> items);
/// "34.0x", "0.72x".
std::string factor(double value);
/// A value of a sweep axis: "64", "720x1280", "uint8"; the "name" of an object that has one.
std::string axis_value(const Json& value);
/// A point of a sweep: "batch=64, size=720x1280"; "" for no axes.
std::string point_text(const Json& point);

}  // namespace normbench
