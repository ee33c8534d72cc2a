/// What a machine can do at most, from a run of the configs that `normbench info` measures.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// One limit, with its fastest kernel.
struct MachineLimit {
  std::string kind, variant;   // the experiment; the variant without its axes
  std::string op = {};         // of its first stage
  Json axes = Json::object();  // but for threads and kernels
  Place place = Place::Cpu;
  std::string kernel;
  int threads = 1;             // host threads
  std::optional<Interval> ns;  // per call: median and 95 % interval; nothing: not measured
  std::int64_t bytes = 0;      // moved by a call: over the link where there is one
  double faults = 0;           // page faults in a call
  std::string reason;          // why it was not measured, where that is known
};

/// The limits in the document's order; variants with the same name and threads are one.
std::vector<MachineLimit> machine_limits(const Results& results);

}  // namespace normbench
