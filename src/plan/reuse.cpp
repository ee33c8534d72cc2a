#include "plan/reuse.h"

#include <algorithm>
#include <limits>
#include <set>

#include "plan/aliases.h"

namespace normbench {
namespace {

/// Bytes of host memory that stages [first, last) read and write, each buffer once.
std::int64_t touched_bytes(const Case& work, int first, int last) {
  std::set<int> buffers;
  for (int s = first; s < last; ++s) {
    for (const int value : work.stages[s].in) buffers.insert(buffer_of(work, value));
    for (const int value : work.stages[s].out) buffers.insert(buffer_of(work, value));
  }
  std::int64_t bytes = 0;
  for (const int buffer : buffers)
    if (const TensorDesc& desc = work.values[buffer].desc; host_reaches(desc.memory))
      bytes += desc.bytes();
  return bytes;
}

/// The next stage on the CPU that reads value `index`; none: the number of stages.
int next_reader(const Case& work, int index) {
  const int stages = static_cast<int>(work.stages.size());
  for (int s = work.values[index].producer + 1; s < stages; ++s) {
    const Stage& stage = work.stages[s];
    const auto reads = [&](int value) { return buffer_of(work, value) == buffer_of(work, index); };
    if (stage.place == Place::Cpu && std::ranges::any_of(stage.in, reads)) return s;
  }
  return stages;
}

}  // namespace

void note_reuse(Case& work, Cache cache) {
  const int stages = static_cast<int>(work.stages.size());
  for (int s = 0; s < stages; ++s) {
    Stage& stage = work.stages[s];
    if (stage.place != Place::Cpu) continue;
    const int output = stage.out[0];
    const int reader = next_reader(work, output);
    stage.signature.read_next = reader < stages;
    std::int64_t& bytes = stage.signature.reuse_bytes;
    if (work.values[output].in_place_of >= 0)
      bytes = 0;
    else if (reader < stages)
      bytes = touched_bytes(work, s, reader);
    else if (cache == Cache::Hot)
      bytes = touched_bytes(work, 0, stages);
    else
      bytes = std::numeric_limits<std::int64_t>::max();
  }
}

}  // namespace normbench
