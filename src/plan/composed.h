/// Objects whose members are written in several places of a config. A mistake is reported at the
/// place where the member is written.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/json.h"

namespace normbench {

/// Returns the message for a member of the wrong type, like "expected a list, got 5".
std::string wrong_type(std::string_view wanted, const Json& got);

/// Moves issues to other places of the file. A key of `places` is a pointer to a member. In the
/// pointer of an issue with that member or inside it, the key's value replaces the key.
void relocate(std::span<Issue> issues, const std::map<std::string, std::string>& places);

/// A JSON object whose members come from a stage, from `defaults` or from the experiment.
struct Composed {
  Json fields = Json::object();
  std::string pointer;  // to the object in the user's file
  // Maps the key of a member that is written elsewhere to its pointer.
  std::map<std::string, std::string> origins;

  /// Adds the members of `more` that the object lacks. `at` is the pointer where `more` is written.
  void add(const Json& more, const std::string& at);
  /// Returns the pointer to where the member is written. If the member is missing, returns
  /// `pointer`.
  std::string where(std::string_view key) const;
  /// Moves issues in members to the places where those members are written.
  void relocate(std::span<Issue> issues) const;
};

}  // namespace normbench
