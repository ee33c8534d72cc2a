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

/// Changes the pointers of issues, so that they point to where the wrong values are written. For
/// each entry (from, to) of `places`: if an issue's pointer is `from` or lies inside `from`, its
/// beginning `from` is replaced by `to`.
void relocate(std::span<Issue> issues, const std::map<std::string, std::string>& places);

/// A JSON object with members from a stage, from `defaults` and from the experiment.
struct Composed {
  Json fields = Json::object();
  std::string pointer;  // to the object in the user's file
  // Pointers of the members that are written outside of the object at `pointer`, by key.
  std::map<std::string, std::string> origins;

  /// Adds the members of `more` whose keys the object lacks. `at` is the pointer to `more` in the
  /// file.
  void add(const Json& more, const std::string& at);
  /// Returns the pointer to the place where the member `key` is written; `pointer` if the member is
  /// missing.
  std::string where(std::string_view key) const;
  /// Changes the pointers of issues about members, so that they point to where the members are
  /// written.
  void relocate(std::span<Issue> issues) const;
};

}  // namespace normbench
