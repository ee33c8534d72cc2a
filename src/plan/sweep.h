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

/// Returns the first value in a list that equals an earlier value of the list; null if there is
/// none.
const Json* repeated(const Json& values);

/// One value of each axis, and the JSON pointers to these values.
struct Combination {
  Json assignment = Json::object();  // {axis: value}
  AxisPlaces places = {};
};

/// Returns the number of combinations of one value of each axis; 10^15 if there are more.
std::size_t count_combinations(const std::vector<Axis>& axes);

/// Returns every combination of one value of each axis. The last axis changes fastest. If there are
/// no axes, returns one empty combination.
std::vector<Combination> combinations(const std::vector<Axis>& axes);

/// Returns the assignment as text, like "batch=8, memory=pinned". A value that is an object with a
/// member "name" is shown by that member.
std::string axes_text(const Json& assignment);

/// Returns true if the value is a string such as "$axis", or a list or object that contains one.
bool is_swept(const Json& value);

/// Replaces strings in a config:
/// - "$axis" by the value of the axis;
/// - "$axis.field" by a member of that value;
/// - "$$text" by "$text".
/// An unknown axis or field adds an issue and is replaced by null.
class Substitution {
 public:
  Substitution(Json assignment, std::vector<Issue>& issues, AxisPlaces places = {});

  /// Returns a copy of `text` with every axis replaced. `pointer` is where `text` is written.
  Json apply(const Json& text, const std::string& pointer);
  /// Returns the axes that were replaced so far.
  const std::set<std::string>& used() const { return used_; }
  /// Changes the pointers of issues in replaced text, so that they point to where the value of the
  /// axis is written, if that is known.
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
