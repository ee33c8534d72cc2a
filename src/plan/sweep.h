/// Axes of a sweep, and "$axis" replaced by values before anything is read.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/reader.h"

namespace normbench {

struct Axis {
  std::string name;
  std::vector<Json> values;  // never empty
};

/// The axes in member `key` ("sweep" or "vary") of an experiment.
std::vector<Axis> read_axes(Reader& experiment, std::string_view key);

/// Every combination of values as {axis: value}, the last axis fastest; one empty object for none.
std::vector<Json> combinations(const std::vector<Axis>& axes);

/// "batch=8, memory=pinned"; an object value with a "name" is called by it.
std::string axes_text(const Json& assignment);

/// Replaces whole strings: "$axis" by its value, "$axis.field" by a field of an object value, and
/// "$$…" by "$…". Unknown axes and fields become issues, and null.
class Substitution {
 public:
  Substitution(Json assignment, std::vector<Issue>& issues);

  /// `text`, written at `pointer`, with every axis replaced.
  Json apply(const Json& text, const std::string& pointer);
  /// The axes that were replaced so far.
  const std::set<std::string>& used() const { return used_; }

 private:
  Json replace(const std::string& text, const std::string& pointer);

  Json assignment_;
  std::vector<Issue>& issues_;
  std::set<std::string> used_;
};

}  // namespace normbench
