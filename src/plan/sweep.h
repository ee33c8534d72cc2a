/// Axes of a sweep, and "$axis" replaced by values before anything is read.
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
  std::string pointer = {};  // of the values in the user's file
};

/// Where values stand in the user's file: axis -> pointer.
using AxisPlaces = std::map<std::string, std::string>;

/// Adds the places of those values of `axes` that the assignment has.
void add_places(const std::vector<Axis>& axes, const Json& assignment, AxisPlaces& places);

/// The axes in member `key` ("sweep" or "vary") of an experiment.
std::vector<Axis> read_axes(Reader& experiment, std::string_view key);

/// Every combination of values as {axis: value}, the last axis fastest; one empty object for none.
std::vector<Json> combinations(const std::vector<Axis>& axes);

/// "batch=8, memory=pinned"; an object value with a "name" is called by it.
std::string axes_text(const Json& assignment);

/// True for a value that some axis replaces, or a part of it.
bool is_swept(const Json& value);

/// Replaces whole strings: "$axis" by its value, "$axis.field" by a field of an object value, and
/// "$$…" by "$…". Unknown axes and fields become issues, and null.
class Substitution {
 public:
  Substitution(Json assignment, std::vector<Issue>& issues, AxisPlaces places = {});

  /// `text`, written at `pointer`, with every axis replaced.
  Json apply(const Json& text, const std::string& pointer);
  /// The axes that were replaced so far.
  const std::set<std::string>& used() const { return used_; }
  /// Moves issues found in what was replaced to the values of the axes, where these have places.
  void relocate(std::span<Issue> issues) const;

 private:
  Json replace(const std::string& text, const std::string& pointer);

  Json assignment_;
  std::vector<Issue>& issues_;
  AxisPlaces places_;
  std::set<std::string> used_;
  std::map<std::string, std::string> replaced_;  // where an axis is written -> its value's pointer
};

}  // namespace normbench
