/// Pipelines: the items in flight, and the lanes of the stages.
#pragma once

#include "core/reader.h"
#include "plan/case.h"

namespace normbench {

/// Returns the engine of a stage: "load", "cpu", "h2d", "gpu", "d2h" or "save". It is the stage's
/// lane if the config names no lane.
std::string_view engine_of(const Stage& stage);

/// Reads "in_flight", "items", "submit" and "lanes" of a variant into `decided.pipeline`. The
/// stages must be decided. Without "in_flight", `decided.pipeline` stays empty, and the other
/// members are mistakes. Mistakes go to the reader. If `has_all_stages` is false, unknown names of
/// lanes are no mistakes: they may be lanes of stages with a mistake.
void read_pipeline(Reader& options, Case& decided, bool has_all_stages);

/// Consecutive stages in one lane. An item passes through them without a hand-over.
struct Visit {
  std::size_t lane = 0;             // index of the lane
  std::size_t first = 0, last = 0;  // indices of stages, both included
};
/// Returns all visits of an item, in order.
std::vector<Visit> visits_of(const Case& planned);

/// Returns for each stage of the case whether its turns run it.
std::vector<bool> stages_that_run(const Case& planned);

/// Returns the values that stages of the part read but that no stage of the part makes. The inputs
/// of the case are not among them.
std::vector<int> values_fed(const Case& part);
/// Returns the number of items for which the values of values_fed() are kept. It may be above 1,
/// since images differ and one item would not represent all.
std::int64_t items_fed(const Case& part);

/// Returns the contenders that show what the pipelines among `cases` could reach:
/// - Each lane alone. Lanes with the same work become one contender.
/// - Each pipeline that loads, without its load and with inputs from memory.
std::vector<Case> parts_of(const std::vector<const Case*>& cases);
/// Returns the name of the part that does only the work of `lane`; "" if there is none.
std::string lane_alone(const std::vector<Case>& parts, const Case& planned, const Lane& lane);

/// Returns the CPUs of each server's team, by lane and server. Each thread that works on the CPU
/// gets one of `cpus`. If there are fewer CPUs than threads, all lists are empty, and the system
/// schedules the threads.
std::vector<std::vector<std::vector<int>>> divide_cpus(const Case& planned,
                                                       std::span<const int> cpus);

}  // namespace normbench
