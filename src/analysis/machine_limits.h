/// What a machine can do at most, from a run of the configs that `normbench info` measures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// One limit, by its fastest kernel.
struct MachineLimit {
  std::string kind, name;  // the experiment and the variant
  Place place = Place::Cpu;
  std::string kernel;
  int threads = 1;         // of the host
  Interval ns;             // per call: median and 95 % interval
  std::int64_t bytes = 0;  // that a call moves: over the link where there is one
  double faults = 0;       // page faults of a call
  std::string missing;     // why it was not measured, or ""
};

/// In the order of the document; variants of one name (but for axes) and as many threads are one.
std::vector<MachineLimit> machine_limits(const Results& results);

/// With "bytes_per_second" and "ns_per_fault" where they mean something.
Json to_json(const MachineLimit& limit);

}  // namespace normbench
