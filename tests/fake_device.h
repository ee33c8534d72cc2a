/// A fake CUDA device. Submitted work runs when the host waits for it. The host cannot access
/// device memory, because mprotect() forbids it. All times are those of a FakeClock.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fake_backend.h"

namespace normbench {

class FakeDevice final : public Backend {
 public:
  /// The number of kernel rows (implementations of ops). The last row needs scratch memory. A graph
  /// can capture rows 1 to 5, but not row 0.
  static constexpr int row_count = 6;

  /// Launches, marks (like CUDA events), waits, captures, copies and allocations append lines to
  /// `log`. Other objects may append to it, too.
  FakeDevice(FakeClock& clock, std::vector<std::string>& log) : log(log), clock_(clock) {}

  std::array<FakeRow, row_count> rows;  // cost_ns of a row is its time on the device
  std::int64_t call_ns = 0;             // host time of a launch
  std::int64_t mark_ns = 0;             // host time of a mark
  std::int64_t graph_ns = 0;            // host time of ending a capture
  std::int64_t wait_ns = 0;             // from the end of the awaited work to the return of wait()
  std::int64_t cache = 0;
  int number = 0;                                // number of the device
  std::optional<int> node = {};                  // NUMA node of the device's link
  std::function<void()> on_capture = {};         // called when a capture starts or stops; may throw
  std::function<DeviceState()> on_state = {};    // returns the state; empty: the state is unknown
  std::function<std::int64_t()> on_cycles = {};  // returns the clock rate in MHz; empty: 0 MHz
  std::vector<std::string>& log;

  ~FakeDevice() override {
    for (const auto& [data, bytes] : blocks_) ::munmap(data, bytes);
  }

  Place place() const override { return Place::Cuda; }
  std::optional<std::string> unavailable() const override { return std::nullopt; }
  std::span<const Kernel> kernels() const override { return kernels_; }
  std::int64_t cache_bytes() const override { return cache; }
  Json condition() override { return {{"reading", ++conditions_}}; }
  std::optional<DeviceState> state() override {
    return on_state ? std::optional(on_state()) : std::nullopt;
  }
  int device() const override { return number; }
  std::optional<int> link_node() const override { return node; }
  void start_capture() override {
    log.push_back("start capture");
    if (on_capture) on_capture();
  }
  void stop_capture() override {
    log.push_back("stop capture");
    if (on_capture) on_capture();
  }

  std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) override {
    return std::make_unique<FakeQueue>(*this, threads, recorder);
  }
  std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes) override {
    return std::make_unique<FakeMemory>(*this, memory, bytes, "");
  }
  std::unique_ptr<Allocation> allocate_fresh(OutputPolicy policy, Memory memory, std::size_t bytes,
                                             Queue&) override {
    return std::make_unique<FakeMemory>(*this, memory, bytes, fmt::format("{} ", name_of(policy)));
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
    log.push_back(fmt::format("copy {} to {} {}", side(from), side(to), bytes));
    unlocked([&] { std::memcpy(to, from, bytes); });
  }
  void fill(std::byte* to, std::byte value, std::size_t bytes) override {
    log.push_back(fmt::format("fill {} {:#x} {}", side(to), std::to_integer<int>(value), bytes));
    unlocked([&] { std::memset(to, std::to_integer<int>(value), bytes); });
  }

  /// Lets the host access device memory while `work` runs.
  template <class Work>
  void unlocked(Work work) {
    protect(PROT_READ | PROT_WRITE);
    work();
    protect(PROT_NONE);
  }

 private:
  /// A piece of submitted work. It starts as soon as it is submitted and all earlier work is done.
  /// `mark` is the number of the mark, or -1 for a kernel.
  struct Work {
    std::int64_t cost_ns = 0;
    std::function<void()> run = {};
    int mark = -1;
  };

  struct FakeGraph final : Graph {
    std::vector<Work> work;
  };

  struct FakeQueue final : Queue {
    FakeQueue(FakeDevice& owner, int threads, Recorder* recorder)
        : Queue(threads, recorder), device(owner) {}

    bool is_asynchronous() const override { return true; }
    void drain() override {
      device.log.push_back("drain device");
      finish(todo.size());
      return_at(free_ns);
    }
    int mark() override {
      const int number = static_cast<int>(marks_ns.size());
      device.log.push_back(fmt::format("mark {}", number));
      device.clock_.time_ns += device.mark_ns / 2;
      marks_ns.push_back(-1);
      submit({.mark = number});
      device.clock_.time_ns += device.mark_ns - device.mark_ns / 2;
      return number;
    }
    void wait(int mark) override {
      device.log.push_back(fmt::format("wait {}", mark));
      const auto last =
          std::ranges::find(todo, mark, [](const Timed& item) { return item.work.mark; });
      if (last != todo.end()) finish(static_cast<std::size_t>(last - todo.begin()) + 1);
      return_at(marks_ns.at(static_cast<std::size_t>(mark)));
    }
    std::int64_t ns_between(int from, int to) override {
      const std::int64_t first = marks_ns.at(static_cast<std::size_t>(from));
      const std::int64_t last = marks_ns.at(static_cast<std::size_t>(to));
      if (first < 0 || last < 0) throw std::runtime_error("a mark was not reached");
      return last - first;
    }
    void reset_marks() override {
      if (!todo.empty()) throw std::runtime_error("marks are forgotten before they are reached");
      marks_ns.clear();
    }
    void start_cycles() override {
      if (!todo.empty()) throw std::runtime_error("cycles are counted of what came before");
      if (device.on_cycles) device.on_cycles();
    }
    std::int64_t stop_cycles() override { return device.on_cycles ? device.on_cycles() : 0; }
    void begin_capture() override {
      device.log.push_back("begin capture");
      captured = std::make_unique<FakeGraph>();
    }
    std::unique_ptr<Graph> end_capture() override {
      device.log.push_back("end capture");
      device.clock_.time_ns += device.graph_ns;
      return std::move(captured);
    }
    void begin_load() override { loading = true; }
    void end_load() override { loading = false; }
    void launch(Graph& graph) override {
      const auto& work = static_cast<FakeGraph&>(graph).work;
      device.log.push_back(fmt::format("launch graph of {}", work.size()));
      device.clock_.time_ns += device.call_ns;
      for (const Work& item : work) submit(item);
    }

    void submit(Work work) { todo.push_back({std::move(work), device.clock_.time_ns}); }
    void finish(std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        Work& work = todo[i].work;
        free_ns = std::max(free_ns, todo[i].submitted_ns) + work.cost_ns;
        if (work.mark >= 0) marks_ns[static_cast<std::size_t>(work.mark)] = free_ns;
        if (work.run) device.unlocked(work.run);
      }
      todo.erase(todo.begin(), todo.begin() + static_cast<std::ptrdiff_t>(count));
    }
    void return_at(std::int64_t done_ns) const {
      device.clock_.time_ns = std::max(device.clock_.time_ns, done_ns) + device.wait_ns;
    }

    struct Timed {
      Work work;
      std::int64_t submitted_ns;
    };
    FakeDevice& device;
    std::vector<Timed> todo;
    std::vector<std::int64_t> marks_ns;  // time of each mark; -1: not yet reached
    std::int64_t free_ns = 0;
    bool loading = false;
    std::unique_ptr<FakeGraph> captured;
  };

  /// An allocation. If it is device memory, the host can access it only during `unlocked`.
  class FakeMemory final : public Allocation {
   public:
    FakeMemory(FakeDevice& device, Memory memory, std::size_t bytes, const std::string& policy)
        : device_(device),
          bytes_(bytes),
          name_(fmt::format("{} {}", name_of(memory), bytes)),
          data_(static_cast<std::byte*>(
              ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
      device_.log.push_back("allocate " + policy + name_);
      if (memory != Memory::Device) return;
      device_.blocks_.push_back({data_, bytes_});
      device_.protect(PROT_NONE);
    }
    ~FakeMemory() override {
      device_.log.push_back("free " + name_);
      // Submitted work may still use device memory, so it stays mapped until the device is
      // destroyed.
      if (!device_.is_own(data_)) ::munmap(data_, bytes_);
    }
    std::byte* data() override { return data_; }
    std::size_t bytes() const override { return bytes_; }

   private:
    FakeDevice& device_;
    std::size_t bytes_;
    std::string name_;
    std::byte* data_;
  };

  void protect(int access) const {
    for (const auto& [data, bytes] : blocks_) ::mprotect(data, bytes, access);
  }
  bool is_own(const std::byte* data) const {
    return std::ranges::any_of(blocks_, [&](const auto& block) {
      return data >= block.first && data < block.first + block.second;
    });
  }
  std::string_view side(const std::byte* data) const { return is_own(data) ? "device" : "host"; }

  void launch(int index, const Op& op, FakeQueue& queue, std::span<const View> in,
              std::span<const View> out, View scratch) {
    if (queue.loading) return log.push_back(fmt::format("load {}", index));
    Work work{.cost_ns = rows[static_cast<std::size_t>(index)].cost_ns,
              .run = [this, index, op, from = std::vector<View>(in.begin(), in.end()),
                      to = std::vector<View>(out.begin(), out.end()), scratch] {
                FakeRow& row = rows[static_cast<std::size_t>(index)];
                if (row.compute) compute_reference(op, from, to);
                if (row.then)
                  row.then({.number = row.calls++, .in = from, .out = to, .scratch = scratch});
              }};
    if (queue.captured) {
      log.push_back(fmt::format("capture {}", index));
      queue.captured->work.push_back(std::move(work));
      return;
    }
    log.push_back(fmt::format("launch {}", index));
    clock_.time_ns += call_ns;
    queue.submit(std::move(work));
  }

  template <int I>
  static Kernel kernel() {
    static constexpr std::array names{"dev 0", "dev 1", "dev 2", "dev 3", "dev 4", "dev 5"};
    return {.op = "any",
            .name = names[I],
            .place = Place::Cuda,
            .capturable = [](const Op&, const Signature&) { return I > 0; },
            .accepts = [](const Op&, const Signature&) { return true; },
            .cost = [](const Op&, const Signature&) { return Cost{}; },
            .scratch = [](const Op&, const Signature&) -> std::size_t {
              return I == row_count - 1 ? FakeBackend::scratch_bytes : 0;
            },
            .prepare = [](const Op& op, const Signature&) -> Launch {
              return [op](Queue& queue, std::span<const View> in, std::span<const View> out,
                          View scratch) {
                auto& own = static_cast<FakeQueue&>(queue);
                own.device.launch(I, op, own, in, out, scratch);
              };
            },
            .loads = I > 0};
  }
  template <int... I>
  static std::vector<Kernel> all_kernels(std::integer_sequence<int, I...>) {
    return {kernel<I>()...};
  }

  FakeClock& clock_;
  std::vector<std::pair<std::byte*, std::size_t>> blocks_;  // device memory
  std::int64_t conditions_ = 0;
  std::vector<Kernel> kernels_ = all_kernels(std::make_integer_sequence<int, row_count>());
};

}  // namespace normbench
