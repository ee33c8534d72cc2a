/// The limits of a machine, from a run of the configs that `normbench info` measures.
#pragma once

#include "document/results.h"
#include "document/statistics.h"

namespace normbench {

/// One limit, measured by its fastest kernel.
struct MachineLimit {
  // Name of the experiment, and name of the variant without the values of its axes.
  std::string kind, variant;
  std::string op = {};         // op of the first stage
  Json axes = Json::object();  // values of all axes except "threads" and "kernel"
  Place place = Place::Cpu;
  std::string kernel;
  int threads = 1;             // number of host threads
  std::optional<Interval> ns;  // per call: median and 95 % interval; nothing if not measured
  // The bytes that a call moves over the link. For a limit without the link, the bytes of its
  // source and result. 0 for page faults and launches.
  std::int64_t bytes = 0;
  double faults = 0;   // page faults per call
  std::string reason;  // why it was not measured; "" if not known
};

/// Returns the limits in the order of the document. If variants differ only in the kernel, keeps
/// the fastest.
std::vector<MachineLimit> machine_limits(const Results& results);

}  // namespace normbench
