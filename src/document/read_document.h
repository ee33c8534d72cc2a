/// Reads and checks results documents, and recognises files that are something else.
#pragma once

#include <string>
#include <string_view>

#include "core/issue.h"
#include "core/json.h"
#include "document/results.h"

namespace normbench {

struct CaseName {
  std::string experiment;
  Json point = Json::object();
  std::string variant;
  bool operator==(const CaseName&) const = default;
};

/// Returns a text that identifies a case. It does not depend on the order of the point's axes.
std::string case_key(const CaseName& name);

/// Returns true for text that begins like a results document of any schema. Only its first 1000
/// bytes matter.
bool begins_as_results(std::string_view text);

/// Returns true if the whole text is a results document, in any order of its members, or if
/// begins_as_results() is true.
bool is_results(std::string_view text);

/// Returns the results in the text of a file. Throws BadInput if the text is not JSON, is cut off,
/// is another tool's document, has a newer schema or has a case twice. The message names `file`.
Results read_document(const std::string& file, std::string_view text);

}  // namespace normbench
