/// Reads and checks results documents, and recognises other kinds of files.
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

/// Returns a key for a case. The key does not depend on the order of the axes in `name.point`.
std::string case_key(const CaseName& name);

/// Returns true for text that begins like a results document of any schema version. Reads only the
/// first 1000 bytes.
bool begins_as_results(std::string_view text);

/// Returns true if begins_as_results() is true, or if the whole text is JSON with the members of a
/// results document.
bool is_results(std::string_view text);

/// Returns the results in `text`, the content of `file`. Throws BadInput if the text is not JSON,
/// is cut off, is another document, has a newer schema or has a case twice.
Results read_document(const std::string& file, std::string text);

}  // namespace normbench
