/// The axes of a sweep. "$axis" in a config is replaced by a value before the config is read.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/reader.h"

namespace normbench {

struct Axis {
  std::string name;
  std::vector<Json> values;  // never empty
  std::string pointer = {};  // where the values are written in the user's file
};

/// The JSON pointers to the values of axes in the user's file, by name of the axis.
using AxisPlaces = std::map<std::string, std::string>;

/// The axes in "sweep" or "vary" of an experiment.
struct Axes {
  std::vector<Axis> list = {};
  std::set<std::string> wrong = {};  // names of axes that are not in `list` because of a mistake
  bool too_many = false;             // true: too many combinations, so `list` is empty
};

/// Reads the axes in member `key` ("sweep" or "vary") of an experiment.
Axes read_axes(Reader& experiment, std::string_view key);

/// Returns the first value of a list that equals an earlier one; null if there is none.
const Json* repeated(const Json& values);

/// A value for each axis.
struct Combination {
  Json assignment = Json::object();  // {axis: value}
  AxisPlaces places = {};
};

/// Returns the number of combinations of values, at most 10^15.
std::size_t count_combinations(const std::vector<Axis>& axes);

/// Returns every combination of values. The last axis changes fastest. Without axes returns one
/// empty combination.
std::vector<Combination> combinations(const std::vector<Axis>& axes);

/// Returns the assignment as text, like "batch=8, memory=pinned". A value that is an
/// object with a member "name" is shown by that member.
std::string axes_text(const Json& assignment);

/// Returns true if the value is "$axis" or contains it.
bool is_swept(const Json& value);

/// Replaces strings in a config:
/// - "$axis" by the value of the axis;
/// - "$axis.field" by a member of that value;
/// - "$$…" by "$…".
/// An unknown axis or field adds an issue and is replaced by null.
class Substitution {
 public:
  Substitution(Json assignment, std::vector<Issue>& issues, AxisPlaces places = {});

  /// Returns a copy of `text` with every axis replaced. `pointer` is where `text` is written.
  Json apply(const Json& text, const std::string& pointer);
  /// Returns the axes that were replaced so far.
  const std::set<std::string>& used() const { return used_; }
  /// Moves issues in replaced text to where the value of the axis is written, if that is known.
  void relocate(std::span<Issue> issues) const;

 private:
  Json replace(const std::string& text, const std::string& pointer);

  Json assignment_;
  std::vector<Issue>& issues_;
  AxisPlaces places_;
  std::set<std::string> used_;
  std::map<std::string, std::string> replaced_;  // pointer to "$axis" -> pointer to its value
};

}  // namespace normbench
