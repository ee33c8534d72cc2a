/// Compares one thread with all threads on a small batch, 1x3x256x256 uint8 to float32. Both take
/// turns in random order. Three modes are measured: calls back to back, a call after 10 ms of
/// sleep, and a call after 10 ms of work without a team. The rule for `"threads": "all"` is based
/// on the results.
///
/// Each line gives medians and 90th percentiles over 200 rounds, in us. It also gives the median of
/// the time of one thread divided by the time of all threads. With OMP_PROC_BIND=false, threads are
/// not bound. With OMP_WAIT_POLICY=passive, idle threads sleep at once.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <random>
#include <thread>

#include "backend/cpu/team.h"
#include "bench/kernel_case.h"
#include "document/statistics.h"
#include "machine/affinity.h"
#include "machine/environment.h"
#include "machine/topology.h"
#include "record/clock.h"

namespace normbench {
namespace {

constexpr auto idle = std::chrono::milliseconds(10);

/// The tensors of all contenders. Contenders share them, so that all use the same addresses and
/// pages.
class Tensors {
 public:
  Tensors()
      : backend_(make_cpu_backend()),
        bound_(bind({.op = "normalize",
                     .row = "fused",
                     .parameters = "{}",
                     .in = dense(DType::UInt8, Layout::Nchw, {1, 3, 256, 256}, Memory::Pageable),
                     .to = DType::Float32,
                     .layout = Layout::Nchw,
                     .threads = 1,
                     .cache = Cache::Hot},
                    *backend_)),
        in_(memory_of(bound_.signature.in[0])),
        out_(memory_of(bound_.signature.out[0])) {}

  Launch prepare() const { return bound_.kernel.prepare(bound_.op, bound_.signature); }
  std::unique_ptr<Queue> make_queue(int threads) { return backend_->make_queue(threads, nullptr); }
  View in() const { return {in_->data(), bound_.signature.in[0]}; }
  View out() const { return {out_->data(), bound_.signature.out[0]}; }

 private:
  std::unique_ptr<Allocation> memory_of(const TensorDesc& desc) {
    auto memory = backend_->allocate(Memory::Pageable, static_cast<std::size_t>(desc.bytes()));
    backend_->fill(memory->data(), std::byte{100}, static_cast<std::size_t>(desc.bytes()));
    return memory;
  }

  std::unique_ptr<Backend> backend_;
  BoundKernel bound_;
  std::unique_ptr<Allocation> in_, out_;
};

/// The kernel row normalize/fused, which runs on a team of `threads` threads.
class SmallBatch {
 public:
  SmallBatch(Tensors& tensors, int threads)
      : in_(tensors.in()),
        out_(tensors.out()),
        queue_(tensors.make_queue(threads)),
        launch_(tensors.prepare()) {}

  void call() { launch_(*queue_, std::span(&in_, 1), std::span(&out_, 1), {}); }

  /// Calls the kernel `calls` times, and returns the time per call in ns.
  double timed(int calls) {
    const std::int64_t start = clock_.now_ns();
    for (int i = 0; i < calls; ++i) call();
    return static_cast<double>(clock_.now_ns() - start) / calls;
  }

 private:
  const View in_, out_;
  std::unique_ptr<Queue> queue_;
  Launch launch_;
  SystemClock clock_;
};

double back_to_back(SmallBatch& batch) {
  batch.timed(500);
  return batch.timed(500);
}

/// Returns the time of a call after a pause, in ns. Before it, makes one more call after a pause,
/// so that the caches are as they are between rare calls.
template <class Pause>
double after(SmallBatch& batch, Pause pause) {
  pause();
  batch.timed(1);
  pause();
  return batch.timed(1);
}

double after_sleep(SmallBatch& batch) {
  return after(batch, [] { std::this_thread::sleep_for(idle); });
}

double after_work(SmallBatch& batch) {
  return after(batch, [] {
    const auto end = std::chrono::steady_clock::now() + idle;
    while (std::chrono::steady_clock::now() < end) benchmark::ClobberMemory();
  });
}

void report(benchmark::State& state, const std::string& name, std::vector<double> ns) {
  std::ranges::sort(ns);
  state.counters[name + "_us"] = ns[ns.size() / 2] / 1e3;
  state.counters[name + "_p90"] = ns[ns.size() * 9 / 10] / 1e3;
}

void rounds(benchmark::State& state, double (*turn)(SmallBatch&)) {
  const int all = available_threads();
  struct Contender {
    std::string name;
    SmallBatch batch;
    std::vector<double> ns = {};
  };
  Tensors tensors;
  std::array<Contender, 2> contenders{Contender{"one", {tensors, 1}},
                                      Contender{"all", {tensors, all}}};
  std::array<std::size_t, 2> order{0, 1};
  std::mt19937_64 random(1);
  for (auto _ : state) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) contenders[i].ns.push_back(turn(contenders[i].batch));
    state.SetIterationTime(1e-9 * contenders[1].ns.back());
  }
  for (const Contender& contender : contenders) report(state, contender.name, contender.ns);
  const Interval ratio = paired_ratio(contenders[0].ns, contenders[1].ns, 0.95);
  state.counters["one/all"] = ratio.value;
  state.counters["low"] = ratio.low;
  state.counters["high"] = ratio.high;
}

BENCHMARK_CAPTURE(rounds, back_to_back, &back_to_back)->UseManualTime()->Iterations(200);
BENCHMARK_CAPTURE(rounds, after_10_ms_asleep, &after_sleep)->UseManualTime()->Iterations(200);
BENCHMARK_CAPTURE(rounds, after_10_ms_of_work, &after_work)->UseManualTime()->Iterations(200);

}  // namespace
}  // namespace normbench

int main(int argc, char** argv) {
  const int threads = normbench::available_threads();
  std::cout << "Threads are bound " << normbench::explain_binding() << "\n"
            << normbench::explain_team(threads, normbench::data_caches()) << "\n";
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
