/// What differs between two variants: one thing changed, or several.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// One thing that two cases do differently.
struct Factor {
  std::string name;         // "constants", "output of div", "threads", "dtype of the source", "ops"
  std::string left, right;  // what each of them has: "per_call", "cached"

  bool operator==(const Factor&) const = default;
};

/// All that differs between `a` and `b` by what was asked of them; empty when they do the same.
/// What follows from something else is no factor of its own: a place from where the data lies, an
/// inherited memory kind, a kernel that nobody chose or that a peer has, the cast that a source of
/// integers needs.
std::vector<Factor> factors(const CaseResult& a, const CaseResult& b);

/// "constants (per_call, cached)"; the name alone where the values are too long to read.
std::string factor_text(const Factor& factor);

/// "constants, output of div".
std::string factor_names(std::span<const Factor> factors);

/// True when the list has factors and all of them are about where outputs are written.
bool only_outputs(std::span<const Factor> factors);

/// The factor when it is the only one and called so (or "NAME of …"), else null.
const Factor* only_factor(std::span<const Factor> factors, const std::string& name);

}  // namespace normbench
