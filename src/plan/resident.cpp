#include "plan/resident.h"

#include <algorithm>
#include <set>

#include "plan/aliases.h"

namespace normbench {
namespace {

/// The stage that wrote the bytes of this value, through what passes them on untouched; -1: they
/// are the source's.
int writer_of(const Case& work, int value) {
  while (true) {
    const Value& one = work.values[value];
    if (one.producer < 0 || !passes_through(work.stages[one.producer].op)) return one.producer;
    value = one.in_place_of;
  }
}

/// Bytes on one side of the link that stages [first, last] read or write.
std::int64_t touched_bytes(const Case& work, int first, int last, bool on_host) {
  std::set<int> buffers;
  for (int s = first; s <= last; ++s) {
    const Stage& stage = work.stages[s];
    if (passes_through(stage.op)) continue;
    // Of the first stage only the output: what it reads goes by while that is written.
    if (s > first)
      for (const int value : stage.in) buffers.insert(buffer_of(work, value));
    for (const int value : stage.out) buffers.insert(buffer_of(work, value));
  }
  std::int64_t bytes = 0;
  for (const int buffer : buffers)
    if (const TensorDesc& desc = work.values[buffer].desc; host_reaches(desc.memory) == on_host)
      bytes += desc.bytes();
  return bytes;
}

bool is_resident(const Case& work, int index, const Sides& cache_bytes) {
  const Stage& stage = work.stages[index];
  if (stage.in.empty() || passes_through(stage.op)) return false;
  int first = index;
  for (const int value : stage.in) first = std::min(first, writer_of(work, value));
  if (first < 0) return false;
  const bool on_host = host_reaches(stage.signature.in[0].memory);
  return touched_bytes(work, first, index, on_host) <=
         (on_host ? cache_bytes.host : cache_bytes.device);
}

}  // namespace

void mark_resident(Case& work, const Sides& cache_bytes) {
  for (int s = 0; s < static_cast<int>(work.stages.size()); ++s)
    work.stages[s].resident = is_resident(work, s, cache_bytes);
}

}  // namespace normbench
