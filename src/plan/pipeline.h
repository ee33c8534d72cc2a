/// Pipelines: several items (batches) are in flight at once, and their stages run in lanes. A lane
/// is a group of stages with one or more servers.
#pragma once

#include "core/reader.h"
#include "plan/case.h"

namespace normbench {

/// Returns the name of the lane (group of stages) to which a stage belongs if the config names
/// none: "load", "cpu", "h2d", "gpu", "d2h" or "save".
std::string_view engine_of(const Stage& stage);

/// Reads "in_flight", "items", "submit" and "lanes" of a variant into `decided.pipeline`. The
/// stages must be decided already. Without "in_flight" the pipeline stays empty, and the other
/// three members are mistakes. Mistakes go to the issues of the reader. If `has_all_stages` is
/// false, some stages are missing, so unknown names in "lanes" are not reported.
void read_pipeline(Reader& options, Case& decided, bool has_all_stages);

/// Consecutive stages in the same lane. One server of the lane runs all of them for an item, so the
/// item does not wait for another server in between.
struct Visit {
  std::size_t lane = 0;             // index of the lane
  std::size_t first = 0, last = 0;  // indices of stages, both included
};
/// Returns all visits of an item to lanes, in order.
std::vector<Visit> visits_of(const Case& planned);

/// Returns for each stage whether the case runs it in its turns (timed runs). A whole pipeline runs
/// all stages. A part of a pipeline (PipelinePart) runs only the stages of the part.
std::vector<bool> stages_that_run(const Case& planned);

/// Returns the indices of the values that are made before the turns (timed runs) of a part of a
/// pipeline. These are the values that stages of the part read, but that are neither made by a
/// stage of the part nor inputs of the case.
std::vector<int> values_fed(const Case& part);
/// Returns the number of items for which values_fed() are made and kept. It is above 1 only if the
/// case loads files, because then the images of the items differ.
std::int64_t items_fed(const Case& part);

/// Returns the parts of the pipelines among `cases`. Each part is measured alone, as a limit:
/// - each lane alone; lanes with the same work are only one part;
/// - for each pipeline that loads files: all stages except the `load` stage, whose images come from
///   memory.
std::vector<Case> parts_of(const std::vector<const Case*>& cases);
/// Returns the name of the case in `parts` (from parts_of()) that runs only the work of this lane
/// of `planned`; "" if there is none.
std::string lane_alone(const std::vector<Case>& parts, const Case& planned, const Lane& lane);

/// Divides `cpus` among the threads of the pipeline. result[lane][server] has a CPU for each thread
/// of the server; it is empty for lanes without stages on the CPU. If there are fewer CPUs than
/// threads, all these lists are empty, and the system schedules the threads.
std::vector<std::vector<std::vector<int>>> divide_cpus(const Case& planned,
                                                       std::span<const int> cpus);

}  // namespace normbench
