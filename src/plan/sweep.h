/// Axes of a sweep; replaces each "$axis" by its value before anything is read.
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
  std::string pointer = {};  // where the values are in the user's file
};

/// Where values of axes stand in the user's file: axis -> pointer.
using AxisPlaces = std::map<std::string, std::string>;

/// Adds the places of those values of `axes` that are in the assignment.
void add_places(const std::vector<Axis>& axes, const Json& assignment, AxisPlaces& places);

/// The axes in member `key` ("sweep" or "vary") of an experiment.
std::vector<Axis> read_axes(Reader& experiment, std::string_view key);

/// Every combination of values, {axis: value}, the last axis fastest; an empty object without axes.
std::vector<Json> combinations(const std::vector<Axis>& axes);

/// "batch=8, memory=pinned". An object value with a "name" is called by that.
std::string axes_text(const Json& assignment);

/// True for a value that an axis replaces, or with such a part in it.
bool is_swept(const Json& value);

/// Replaces whole strings: "$axis" by its value, "$axis.field" by a field of an object value, and
/// "$$…" by "$…". Unknown axes and fields become issues, and their values null.
class Substitution {
 public:
  Substitution(Json assignment, std::vector<Issue>& issues, AxisPlaces places = {});

  /// A copy of `text`, which is written at `pointer`, with every axis replaced.
  Json apply(const Json& text, const std::string& pointer);
  /// The axes that were replaced so far.
  const std::set<std::string>& used() const { return used_; }
  /// Moves issues in replaced values to the values of the axes, where their places are known.
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
