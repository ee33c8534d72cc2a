#include <array>
#include <nlohmann/json.hpp>

#include "cuda/cuda_fixture.h"

namespace normbench::failures_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Shape shape{1, 3, 4, 4};

TensorDesc desc(Memory memory, DType dtype = DType::UInt8) {
  return dense(dtype, Layout::Nchw, shape, memory);
}

/// A backend with a queue and memory of several kinds.
struct Use {
  Use() = default;
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  /// Drains the queue first: memory may only be released when no work uses it.
  ~Use() {
    error_of([&] { queue->drain(); });
  }

  /// Pageable memory. It is declared before the queue, so it is destroyed after the queue, even if
  /// a call has failed.
  std::array<std::byte, 48> host{};
  std::unique_ptr<Backend> backend = make_cuda_backend({});
  std::unique_ptr<Queue> queue = started(*backend).make_queue(1, nullptr);
  std::vector<std::unique_ptr<Allocation>> kept;

  static Backend& started(Backend& backend) {
    if (backend.unavailable()) throw std::runtime_error(*backend.unavailable());
    return backend;
  }
  View make(Memory memory, DType dtype = DType::UInt8) {
    const TensorDesc made = desc(memory, dtype);
    kept.push_back(backend->allocate(memory, static_cast<std::size_t>(made.bytes())));
    return {kept.back()->data(), made};
  }
  void submit(std::string_view row, const Op& op, const View& in, const View& out) {
    bind(row_of(*backend, name_of(op), row), op, in, out).submit(*queue);
  }
};

void every_kind(Use& use) {
  for (const auto& memory : words(Memory{}))
    if (cuda_owns(memory.value)) use.make(memory.value);
}

void fresh_outputs(Use& use) {
  for (const OutputPolicy policy : {OutputPolicy::Fresh, OutputPolicy::CudaMalloc})
    use.backend->allocate_fresh(policy, Memory::Device, 64, *use.queue);
}

void copy_and_fill(Use& use) {
  const View device = use.make(Memory::Device);
  use.backend->fill(device.data, std::byte{1}, use.host.size());
  use.backend->copy(use.host.data(), device.data, use.host.size());
}

void facts(Use& use) {
  use.backend->describe();
  use.backend->condition();
}

void marks(Use& use) {
  use.queue->mark();
  use.queue->mark();
  use.queue->wait(1);
  use.queue->ns_between(0, 1);
  use.queue->drain();
}

void graph(Use& use) {
  const View host = use.make(Memory::Pinned), device = use.make(Memory::Device);
  use.queue->begin_capture();
  use.submit("async", H2d{}, host, device);
  const auto captured = use.queue->end_capture();
  use.queue->launch(*captured);
  use.queue->drain();
}

void transfers(Use& use) {
  const View host = use.make(Memory::Mapped), device = use.make(Memory::Device);
  for (const std::string_view row : {"reference", "async", "kernel"}) {
    use.submit(row, H2d{}, host, device);
    use.submit(row, D2h{}, device, host);
  }
}

void host_calls(Use& use) {
  const View host{use.host.data(), desc(Memory::Pageable)};
  const View device = use.make(Memory::Device);
  use.submit("cuda_host_register", Register{}, host, host);
  use.submit("async", H2d{}, host, device);
  const Signature s{.in = {device.desc, host.desc}, .out = {device.desc}};
  const std::array in{device, host};
  row_of(*use.backend, "unregister", "cuda_host_unregister")
      .prepare(Unregister{}, s)(*use.queue, in, std::span(&device, 1), {});
}

void constants(Use& use) {
  const View in = use.make(Memory::Device), out = use.make(Memory::Device, DType::Float32);
  for (const auto& when : words(Constants{})) {
    use.submit("fused", Normalize{.mean = {1, 2, 3}, .std = {1}, .constants = when.value}, in, out);
    use.submit("eager", Sub{.mean = {1, 2, 3}, .constants = when.value}, out, out);
  }
  use.submit("direct", Resize{.height = 4, .width = 4}, in, in);
}

struct Scenario {
  friend void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

  std::string name;
  void (*work)(Use&);
};

/// Returns the words that an error message uses for a failed call.
std::string words_for(const std::string& call) {
  if (call == "cudaGetDeviceCount") return "no CUDA device";
  if (call == "cudaFuncGetAttributes") return "loading a kernel";
  if (call == "cudaLaunchKernel") return "launching";
  return call;
}

bool releases(const std::string& call) {
  for (const char* const word : {"Free", "Destroy", "Unregister"})
    if (call.find(word) != std::string::npos) return true;
  return false;
}

/// Runs a scenario once for each runtime call that it makes. Each time, another call fails.
class Failures : public CudaTest, public ::testing::WithParamInterface<Scenario> {
 protected:
  /// Runs the scenario. Returns its error, or "", and the number of runtime calls that it made
  /// before destructors ran. After an error, the number is 0.
  std::pair<std::string, std::size_t> run() {
    std::size_t finished = 0;
    const std::string error = error_of([&] {
      Use use;
      GetParam().work(use);
      use.queue->drain();
      use.kept.clear();
      finished = cuda.log.size();
    });
    return {error, finished};
  }
  void expect_said(const std::string& call, const std::string& error) {
    EXPECT_THAT(error, HasSubstr(words_for(call)));
    EXPECT_THAT(error, HasSubstr("cudaErrorDevicesUnavailable"));
    if (call == "cudaGetDeviceCount") return;
    EXPECT_THAT(error, HasSubstr("another process may hold the GPU"));
  }
};

TEST_P(Failures, AreSaidAndLeaveNothingBehind) {
  const auto [none, finished] = run();
  ASSERT_EQ(none, "");
  const Calls calls = cuda.log;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE("call " + std::to_string(i) + ": " + calls[i]);
    new_fake_cuda();
    cuda.failing_call = i;
    cuda.failing_code = cudaErrorDevicesUnavailable;
    const std::string call = calls[i].substr(0, calls[i].find(' '));
    const std::string error = run().first;
    if (i < finished && !releases(call)) expect_said(call, error);
    EXPECT_THAT(cuda.live(), IsEmpty());
    EXPECT_THAT(cuda.violations, IsEmpty());
    EXPECT_EQ(run().first, "");
    EXPECT_THAT(cuda.live(), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Failures,
    ::testing::Values(Scenario{"every_kind", &every_kind}, Scenario{"fresh", &fresh_outputs},
                      Scenario{"copy_and_fill", &copy_and_fill}, Scenario{"facts", &facts},
                      Scenario{"marks", &marks}, Scenario{"graph", &graph},
                      Scenario{"transfers", &transfers}, Scenario{"host_calls", &host_calls},
                      Scenario{"constants", &constants}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace normbench::failures_test
