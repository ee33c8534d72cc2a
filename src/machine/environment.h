/// Facts about this machine and process for the results document.
#pragma once

#include <filesystem>
#include <string>

#include "core/json.h"

namespace normbench {

/// Returns the facts of the machine: CPU, caches, cores, affinity, binding of threads, container
/// limits, governor, memory, transparent huge pages, kernel, load, date (UTC), and the name of the
/// machine: `machine`, or the host name if `machine` is "". Facts that cannot be read are null.
Json environment(const std::string& machine);

/// Returns the facts of this binary: name, version, revision, build type, compiler, flags,
/// sanitizers.
Json tool();

/// Returns the number of threads that can run at once within the affinity and CPU quota of this
/// process; at least 1.
int available_threads();

// The next functions read files under `root` ("/" except in tests). Facts that cannot be read are
// null.

/// Returns the model of the CPU, its instruction set extensions, whether it is virtualised, and its
/// governor or why that is unknown.
Json cpu_facts(const std::filesystem::path& root);

/// Returns total_bytes, available_bytes and transparent_huge_pages ("always", "madvise", "never").
Json memory_facts(const std::filesystem::path& root);

/// Returns the load averages over 1, 5 and 15 minutes.
Json load_facts(const std::filesystem::path& root);

}  // namespace normbench
