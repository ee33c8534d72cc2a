/// Reads and checks results documents; says what a file is when it is none of this version.
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

/// A key of a case: equal for equal names, whatever the order of the point's axes.
std::string case_key(const CaseName& name);

/// True for text that begins as normbench's results do, of any schema. The rest does not matter.
bool begins_as_results(std::string_view text);

/// True for the text of a results document with its members in any order, or for the beginning of
/// one as normbench writes it.
bool is_results(std::string_view text);

/// The results in the text of a file. Throws BadInput, naming `file`, for text that is not JSON or
/// cut off, another tool's document, one of a newer schema, or one with a case twice.
Results read_document(const std::string& file, std::string_view text);

}  // namespace normbench
