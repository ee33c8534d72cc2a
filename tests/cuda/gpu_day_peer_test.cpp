/// Tests PeerServer on a GPU. With it, normbench is a peer: a process that runs cases for another
/// process of normbench. The server must load kernels before its first timed call and warm up
/// before each turn (timed iterations), as cases do that run without a peer.
#include "cuda/cuda_measure.h"
#include "measure/peer_server_fixture.h"

namespace normbench::gpu_day_peer_test {
namespace {

/// A peer that copies images to the device and casts them there.
class GpuDayPeer : public CudaMeasureTest {
 protected:
  void SetUp() override {
    clock.step_ns = 100'000;
    const TensorDesc in = tensor(DType::UInt8);
    TensorDesc sent = in, out = tensor(DType::Float32);
    sent.memory = out.memory = Memory::Device;
    std::vector<Json> stages{stage_message("h2d", Json::object(), in, sent),
                             stage_message("cast", {{"to", "float32"}}, sent, out)};
    for (Json& stage : stages) stage["place"] = "cuda";
    Json message = prepare_message(in, stages);
    message["device"] = "cuda:0";
    ASSERT_EQ(reply(message), Json({{"type", "ready"}}));
  }
  void TearDown() override {
    server.reset();
    CudaMeasureTest::TearDown();
  }

  Json reply(const Json& message) { return server->reply(message.dump()).value(); }
  Json run(std::int64_t iterations, std::int64_t warmup_ns) {
    return reply({{"type", "run"}, {"iterations", iterations}, {"warmup_ns", warmup_ns}});
  }
  /// Returns the number of kernels that a turn of two iterations launches, including its warm-up.
  std::ptrdiff_t launches(std::int64_t warmup_ns) {
    const Calls calls = calls_of([&] { EXPECT_EQ(run(2, warmup_ns).at("type"), "ran"); });
    return std::ranges::count_if(
        calls, [](const std::string& call) { return call.starts_with("cudaLaunchKernel "); });
  }

  std::unique_ptr<PeerServer> server = std::make_unique<PeerServer>(
      clock, [](int device) { return make_backends({.device = device}); });
};

TEST_F(GpuDayPeer, HasItsKernelsThereBeforeItsFirstCallIsTimed) {
  EXPECT_EQ(run(1, 0).at("type"), "ran");
  EXPECT_EQ(cuda.late_loads, 0);
}

TEST_F(GpuDayPeer, WarmsUpByOneIterationWhereItIsToldThatTheDeviceJustWorked) {
  launches(20'000'000);               // the first turn launches more kernels, to measure marks
  EXPECT_EQ(launches(1), 1 + 2 + 2);  // warm-up, two iterations, two readings of the GPU's clock
  EXPECT_GT(launches(20'000'000), 100);
}

}  // namespace
}  // namespace normbench::gpu_day_peer_test
