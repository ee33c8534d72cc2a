#include "ops/launch_sync.h"

#include "ops/checks.h"

namespace normbench {

EmptyLaunch EmptyLaunch::read(Reader& reader) {
  return {.count = reader.integer("count", 1, 1, 65536)};
}

std::vector<TensorDesc> EmptyLaunch::infer(std::span<const TensorDesc> in) const {
  return {only_input(in)};
}

void EmptyLaunch::reference(std::span<const Tensor64> in, std::span<Tensor64> out,
                            std::int64_t) const {
  out[0] = in[0];
}

Accuracy EmptyLaunch::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

Sync Sync::read(Reader&) { return {}; }

std::vector<TensorDesc> Sync::infer(std::span<const TensorDesc> in) const {
  return {only_input(in)};
}

void Sync::reference(std::span<const Tensor64> in, std::span<Tensor64> out, std::int64_t) const {
  out[0] = in[0];
}

Accuracy Sync::accuracy(std::span<const Accuracy> in, std::span<const TensorDesc>) const {
  return in[0];
}

}  // namespace normbench
