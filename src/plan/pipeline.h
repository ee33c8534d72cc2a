/// Pipelines: several items in flight, whose stages run in lanes.
#pragma once

#include "core/reader.h"
#include "plan/case.h"

namespace normbench {

/// Returns "load", "cpu", "h2d", "gpu", "d2h" or "save": the lane of a stage for which the config
/// names none.
std::string_view engine_of(const Stage& stage);

/// Reads "in_flight", "items", "submit" and "lanes" of a variant into `decided.pipeline`; the
/// stages are decided already. Without "in_flight" the pipeline stays empty, and the other members
/// are mistakes. Mistakes go to the reader. If `has_all_stages` is false, some stages are missing,
/// so unknown names in "lanes" are not reported.
void read_pipeline(Reader& options, Case& decided, bool has_all_stages);

/// Consecutive stages in the same lane, which an item passes without waiting for another server.
struct Visit {
  std::size_t lane = 0;             // index of the lane
  std::size_t first = 0, last = 0;  // indices of stages, both included
};
/// Returns all visits of an item, in order.
std::vector<Visit> visits_of(const Case& planned);

/// Returns for each stage whether the case runs it in its turns: all stages, or those of its part.
std::vector<bool> stages_that_run(const Case& planned);

/// Returns the indices of the values that stages of the part read and that neither stages of the
/// part nor inputs of the case provide.
std::vector<int> values_fed(const Case& part);
/// Returns the number of items whose values_fed() are kept. It is above 1 only if the case loads
/// files, because then the images of the items differ.
std::int64_t items_fed(const Case& part);

/// Returns the limits of the pipelines among `cases`:
/// - each lane alone, once for all lanes with the same work;
/// - for each pipeline that loads: all stages without the load, with inputs from memory.
std::vector<Case> parts_of(const std::vector<const Case*>& cases);
/// Returns the name of the case in `parts` that runs only the work of `lane`; "" if there is none.
std::string lane_alone(const std::vector<Case>& parts, const Case& planned, const Lane& lane);

/// Divides `cpus` among the threads of the pipeline. result[lane][server] has a CPU for each thread
/// of the server; it is empty for lanes without stages on the CPU. If there are fewer CPUs than
/// threads, all lists are empty, and the system schedules the threads.
std::vector<std::vector<std::vector<int>>> divide_cpus(const Case& planned,
                                                       std::span<const int> cpus);

}  // namespace normbench
