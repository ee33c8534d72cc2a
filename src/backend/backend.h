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

#include "core/json.h"
#include "core/tensor.h"
#include "machine/device_state.h"
#include "ops/op.h"
#include "record/recorder.h"

namespace normbench {

/// Inputs and outputs of one stage.
struct Signature {
  std::vector<TensorDesc> in, out;
  bool pages_mapped = true;  // false: the outputs are fresh, their first touch faults
  /// Bytes of host memory that go by before the output is used again, by a later stage or the next
  /// iteration: what a cache must hold to keep it. The largest number where buffers rotate.
  std::int64_t reuse_bytes = 0;
  bool read_next = false;  // a later CPU stage reads the output; false: it is overwritten next
};

/// The fewest bytes the op can move: every input read once, every output written once.
Cost fewest(const Op& op, const Signature& signature);

/// The part of its input that an op reads (all, or a window, mirrored), without a copy.
View input_view(const Crop& op, const View& in);
View input_view(const FlipOp& op, const View& in);
template <class T>
View input_view(const T&, const View& in) {
  return in;
}

/// Some of an output's images, and the part of the input that they come from, image by image.
struct Portion {
  View in, out;
};
/// The output of a normalize, window by window. Windows of a single image are one portion if they
/// lie equally far apart, as any two do that are given in the order of memory.
std::vector<Portion> portions_of(const Normalize& op, std::span<const View> in, const View& out);
/// The output of a concat, input by input.
std::vector<Portion> portions_of(const Concat& op, std::span<const View> in, const View& out);
template <class T>
std::vector<Portion> portions_of(const T& op, std::span<const View> in, const View& out) {
  return {{input_view(op, in[0]), out}};
}

/// A captured run of launches, to be launched again as one.
class Graph {
 public:
  virtual ~Graph() = default;
};

/// Where work is submitted. A CPU queue runs it inline and needs no marks and graphs. Calls that
/// fail throw std::runtime_error.
class Queue {
 public:
  Queue(int team, Recorder* ranges) : threads(team), recorder(ranges) {}
  virtual ~Queue() = default;
  /// Returns when everything submitted is done.
  virtual void drain() = 0;

  /// True when work is done later than it is submitted: on a device.
  virtual bool is_asynchronous() const { return false; }
  /// Marks this point in the order of the work; returns the mark's number, counted from 0.
  virtual int mark() { return 0; }
  /// Returns when everything before the mark is done.
  virtual void wait(int) {}
  /// Waits likewise, but the host never sleeps, so that it returns at that moment.
  virtual void wait_awake(int mark) { wait(mark); }
  /// Device nanoseconds between two marks that were both reached, to about half a microsecond.
  virtual std::int64_t ns_between(int /*from*/, int /*to*/) { return 0; }
  /// Forgets all marks; the next one is 0 again. Call when drained.
  virtual void reset_marks() {}
  /// What is submitted from now on starts when `other`, a queue of the same place, has reached its
  /// mark. The host does not wait. Only other threads may use `other` meanwhile, and only to
  /// submit.
  virtual void wait_for(Queue& /*other*/, int /*mark*/) {}
  /// From here on the device counts the cycles of its processors, where it can.
  virtual void start_cycles() {}
  /// The clock rate of the processors in MHz since start_cycles(); 0 where it is not known. Both
  /// functions wait for all that was submitted.
  virtual std::int64_t stop_cycles() { return 0; }
  /// From the first mark on the host sleeps in wait(), and leaves its core to others, instead of
  /// looking again and again. Call before the first mark.
  virtual void sleep_in_waits() {}

  /// Work that is submitted from now on is captured, not run. Only capturable rows may be.
  virtual void begin_capture() {}
  /// The graph of what was captured, ready to be launched without a first-launch cost.
  virtual std::unique_ptr<Graph> end_capture() { return nullptr; }
  virtual void launch(Graph&) {}

  /// From begin_load() to end_load() kernels that rows submit are not run: their code is brought to
  /// the device, as their first run would do. Only for rows whose launch does nothing else.
  virtual void begin_load() {}
  virtual void end_load() {}

  const int threads;         // of the team that a CPU kernel runs on: exactly so many
  Recorder* const recorder;  // for ranges inside a stage; may be null
  /// The name of the ranges around other threads' shares of the stage; "": there are no ranges.
  std::string_view stage = {};
  /// The CPUs of its team, by rank; empty: no thread is bound; nothing: those that team_cpus()
  /// gives.
  std::optional<std::vector<int>> cpus = {};
  /// The item (iteration) that the next stage is submitted for, counted from 0 in every turn. What
  /// a loader reads goes by it, so that all turns of all variants read the same files in one order.
  std::int64_t item = 0;
  /// The start of the names of files that the next stage writes; "": it can write none.
  std::string_view files = {};
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
  bool (*capturable)(const Op&, const Signature&);  // into a CUDA graph
  bool (*accepts)(const Op&, const Signature&);
  Cost (*cost)(const Op&, const Signature&);
  std::size_t (*scratch)(const Op&, const Signature&);
  Launch (*prepare)(const Op&, const Signature&);
  bool loads = false;  // its launch only submits kernels, so that a queue can load them instead
  /// For a row with another filter than the op's: the least peak signal-to-noise ratio of its
  /// images to the exact ones. 0: every element is held to its error bound.
  double psnr_db = 0;
};

/// The answer of rows that cannot be captured.
inline bool never(const Op&, const Signature&) { return false; }

/// Erases the op type: rows are written against their own op struct.
///   bool accepts(const Cast&, const Signature&);  Launch prepare(const Cast&, const Signature&);
template <class T, bool (*Accepts)(const T&, const Signature&),
          Launch (*Prepare)(const T&, const Signature&)>
constexpr Kernel row(std::string_view name, Place place = Place::Cpu) {
  return {.op = T::name,
          .name = name,
          .place = place,
          .capturable = &never,
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

/// What a user chooses about a place.
struct BackendOptions {
  int device = 0;         // of the CUDA devices that this process sees
  std::string simd = {};  // instruction set of the CPU's kernels, as Highway calls it; "": the best
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// A folder for the files that stages write, while a run has one; "": there is none.
  std::string scratch = {};

  virtual Place place() const = 0;
  /// Why nothing can run here ("no NVIDIA driver"), or nothing; as far as that can be seen without
  /// making the place ready.
  virtual std::optional<std::string> unavailable() const = 0;
  /// Makes the place ready to run something, if it is not yet: a GPU gets a context, which takes
  /// its memory and some time. Why nothing can run here, or nothing. Only what is to run here asks,
  /// so that a GPU is left alone by all others.
  virtual std::optional<std::string> ready() { return unavailable(); }
  /// All rows, whether or not they can run here: plans for a machine without a device name them.
  virtual std::span<const Kernel> kernels() const = 0;
  virtual std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) = 0;
  /// Readies another thread than the one that made this: call it there before anything else.
  virtual void enter_thread() {}

  /// Memory as the operating system or the driver gives it: its pages may not be touched yet.
  virtual std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes) = 0;
  /// An output that a stage allocates in the timed region, freed by its destructor: `policy` is
  /// fresh or cuda_malloc. `queue` is where the stage runs; the memory is usable in its order.
  virtual std::unique_ptr<Allocation> allocate_fresh(OutputPolicy policy, Memory memory,
                                                     std::size_t bytes, Queue& queue);
  /// Copies between any memory this place reaches; returns when done.
  virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes);
  virtual void fill(std::byte* to, std::byte value, std::size_t bytes);

  /// Facts by which a reader judges numbers of this place (name, memory, caches, …); null where the
  /// place has nothing to add to the environment. A fact that only a ready place knows is null
  /// before that.
  virtual Json describe();
  /// Facts that may change between groups (clocks, temperature, power, why clocks are low), or
  /// null.
  virtual Json condition();
  /// The few of these facts that are read after every turn; nothing where they cannot be read. A
  /// call may take milliseconds.
  virtual std::optional<DeviceState> state() { return std::nullopt; }
  /// Bytes of the cache between its memory and its kernels (L2 of a GPU); 0: the host's counts.
  virtual std::int64_t cache_bytes() const { return 0; }
  /// The number of its device among those that this process sees.
  virtual int device() const { return 0; }
  /// The NUMA node that its link to the host is on; nothing where the host has a single node, or it
  /// is not known.
  virtual std::optional<int> link_node() const { return std::nullopt; }

  /// Tell a profiler that waits for it (nsys -c cudaProfilerApi) to record from here on, and to
  /// end. Throw std::runtime_error.
  virtual void start_capture() {}
  virtual void stop_capture() {}
};

/// The backends of this process, at most one per place. Allocation goes to the place that owns the
/// memory kind: pageable kinds to the CPU, all others to CUDA.
struct Backends {
  std::vector<std::unique_ptr<Backend>> list;

  Backend* at(Place place) const;
  Backend& owner(Memory memory) const;
};

/// Bytes of device memory that are left; nothing without a GPU, or where it does not say.
std::optional<std::int64_t> free_device_bytes(const Backends& backends);

/// Millijoules that the place says in its condition to have used so far; nothing when it does not.
std::optional<std::int64_t> used_energy_mj(Backend& backend);

std::unique_ptr<Backend> make_cpu_backend();
/// The CUDA backend, or one that says why there is none. Throws Invalid when there are devices but
/// not the chosen one.
std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options);
/// The backends of both places. All CPU kernels of this process then use `options.simd`, unless it
/// is empty. Throws Invalid likewise, and for an instruction set that is not there.
Backends make_backends(const BackendOptions& options = {});

}  // namespace normbench
