/// Pipelines: items in flight, and the lanes that their stages belong to.
#pragma once

#include "core/reader.h"
#include "plan/case.h"

namespace normbench {

/// The engine of a stage, which is its lane where the config names none: "load", "cpu", "h2d",
/// "gpu", "d2h" or "save".
std::string_view engine_of(const Stage& stage);

/// Reads "in_flight", "items", "submit" and "lanes" of a variant with decided stages into
/// `decided.pipeline`. Without in_flight it stays empty, and the others are mistakes. Mistakes go
/// to the reader. Where a stage is missing because of its own mistake, any lane may be its lane.
void read_pipeline(Reader& options, Case& decided, bool has_all_stages);

/// Consecutive stages in one lane: an item passes through them without a hand-over.
struct Visit {
  std::size_t lane = 0;             // index of the lane
  std::size_t first = 0, last = 0;  // stages
};
/// All visits of an item, in order.
std::vector<Visit> visits_of(const Case& planned);

/// For each stage of the case: true if its turns run it.
std::vector<bool> stages_that_run(const Case& planned);

/// The values that the stages of a part read and do not make, without the case's inputs.
std::vector<int> values_fed(const Case& part);
/// For how many items these values are kept: images differ, so one item would not stand for all.
std::int64_t items_fed(const Case& part);

/// The contenders that show what the pipelines among `cases` could reach: each lane alone, lanes
/// with the same work once; and for every pipeline that loads, the rest of it, fed from memory.
std::vector<Case> parts_of(const std::vector<const Case*>& cases);
/// The name of the part that runs only what the lane of `planned` does; "" for none.
std::string lane_alone(const std::vector<Case>& parts, const Case& planned, const Lane& lane);

/// The CPUs of every server's team, by lane and server: one of `cpus` for each thread that works on
/// the CPU. All are empty where there are fewer CPUs than threads: then the system schedules.
std::vector<std::vector<std::vector<int>>> divide_cpus(const Case& planned,
                                                       std::span<const int> cpus);

}  // namespace normbench
