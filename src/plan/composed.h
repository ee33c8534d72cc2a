/// JSON objects whose members come from several places of a config. Each mistake is reported where
/// the member is written.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/json.h"

namespace normbench {

/// Returns a message like "expected a list, got 5".
std::string wrong_type(std::string_view wanted, const Json& got);

/// Replaces the start of issue pointers. `places` maps the pointer of a member to the pointer of
/// the place where it is written. Issues at or inside such a member get the new start.
void relocate(std::span<Issue> issues, const std::map<std::string, std::string>& places);

/// A JSON object with members from a stage, from `defaults` and from the experiment.
struct Composed {
  Json fields = Json::object();
  std::string pointer;  // to the object in the user's file
  // Pointers of the members that are written outside of the object, by key.
  std::map<std::string, std::string> origins;

  /// Adds those members of `more`, which is written at `at`, whose keys the object lacks.
  void add(const Json& more, const std::string& at);
  /// Returns the pointer to the place where the member is written; `pointer` if it is missing.
  std::string where(std::string_view key) const;
  /// Moves issues in members to the places where the members are written.
  void relocate(std::span<Issue> issues) const;
};

}  // namespace normbench
