/// Pipelines: items in flight, and the lanes that their stages belong to.
#pragma once

#include "core/reader.h"
#include "plan/plan.h"

namespace normbench {

/// The lane of a stage whose config names none: its engine, as in "load", "cpu", "h2d", "gpu",
/// "d2h" and "save".
std::string_view engine_of(const Stage& stage);

/// Reads "in_flight", "items", "submit" and "lanes" of a variant whose stages are decided, into
/// `decided.pipeline`. Without in_flight it stays empty, and the others are mistakes. Mistakes go
/// to the reader; where a stage is missing for one of its own, any lane may be that stage's.
void read_pipeline(Reader& options, Case& decided, bool has_all_stages);

/// Stages that follow one another in one lane: an item passes through them without a hand-over.
struct Visit {
  std::size_t lane = 0;             // of the pipeline's lanes
  std::size_t first = 0, last = 0;  // stages
};
/// All of an item's, in order.
std::vector<Visit> visits_of(const Case& work);

/// What runs of the case: true for each stage that its turns run.
std::vector<bool> stages_that_run(const Case& work);

/// The value whose buffer holds this one: itself, unless it was made in place.
int holder_of(const Case& work, int value);
/// The values that the stages of a part read and none of them makes, but for its inputs.
std::vector<int> values_fed(const Case& part);
/// Of how many items those are kept: images differ, so one alone would not stand for all.
std::int64_t items_fed(const Case& part);

/// The contenders that say what the pipelines among `cases` could reach: each lane alone, those
/// with the same work once; and for every one that loads all but the loading, fed from memory.
std::vector<Case> parts_of(const std::vector<const Case*>& cases);
/// The name of the one of `parts` that runs what the lane of `work` does alone; "" for none.
std::string lane_alone(const std::vector<Case>& parts, const Case& work, const Lane& lane);

/// CPUs for every server's team, by lane and server: one of `cpus` for each thread that works on
/// the CPU; all empty where there are fewer CPUs than that, for then the system schedules.
std::vector<std::vector<std::vector<int>>> divide_cpus(const Case& work, std::span<const int> cpus);

}  // namespace normbench
