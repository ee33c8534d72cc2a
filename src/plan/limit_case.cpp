#include "plan/limit_case.h"

#include <algorithm>
#include <utility>

#include "plan/wiring.h"

namespace normbench {
namespace {

/// Bytes of each of the images that so many bytes are divided into: one where they are few, or odd.
std::int64_t image_bytes(std::int64_t bytes) {
  constexpr std::int64_t least = 64, most = 1 << 20;
  const std::int64_t width = std::min(most, bytes & -bytes);  // a power of two
  return bytes <= most || width < least ? bytes : width;
}

}  // namespace

StageSpec spec_of(Op op) {
  StageSpec spec;
  spec.op = std::move(op);
  return spec;
}

Source plain_source(std::int64_t bytes, Memory memory) {
  const std::int64_t width = image_bytes(bytes);
  return {.layout = Layout::Nchw,
          .memory = memory,
          .shape = {.n = bytes / width, .c = 1, .h = 1, .w = width},
          .path = {}};
}

Source source_like(const Group& group, std::int64_t bytes, Memory memory) {
  for (const Case& work : group.cases) {
    if (work.skip || !work.source) continue;
    const TensorDesc desc = work.source->desc();
    if (desc.bytes() == bytes && desc.memory == memory) return *work.source;
  }
  return plain_source(bytes, memory);
}

std::optional<Case> plain_case(const std::vector<StageSpec>& stages, const Source& source,
                               int threads, const Backends& backends) {
  Wiring wiring(backends);
  try {
    wiring.add(spec_of(source));
    for (const StageSpec& stage : stages) wiring.add(stage);
  } catch (const Invalid&) {
    return std::nullopt;
  } catch (const StageMistake&) {
    return std::nullopt;
  }
  Case limit = wiring.take();
  if (limit.skip) return std::nullopt;
  limit.threads = threads;
  return limit;
}

void add_limit(std::vector<Case>& limits, std::optional<Case> limit, std::string name,
               const std::string& exact) {
  if (!limit) return;
  for (const Case& other : limits) {
    if (other.variant != name) continue;
    if (other.values == limit->values) return;
    name = exact;
  }
  if (std::ranges::find(limits, name, &Case::variant) != limits.end()) return;
  limit->variant = limit->written = name;
  limits.push_back(std::move(*limit));
}

}  // namespace normbench
