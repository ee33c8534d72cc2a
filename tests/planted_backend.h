/// A backend whose kernel rows (implementations of ops) have bugs. Tests check that a self-test
/// finds the bugs.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/simd_targets.h"

namespace normbench {

enum class Bug {
  None,
  WrongValue,      // element 17 of a float32 output is wrong
  TailNotWritten,  // the last element keeps its old value, unless it is the only one
  PastEnd,
  BeforeStart,
  PastScratch,
  NotANumber,  // the first element of a float32 output is NaN
  ChangesInput,
  TeamMatters,  // with 3 threads, the lowest bit of the first float32 is flipped
  SimdMatters,  // the first float32 is wrong with the portable instruction set
  TiesAway,     // dense float32 to bfloat16: ties are rounded away from 0
  LosesNaN,     // NaN becomes infinity in 16-bit outputs
  AcceptsNothing,
  Throws,
  Kills,  // throws, and makes every later allocation throw
};

/// A backend with the given kernel rows. They always run on the CPU, whatever `place` is.
class PlantedBackend final : public Backend {
 public:
  explicit PlantedBackend(std::vector<Kernel> rows, Place place = Place::Cpu)
      : place_(place), rows_(std::move(rows)) {}

  bool dead = false;
  std::set<const std::byte*> registered;
  int launched_graphs = 0;

  Place place() const override { return place_; }
  std::optional<std::string> unavailable() const override { return std::nullopt; }
  std::span<const Kernel> kernels() const override { return rows_; }
  std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) override {
    return std::make_unique<PlantedQueue>(*this, threads, recorder);
  }
  std::unique_ptr<Allocation> allocate(Memory, std::size_t bytes) override {
    if (dead) throw std::runtime_error("nothing works any more");
    return host_->allocate(Memory::Pageable, bytes);
  }

  struct PlantedGraph final : Graph {
    std::vector<std::function<void()>> work;
  };

  /// A queue that stores submitted work during a capture. The stored work runs when the graph is
  /// launched.
  struct PlantedQueue final : Queue {
    PlantedQueue(PlantedBackend& owner, int threads, Recorder* recorder)
        : Queue(threads, recorder), backend(owner) {}
    void drain() override {}
    void submit(std::function<void()> work) {
      if (capture)
        capture->work.push_back(std::move(work));
      else
        work();
    }
    void begin_capture() override { capture = std::make_unique<PlantedGraph>(); }
    std::unique_ptr<Graph> end_capture() override { return std::move(capture); }
    void launch(Graph& graph) override {
      ++backend.launched_graphs;
      for (const auto& work : static_cast<PlantedGraph&>(graph).work) work();
    }
    PlantedBackend& backend;
    std::unique_ptr<PlantedGraph> capture;
  };

 private:
  const Place place_;
  const std::vector<Kernel> rows_;
  const std::unique_ptr<Backend> host_ = make_cpu_backend();
};

/// Computes the output of the op by its reference implementation.
inline void compute(const Op& op, const View& in, const View& out) {
  const std::vector<Tensor64> from{to_double(in, 0, in.desc.shape.n)};
  std::vector<Tensor64> to{{.shape = out.desc.shape, .values = {}}};
  to[0].values.resize(static_cast<std::size_t>(out.desc.elements()));
  reference(op, from, to, 0);
  from_double(to[0], out, 0);
}

/// Rounds each value that is halfway between two bfloat16 numbers to the one that is farther from
/// 0. The results are still within every error bound.
inline void round_ties_away(const View& in, const View& out) {
  if (in.desc.dtype != DType::Float32 || out.desc.dtype != DType::BFloat16 || !in.desc.is_dense())
    return;
  for (std::int64_t i = 0; i < out.desc.elements(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, in.data + 4 * i, sizeof(bits));
    const auto up = static_cast<std::uint16_t>((bits >> 16) + 1);
    if (bits % 65536 == 0x8000) std::memcpy(out.data + 2 * i, &up, sizeof(up));
  }
}

inline void lose_nan(const View& out) {
  if (size_of(out.desc.dtype) != 2) return;
  const std::uint16_t infinity = out.desc.dtype == DType::Float16 ? 0x7C00 : 0x7F80;
  auto* elements = reinterpret_cast<std::uint16_t*>(out.data);
  for (std::int64_t i = 0; i < out.desc.elements(); ++i)
    if ((elements[i] & 0x7FFF) > infinity) elements[i] = infinity;
}

/// Applies the bug to `out`, which was computed correctly before. TailNotWritten is applied in
/// planted_prepare().
inline void spoil(Bug bug, PlantedBackend::PlantedQueue& queue, const View& in, const View& out,
                  const View& scratch) {
  auto* floats = reinterpret_cast<float*>(out.data);
  const bool is_float = out.desc.dtype == DType::Float32;
  if (bug == Bug::WrongValue && is_float && out.desc.elements() > 17) floats[17] = 1000;
  if (bug == Bug::PastEnd) out.data[out.desc.bytes()] = std::byte{0};
  if (bug == Bug::BeforeStart) out.data[-2] = std::byte{0};
  if (bug == Bug::PastScratch) scratch.data[scratch.desc.bytes() + 9] = std::byte{0};
  if (bug == Bug::NotANumber && is_float) floats[0] = std::numeric_limits<float>::quiet_NaN();
  if (bug == Bug::ChangesInput) in.data[0] ^= std::byte{1};
  if (bug == Bug::TeamMatters && is_float && queue.threads == 3) out.data[0] ^= std::byte{1};
  if (bug == Bug::SimdMatters && is_float && simd_in_use() == simd_targets().back())
    floats[0] = 1000;
  if (bug == Bug::TiesAway) round_ties_away(in, out);
  if (bug == Bug::LosesNaN) lose_nan(out);
  if (bug == Bug::Kills) queue.backend.dead = true;
  if (bug == Bug::Throws || bug == Bug::Kills) throw std::runtime_error("a call failed");
}

template <class T, Bug B>
bool planted_accepts(const T&, const Signature&) {
  return B != Bug::AcceptsNothing;
}

template <class T, Bug B>
Launch planted_prepare(const T& op, const Signature&) {
  return [op](Queue& queue, std::span<const View> ins, std::span<const View> outs, View scratch) {
    auto& planted = static_cast<PlantedBackend::PlantedQueue&>(queue);
    planted.submit([op, &planted, in = ins[0], out = outs[0], scratch] {
      const std::vector<std::byte> before(out.data, out.data + out.desc.bytes());
      compute(op, in, out);
      spoil(B, planted, in, out, scratch);
      const std::int64_t size = size_of(out.desc.dtype);
      if (B == Bug::TailNotWritten && out.desc.elements() > 1)
        std::copy(before.end() - size, before.end(), out.data + out.desc.bytes() - size);
    });
  };
}

/// Returns a kernel row of the op T with the bug B.
template <class T, Bug B>
Kernel planted(std::string_view name, Place place = Place::Cpu) {
  Kernel kernel = row<T, planted_accepts<T, B>, planted_prepare<T, B>>(name, place);
  if (B == Bug::PastScratch)
    kernel.scratch = [](const Op&, const Signature&) -> std::size_t { return 24; };
  return kernel;
}

}  // namespace normbench
