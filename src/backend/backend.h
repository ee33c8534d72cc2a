/// What a place offers: memory, a queue of work, and rows of kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "ops/op.h"
#include "record/recorder.h"

namespace normbench {

/// Inputs and outputs of one stage.
struct Signature {
  std::vector<TensorDesc> in, out;
  bool pages_mapped = true;  // false: the outputs are fresh, their first touch faults
};

/// What one run of a stage moves and computes.
struct Cost {
  std::int64_t read_bytes = 0;     // from memory of the stage's place
  std::int64_t written_bytes = 0;  // to memory of the stage's place
  std::int64_t link_bytes = 0;     // over the link between host and device
  std::int64_t flops = 0;
};

/// The fewest bytes the op can move: every input read once, every output written once.
Cost fewest(const Op& op, const Signature& signature);

/// Where work is submitted. A CPU queue runs it inline.
class Queue {
 public:
  Queue(int team, Recorder* ranges) : threads(team), recorder(ranges) {}
  virtual ~Queue() = default;
  /// Returns when everything submitted is done.
  virtual void drain() = 0;

  const int threads;         // OpenMP team size of CPU kernels
  Recorder* const recorder;  // for ranges inside a stage; may be null
};

/// One stage bound to its op: run it on this iteration's views. Throws std::runtime_error when the
/// work cannot be done (a broken file, a failed CUDA call).
using Launch =
    std::function<void(Queue&, std::span<const View> in, std::span<const View> out, View scratch)>;

/// A row: one implementation of one op in one place. An op's first row in a place is its reference;
/// the first other row that accepts is the default.
struct Kernel {
  std::string_view op, name;
  Place place;
  bool capturable;
  bool (*accepts)(const Op&, const Signature&);
  Cost (*cost)(const Op&, const Signature&);
  std::size_t (*scratch)(const Op&, const Signature&);
  Launch (*prepare)(const Op&, const Signature&);
};

/// Erases the op type: rows are written against their own op struct.
///   bool accepts(const Cast&, const Signature&);  Launch prepare(const Cast&, const Signature&);
template <class T, bool (*Accepts)(const T&, const Signature&),
          Launch (*Prepare)(const T&, const Signature&)>
constexpr Kernel row(std::string_view name, Place place = Place::Cpu) {
  return {.op = T::name,
          .name = name,
          .place = place,
          .capturable = place == Place::Cuda,
          .accepts = [](const Op& op, const Signature& s) { return Accepts(std::get<T>(op), s); },
          .cost = &fewest,
          .scratch = [](const Op&, const Signature&) { return std::size_t{0}; },
          .prepare = [](const Op& op, const Signature& s) { return Prepare(std::get<T>(op), s); }};
}

/// Memory owned by whoever holds it; aligned to 64 bytes at least.
class Allocation {
 public:
  virtual ~Allocation() = default;
  virtual std::byte* data() = 0;
  virtual std::size_t bytes() const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Place place() const = 0;
  /// Why nothing can run here ("no CUDA device (cudaErrorInsufficientDriver: …)"), or nothing.
  virtual std::optional<std::string> unavailable() const = 0;
  virtual std::span<const Kernel> kernels() const = 0;
  virtual std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) = 0;
  /// Memory as the operating system gives it: its pages are not touched yet.
  virtual std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes) = 0;
};

/// The backends of this process, at most one per place. Allocation goes to the place that owns the
/// memory kind: pageable kinds to the CPU, all others to CUDA.
struct Backends {
  std::vector<std::unique_ptr<Backend>> list;

  Backend* at(Place place) const;
  Backend& owner(Memory memory) const;
};

std::unique_ptr<Backend> make_cpu_backend();
/// The CUDA backend, or one that says why there is none.
std::unique_ptr<Backend> make_cuda_backend();
Backends make_backends();

}  // namespace normbench
