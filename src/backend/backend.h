/// A place (the CPU or CUDA) and what it offers: memory, queues of work, and rows. A row is one
/// implementation of an op.
#pragma once

#include <algorithm>
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

/// The inputs and outputs of one stage.
struct Signature {
  std::vector<TensorDesc> in, out;
  bool pages_mapped = true;  // false: outputs are fresh; the first store to a page causes a fault
  /// The number of bytes of host memory that are touched between writing the output and using it
  /// again. A cache with fewer bytes does not keep the output until then.
  /// - If the output lies in the buffer of an input: 0.
  /// - If a later CPU stage reads the output: the bytes that are touched from this stage up to the
  ///   stage before the reader.
  /// - If no later CPU stage reads it, and every iteration uses the same buffers (hot): the bytes
  ///   that a whole iteration touches.
  /// - If no later CPU stage reads it, and the next iterations use other buffers (cold): the
  ///   largest int64.
  std::int64_t reuse_bytes = 0;
  bool read_next = false;  // true: a later CPU stage reads the output before it is overwritten
};

/// Returns the cost of the op if it reads every needed input element once and writes every output
/// element once.
Cost fewest(const Op& op, const Signature& signature);

/// Returns a view of the input as an op reads it: for `crop` its window, for `flip` the mirrored
/// input, and for any other op the whole input. No data is copied.
View input_view(const Crop& op, const View& in);
View input_view(const FlipOp& op, const View& in);
template <class T>
View input_view(const T&, const View& in) {
  return in;
}

/// Returns the op for one channel of images of the shape `images`. The images may have a YCbCr
/// format.
Crop of_plane(const Crop& op, const Shape& images, std::int64_t channel);
template <class T>
T of_plane(const T& op, const Shape&, std::int64_t) {
  return op;
}

/// Some images of an output, and as many images of an input. Image i of `out` is computed from
/// image i of `in`.
struct Portion {
  View in, out;
};
/// Returns a view of the same dense images in which each image is a single row of elements.
View flat_view(View view);
/// Returns one portion for each crop window of a `normalize`, or a single portion with the whole
/// images if the op has no window. For a batch of one image, all windows form a single portion if
/// the distance in memory from each window to the next is the same and not negative.
std::vector<Portion> portions_of(const Normalize& op, std::span<const View> in, const View& out);
/// A window of YCbCr images that begins at row `top` and column `left`, and the RGB images that are
/// computed from it.
struct YcbcrWindow {
  View in, out;
  std::int64_t top = 0, left = 0;
};
/// Returns the crop windows of a `normalize` of YCbCr images, or a single window with the whole
/// images.
std::vector<YcbcrWindow> ycbcr_windows(const Normalize& op, const View& in, const View& out);
/// Returns one portion per input of a `concat`.
std::vector<Portion> portions_of(const Concat& op, std::span<const View> in, const View& out);
/// Returns one portion for each channel of images in a YCbCr format, otherwise a single portion.
template <class T>
std::vector<Portion> portions_of(const T& op, std::span<const View> in, const View& out) {
  const Shape& shape = in[0].desc.shape;
  if (!shape.is_ycbcr() || !out.desc.shape.is_ycbcr()) return {{input_view(op, in[0]), out}};
  if constexpr (std::is_same_v<T, Copy>) return {{flat_view(in[0]), flat_view(out)}};
  std::vector<Portion> portions;
  for (std::int64_t c = 0; c < shape.c; ++c)
    portions.push_back(
        {input_view(of_plane(op, shape, c), plane_view(in[0], c)), plane_view(out, c)});
  return portions;
}

/// A captured sequence of launches. A single Queue::launch() runs all of it.
class Graph {
 public:
  virtual ~Graph() = default;
};

/// A queue to which work is submitted. A CPU queue runs the work at once, so its marks and graphs
/// do nothing. Functions throw std::runtime_error on failure.
class Queue {
 public:
  Queue(int team, Recorder* ranges) : threads(team), recorder(ranges) {}
  virtual ~Queue() = default;
  /// Returns when all submitted work is done.
  virtual void drain() = 0;

  /// Returns true if submitting returns before the work is done, as on a device.
  virtual bool is_asynchronous() const { return false; }
  /// Sets a mark after all work submitted so far. Returns its number, counted from 0.
  virtual int mark() { return 0; }
  /// Returns when all work before the mark is done.
  virtual void wait(int) {}
  /// Does the same as wait(), except that the host thread polls and never sleeps. Polling saves the
  /// delay of a wake-up.
  virtual void wait_awake(int mark) { wait(mark); }
  /// Returns the device time between two marks in ns, exact to about 0.5 µs. Both marks must have
  /// been reached.
  virtual std::int64_t ns_between(int /*from*/, int /*to*/) { return 0; }
  /// Forgets all marks, so that the next one has number 0. Call it only when the queue is drained.
  virtual void reset_marks() {}
  /// Makes this queue wait for a mark of `other`, a queue of the same place. Work that is submitted
  /// to this queue after the call starts only when `other` has reached the mark. The host does not
  /// wait. During the call, another thread may submit work to `other`, but must not use it
  /// otherwise.
  virtual void wait_for(Queue& /*other*/, int /*mark*/) {}
  /// Waits for all submitted work, and then starts to count the clock cycles of the GPU's
  /// multiprocessors. Does nothing if the queue cannot count them.
  virtual void start_cycles() {}
  /// Waits for all submitted work. Returns the clock rate of the multiprocessors since
  /// start_cycles() in MHz, or 0 if it is unknown.
  virtual std::int64_t stop_cycles() { return 0; }
  /// Makes wait() put the host thread to sleep instead of polling, so that other threads can use
  /// its core. Call sleep_in_waits() before the first mark.
  virtual void sleep_in_waits() {}

  /// Starts a capture: work that is submitted from now on is recorded into a graph and does not
  /// run. Only rows that are `Kernel::capturable` may be submitted.
  virtual void begin_capture() {}
  /// Ends the capture and returns its graph, ready to launch without the extra cost of a first
  /// launch.
  virtual std::unique_ptr<Graph> end_capture() { return nullptr; }
  virtual void launch(Graph&) {}

  /// Between begin_load() and end_load(), submitted kernels do not run. Only their code is loaded
  /// onto the device, which otherwise happens when a kernel first runs. Between the two calls,
  /// submit only rows with `Kernel::loads`.
  virtual void begin_load() {}
  virtual void end_load() {}

  const int threads;         // exact size of the team that runs a CPU kernel
  Recorder* const recorder;  // records ranges inside a stage; may be null
  /// The name of the range with which each thread of the team except rank 0 records its share of
  /// the next stage. Rank 0 does not record its share, because its thread records the range of the
  /// whole stage. If the name is "", no thread records its share.
  std::string_view stage = {};
  /// The CPUs of the team, by rank. Empty: no thread is bound. std::nullopt: the CPUs that
  /// team_cpus() returns.
  std::optional<std::vector<int>> cpus = {};
  /// The number of the iteration that the next stage works on. It starts at 0 in every turn (the
  /// iterations that a case measures in one go). A `load` stage chooses its files by this number,
  /// so that all variants read the same files in the same order.
  std::int64_t item = 0;
  /// Prefix of the names of the files that the next stage writes. "": the stage cannot write files.
  std::string_view files = {};
};

/// Runs the op for which it was made, on the views of one iteration. Throws std::runtime_error if
/// the work fails (a broken file, a failed CUDA call).
using Launch =
    std::function<void(Queue&, std::span<const View> in, std::span<const View> out, View scratch)>;

/// A row: one implementation of an op for a place, the CPU or CUDA. The first row of an op in a
/// place is the reference. The default row of a stage is the first row after the reference that
/// accepts the signature of the stage.
struct Kernel {
  std::string_view op, name;
  Place place;
  bool (*capturable)(const Op&, const Signature&);  // true: a CUDA graph can hold the row's work
  bool (*accepts)(const Op&, const Signature&);
  Cost (*cost)(const Op&, const Signature&);
  std::size_t (*scratch)(const Op&, const Signature&);
  Launch (*prepare)(const Op&, const Signature&);
  /// True if the launch does nothing but submit kernels. It may then be called between
  /// Queue::begin_load() and end_load().
  bool loads = false;
  /// The lowest allowed peak signal-to-noise ratio in dB between the output images of this row and
  /// those of the reference. It is above 0 for a row that resizes with another filter than the op
  /// defines. If it is 0, every element is checked against its error bound instead.
  double psnr_db = 0;
  /// True for a row that loads images and may decode them at a smaller size.
  bool decodes_smaller = false;
};

/// The `capturable` function of rows whose work no CUDA graph can hold.
inline bool never(const Op&, const Signature&) { return false; }

/// Returns true if an input of the stage has a YCbCr format.
inline bool has_ycbcr(const Signature& s) {
  return std::ranges::any_of(s.in, [](const TensorDesc& one) { return one.shape.is_ycbcr(); });
}

/// Makes a row from functions that take the struct of a single op instead of the variant `Op`:
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

/// Memory that the destructor frees. It is aligned to at least 64 bytes.
class Allocation {
 public:
  virtual ~Allocation() = default;
  virtual std::byte* data() = 0;
  virtual std::size_t bytes() const = 0;
};

/// The options that a user can choose for the backends.
struct BackendOptions {
  int device = 0;         // index among the CUDA devices that this process sees
  std::string simd = {};  // instruction set of the CPU kernels, by Highway's name; "": the best
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// The folder for the files that stages write during a run. "": there is none.
  std::string scratch = {};

  virtual Place place() const = 0;
  /// Returns why nothing can run here ("no NVIDIA driver"), or std::nullopt. A reason that only
  /// ready() can find is returned after ready() has failed.
  virtual std::optional<std::string> unavailable() const = 0;
  /// Makes the place ready to run work, if it is not yet. On a GPU this creates a context, which
  /// takes GPU memory and time, so call it only if work will run here. Returns why nothing can run
  /// here, or std::nullopt.
  virtual std::optional<std::string> ready() { return unavailable(); }
  /// Returns all rows, also on a machine without a device to run them, because a plan that is made
  /// there names the rows.
  virtual std::span<const Kernel> kernels() const = 0;
  virtual std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) = 0;
  /// Prepares the calling thread to use the backend. A thread that did not create the backend must
  /// call this before any other function of the backend.
  virtual void enter_thread() {}

  /// Returns memory that is not initialised. Its pages may be untouched, so that the first store to
  /// each page causes a page fault.
  virtual std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes) = 0;
  /// Returns memory for an output that a stage on `queue` allocates in the timed region. `policy`
  /// is OutputPolicy::Fresh or OutputPolicy::CudaMalloc. The destructor of the result frees the
  /// memory. Work that is submitted to `queue` after this call may use the memory.
  virtual std::unique_ptr<Allocation> allocate_fresh(OutputPolicy policy, Memory memory,
                                                     std::size_t bytes, Queue& queue);
  /// Copies between any two memories that the place can access. Returns when the copy is done.
  virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes);
  virtual void fill(std::byte* to, std::byte value, std::size_t bytes);

  /// Returns facts about the place that help to judge its results (name, memory, caches, …).
  /// Returns null for the CPU, whose facts are among those of the machine. For a GPU, the facts
  /// about free memory and the link to the host are less exact before ready(), because they are
  /// then read without a CUDA context.
  virtual Json describe();
  /// Returns facts that change during a run (clocks, temperature, power, why clocks are low), or
  /// null.
  virtual Json condition();
  /// Returns the few facts of condition() that are read after every turn (the iterations that a
  /// case measures in one go), or std::nullopt if they cannot be read. A call may take
  /// milliseconds.
  virtual std::optional<DeviceState> state() { return std::nullopt; }
  /// Returns the size in bytes of the cache through which kernels access the place's memory, for a
  /// GPU the L2 cache. Returns 0 for the CPU: last_level_cache_bytes() returns the size of its
  /// cache.
  virtual std::int64_t cache_bytes() const { return 0; }
  /// Returns the index of the place's device among the devices that this process sees.
  virtual int device() const { return 0; }
  /// Returns the NUMA node to which the device is attached. std::nullopt if the host has only one
  /// node or the node is unknown.
  virtual std::optional<int> link_node() const { return std::nullopt; }

  /// start_capture() tells a waiting profiler (nsys -c cudaProfilerApi) to start recording, and
  /// stop_capture() tells it to stop. Both throw std::runtime_error on failure.
  virtual void start_capture() {}
  virtual void stop_capture() {}
};

/// The backends of this process, at most one per place. owner() returns the CPU backend for
/// pageable kinds of memory, and the CUDA backend for all other kinds.
struct Backends {
  std::vector<std::unique_ptr<Backend>> list;

  Backend* at(Place place) const;
  Backend& owner(Memory memory) const;
};

/// Returns the number of free bytes of device memory, or std::nullopt if there is no GPU or it does
/// not report this number.
std::optional<std::int64_t> free_device_bytes(const Backends& backends);

/// Returns the total energy in mJ that Backend::condition() reports, or std::nullopt if it reports
/// none.
std::optional<std::int64_t> used_energy_mj(Backend& backend);

std::unique_ptr<Backend> make_cpu_backend();
/// Returns the CUDA backend, or a backend whose unavailable() tells why there is none. Throws
/// Invalid if devices exist but the chosen one does not.
std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options);
/// Returns the backends of both places. If `options.simd` is not empty, all CPU kernels of this
/// process use that instruction set from now on. Throws Invalid if the chosen device or instruction
/// set does not exist.
Backends make_backends(const BackendOptions& options = {});

}  // namespace normbench
