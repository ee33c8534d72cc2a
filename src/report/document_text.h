/// Members of a document that may be missing or of another type, read without surprises.
#pragma once

#include <cstdint>
#include <string>

#include "core/json.h"
#include "document/results.h"

namespace normbench {

/// The string at a JSON pointer, or `fallback`.
std::string text_at(const Json& json, const std::string& pointer, const std::string& fallback);
/// The integer at a JSON pointer, or `fallback`.
std::int64_t integer_at(const Json& json, const std::string& pointer, std::int64_t fallback);

/// "AMD EPYC, 2 cores, L3 32 MiB", and ", only AVX2" where a better instruction set was left out.
std::string machine_text(const Json& environment);
/// "NVIDIA H100, 78 GiB, PCIe 5.0 x16", "no GPU (no case here needs one)", …
std::string gpu_text(const Results& results);
/// "PCIe 5.0 x16" of {"generation", "width"}; "" for what could not be read.
std::string link_text(const Json& pcie);

/// What the run shows of each profile: `profile.sort_by` and `profile.row_limit` of the config.
std::string sort_by(const Results& results);
std::int64_t row_limit(const Results& results);

}  // namespace normbench
