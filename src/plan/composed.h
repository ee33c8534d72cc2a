/// Objects composed from several places of a config; a mistake is reported where it is written.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/json.h"

namespace normbench {

/// The text for a member of the wrong type: "expected a list, got 5".
std::string wrong_type(std::string_view wanted, const Json& got);

/// Moves issues at or below a pointer of `places` to the place that it maps to.
void relocate(std::span<Issue> issues, const std::map<std::string, std::string>& places);

/// A JSON object whose members come from a stage, from `defaults`, or from the experiment.
struct Composed {
  Json fields = Json::object();
  std::string pointer;                         // the object's, in the user's file
  std::map<std::string, std::string> origins;  // members written elsewhere: key -> pointer

  /// Takes over the members of the object `more`, which is written at `at`, that are not there yet.
  void add(const Json& more, const std::string& at);
  /// Where the member was written; where the object was, if it lacks the member.
  std::string where(std::string_view key) const;
  /// Moves issues found in members to where those members were written.
  void relocate(std::span<Issue> issues) const;
};

}  // namespace normbench
