#include "plan/case.h"

#include <algorithm>

namespace normbench {

bool Case::uses_gpu() const {
  return (!inputs.empty() && inputs.front().source.memory == Memory::Device) ||
         std::ranges::find(stages, Place::Cuda, &Stage::place) != stages.end();
}

int Case::threads_of(std::size_t stage) const {
  if (!pipeline) return threads;
  const auto lane = std::ranges::find_if(pipeline->lanes, [&](const Lane& one) {
    return std::ranges::find(one.stages, stage) != one.stages.end();
  });
  return lane == pipeline->lanes.end() ? threads : lane->threads;
}

std::int64_t Case::images() const {
  std::int64_t most = values.front().desc.shape.n;
  for (std::size_t i = 1; i < inputs.size(); ++i) most = std::max(most, values[i].desc.shape.n);
  return most;
}

const Load* Case::loader() const { return stages.empty() ? nullptr : load_of(stages.front().op); }

std::int64_t Case::fewest_read_bytes() const {
  if (inputs.empty()) return stages.front().fewest.read_bytes;
  const auto reads = [](const Stage& stage, int value) {
    return std::ranges::find(stage.in, value) != stage.in.end();
  };
  std::int64_t bytes = 0;
  for (int input = 0; input < std::ssize(inputs); ++input) {
    const std::int64_t whole = values[input].desc.bytes();
    std::int64_t taken = 0;
    for (const Stage& stage : stages)
      if (reads(stage, input))
        taken += stage.in.size() > 1 ? whole : stage.fewest.read_bytes + stage.fewest.link_bytes;
    bytes += std::min(whole, taken);
  }
  return bytes > 0 ? bytes : values.front().desc.bytes();
}

std::int64_t Case::output_bytes() const {
  std::int64_t bytes = 0;
  for (const int value : outputs) bytes += values[value].desc.bytes();
  return bytes;
}

bool Case::whole_batch() const {
  return std::ranges::any_of(stages,
                             [](const Stage& stage) { return normbench::whole_batch(stage.op); });
}

bool Case::row_wise() const {
  const Shape& first = values.front().desc.shape;
  return std::ranges::all_of(stages,
                             [](const Stage& stage) { return normbench::row_wise(stage.op); }) &&
         std::ranges::all_of(values, [&](const Value& value) {
           return value.desc.shape.n == first.n && value.desc.shape.h == first.h &&
                  !value.desc.shape.is_ycbcr();
         });
}

const Case* Group::find(const std::string& name) const {
  for (const auto member : {&Case::written, &Case::variant})
    for (const Case& one : cases)
      if (one.*member == name) return &one;
  return nullptr;
}

bool Group::runs_here() const {
  return std::ranges::any_of(cases, [](const Case& planned) { return !planned.skip; });
}

std::vector<const Case*> Group::runnable() const {
  std::vector<const Case*> found;
  for (const auto* list : {&cases, &limits})
    for (const Case& planned : *list)
      if (!planned.skip) found.push_back(&planned);
  return found;
}

}  // namespace normbench
