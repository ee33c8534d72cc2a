/// A CPU backend whose kernels take the times that a test sets. Its FakeClock advances only by
/// these times, and by the times that the test sets for reading the clock.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "plan/case.h"
#include "record/clock.h"

namespace normbench {

class FakeClock final : public Clock {
 public:
  std::int64_t time_ns = 0, cpu_time_ns = 0;
  std::int64_t reading_ns = 0;  // time that each now_ns() takes
  std::int64_t usage_ns = 0;    // time that each cpu_ns() or counters() takes
  Counters counts;

  std::int64_t now_ns() override { return time_ns += reading_ns; }
  std::int64_t cpu_ns() override {
    time_ns += usage_ns;
    return cpu_time_ns;
  }
  Counters counters() override {
    time_ns += usage_ns;
    return counts;
  }
};

/// One launch of a fake kernel row. A row is one implementation of an op.
struct FakeCall {
  std::int64_t number;  // number of earlier launches of the row
  std::span<const View> in, out;
  View scratch;
};

/// The behaviour of a fake kernel row, which runs any op. If `compute` is true, a launch computes
/// the op by its reference. The launch takes `cost_ns`, adds `faults` page faults, and calls `then`
/// at the end.
struct FakeRow {
  std::int64_t cost_ns = 1'000'000;
  std::int64_t faults = 0;
  bool compute = true;
  std::function<void(const FakeCall&)> then = {};
  std::int64_t calls = 0;
};

/// Computes the outputs of the op by its reference implementation. Does nothing if the op passes
/// its input through.
inline void compute_reference(const Op& op, std::span<const View> in, std::span<const View> out,
                              std::int64_t item = 0) {
  if (passes_through(op)) return;
  std::vector<Tensor64> from, to;
  for (const View& view : in) from.push_back(to_double(view, 0, view.desc.shape.n));
  for (const View& view : out)
    to.push_back({.shape = view.desc.shape,
                  .values = std::vector<double>(static_cast<std::size_t>(view.desc.elements()))});
  reference(op, from, to, 0, item);
  for (std::size_t i = 0; i < out.size(); ++i) from_double(to[i], out[i], 0);
}

class FakeBackend final : public Backend {
 public:
  static constexpr int row_count = 6;
  static constexpr std::size_t scratch_bytes = 1000;  // for the last row; the other rows need none

  explicit FakeBackend(FakeClock& clock) : clock_(clock) {}

  std::array<FakeRow, row_count> rows;
  std::vector<std::string> log;  // lines like "allocate pageable 96", "free pageable 96", "row 0"
  std::function<void(Memory, std::size_t)> on_allocate;  // called first in `allocate`; may throw

  Place place() const override { return Place::Cpu; }
  std::optional<std::string> unavailable() const override { return std::nullopt; }
  std::span<const Kernel> kernels() const override { return kernels_; }
  std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) override {
    return std::make_unique<FakeQueue>(*this, threads, recorder);
  }
  std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes) override {
    if (on_allocate) on_allocate(memory, bytes);
    return std::make_unique<FakeAllocation>(*this, memory, bytes);
  }

 private:
  struct FakeQueue final : Queue {
    FakeQueue(FakeBackend& owner, int threads, Recorder* recorder)
        : Queue(threads, recorder), backend(owner) {}
    void drain() override { backend.log.push_back("drain"); }
    FakeBackend& backend;
  };

  class FakeAllocation final : public Allocation {
   public:
    FakeAllocation(FakeBackend& backend, Memory memory, std::size_t bytes)
        : backend_(backend), bytes_(bytes), name_(fmt::format("{} {}", name_of(memory), bytes)) {
      data_ = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64}));
      backend_.log.push_back("allocate " + name_);
    }
    ~FakeAllocation() override {
      ::operator delete (data_, std::align_val_t{64});
      backend_.log.push_back("free " + name_);
    }
    std::byte* data() override { return data_; }
    std::size_t bytes() const override { return bytes_; }

   private:
    FakeBackend& backend_;
    std::size_t bytes_;
    std::string name_;
    std::byte* data_;
  };

  void launch(int index, const Op& op, Queue& queue, std::span<const View> in,
              std::span<const View> out, View scratch) {
    FakeRow& row = rows[static_cast<std::size_t>(index)];
    log.push_back(fmt::format("row {}", index));
    if (row.compute) compute_reference(op, in, out, queue.item);
    clock_.time_ns += row.cost_ns;
    clock_.cpu_time_ns += row.cost_ns * queue.threads;
    clock_.counts.minor_faults += row.faults;
    const FakeCall call{.number = row.calls++, .in = in, .out = out, .scratch = scratch};
    if (row.then) row.then(call);
  }

  template <int I>
  static Kernel kernel() {
    static constexpr std::array names{"row 0", "row 1", "row 2", "row 3", "row 4", "row 5"};
    return {.op = "any",
            .name = names[I],
            .place = Place::Cpu,
            .capturable = &never,
            .accepts = [](const Op&, const Signature&) { return true; },
            .cost = [](const Op&, const Signature&) { return Cost{}; },
            .scratch = [](const Op&, const Signature&) -> std::size_t {
              return I == row_count - 1 ? scratch_bytes : 0;
            },
            .prepare = [](const Op& op, const Signature&) -> Launch {
              return [op](Queue& queue, std::span<const View> in, std::span<const View> out,
                          View scratch) {
                static_cast<FakeQueue&>(queue).backend.launch(I, op, queue, in, out, scratch);
              };
            }};
  }
  template <int... I>
  static std::vector<Kernel> all_kernels(std::integer_sequence<int, I...>) {
    return {kernel<I>()...};
  }

  FakeClock& clock_;
  std::vector<Kernel> kernels_ = all_kernels(std::make_integer_sequence<int, row_count>());
};

/// A stage, and the number of the fake kernel row that runs it.
struct FakeStage {
  Op op;
  int row = 0;
  OutputPolicy output = OutputPolicy::Reuse;
  const Backend* backend = nullptr;   // owner of the row; null: fake_case's backend
  std::optional<Memory> memory = {};  // memory of the output; absent: the op infers it
};

/// Returns a case that applies `stages` to `source`, one after another. Each op infers the dtype,
/// shape, layout and memory of its stage's output from the input.
inline Case fake_case(const Backend& backend, const std::string& variant, const Source& source,
                      const std::vector<FakeStage>& stages) {
  Case planned;
  planned.variant = variant;
  planned.inputs.push_back({.source = source});
  planned.values.push_back({.desc = source.desc()});
  for (const FakeStage& fake : stages) {
    const int from = static_cast<int>(planned.values.size()) - 1;
    Stage stage;
    stage.op = fake.op;
    stage.label = name_of(fake.op);
    const Backend& runs = fake.backend != nullptr ? *fake.backend : backend;
    stage.place = runs.place();
    stage.kernel = &runs.kernels()[static_cast<std::size_t>(fake.row)];
    stage.in = {from};
    stage.out = {from + 1};
    stage.output = fake.output;
    stage.signature.in = {planned.values.back().desc};
    if (std::holds_alternative<Unregister>(fake.op)) {
      stage.in.push_back(from - 1);
      stage.signature.in.push_back(planned.values[static_cast<std::size_t>(from) - 1].desc);
    }
    stage.signature.out = infer(fake.op, stage.signature.in);
    if (fake.memory) stage.signature.out[0].memory = *fake.memory;
    stage.fewest = {.read_bytes = stage.signature.in[0].bytes(),
                    .written_bytes = stage.signature.out[0].bytes()};
    stage.cost = stage.fewest;
    planned.values.push_back(
        {.desc = stage.signature.out[0],
         .producer = static_cast<int>(planned.stages.size()),
         .in_place_of =
             fake.output == OutputPolicy::InPlace || passes_through(fake.op) ? from : -1});
    planned.stages.push_back(std::move(stage));
  }
  planned.outputs = {static_cast<int>(planned.values.size()) - 1};
  return planned;
}

/// Returns a source (an input tensor) of 2x3x4x5 uint8.
inline Source small_source() {
  Source source;
  source.shape = {.n = 2, .c = 3, .h = 4, .w = 5};
  return source;
}

}  // namespace normbench
