#include "measure/peer/plan.h"
#include "measure/peer_server_fixture.h"
#include "plan/memory.h"

namespace normbench::peer_plan_test {
namespace {

class PeerPlanTest : public testing::Test {
 protected:
  PeerPlanTest() { options.base_dir = testing::TempDir(); }

  const Backends backends = cpu_alone();
  PlanOptions options;
};

TEST_F(PeerPlanTest, RotatesOverAsManyCopiesAsAreSaid) {
  for (const Shape shape : {Shape{1, 3, 1, 1}, Shape{2, 3, 4, 5}, Shape{1, 3, 224, 224}})
    for (const std::int64_t copies : {1, 2, 3, 8, 1001}) {
      const TensorDesc in = tensor(DType::UInt8, Layout::Nchw, shape);
      const TensorDesc out = tensor(DType::Float32, Layout::Nchw, shape);
      Json message = prepare_message(in, {stage_message("cast", {{"to", "float32"}}, in, out)});
      message["copies"] = copies;
      const PeerPrepare said = read_prepare(message);
      const Plan plan = plan_peer_case(said, backends, options);
      EXPECT_EQ(plan.measure.cache, copies > 1 ? Cache::Cold : Cache::Hot);
      EXPECT_EQ(source_copies(plan.groups[0].cases[0], plan.measure.cache, cache_bytes_of(said)),
                copies);
    }
}

TEST_F(PeerPlanTest, IsSkippedWhereItDoesNotFit) {
  Json message = normalize_message(plain);
  message["copies"] = 1'000'000;
  const PeerPrepare said = read_prepare(message);
  options.free_bytes.host = 1'000'000;
  EXPECT_THAT([&] { plan_peer_case(said, backends, options); },
              testing::ThrowsMessage<Unsupported>(
                  testing::StartsWith("needs 341 MB of host memory, 1.00 MB are free; ")));
}

TEST_F(PeerPlanTest, IsSkippedWhereOnlyOtherPeersCan) {
  const TensorDesc in = tensor(DType::Float32, Layout::Nchw, {1, 3, 8, 8});
  const TensorDesc out = tensor(DType::Float32, Layout::Nchw, {1, 1000, 1, 1});
  const Json message =
      prepare_message(in, {stage_message("model", {{"name", "resnet18"}}, in, out)});
  EXPECT_THAT([&] { plan_peer_case(read_prepare(message), backends, options); },
              testing::ThrowsMessage<Unsupported>("normbench has no kernel of \"model\""));
}

TEST_F(PeerPlanTest, LeavesMembersToTheirDefaults) {
  const TensorDesc in = tensor(DType::UInt8);
  const Json stage = {{"op", "cast"}, {"parameters", {{"to", "float32"}}}};
  Json message = prepare_message(in, {stage});
  for (const char* member : {"threads", "device", "copies"}) message.erase(member);
  const Plan plan = plan_peer_case(read_prepare(message), backends, options);
  const Case& planned = plan.groups[0].cases[0];
  EXPECT_EQ(planned.threads, 1);
  EXPECT_EQ(plan.measure.cache, Cache::Hot);
  EXPECT_EQ(planned.result(), tensor(DType::Float32));
}

TEST_F(PeerPlanTest, KeepsWhatTheMessageSays) {
  const TensorDesc in = tensor(DType::UInt8);
  TensorDesc out = tensor(DType::Float32);
  out.memory = Memory::PageableHuge;
  Json stage = stage_message("normalize", plain, in, out);
  stage["kernel"] = "reference";
  stage["output"] = "fresh";
  Json message = prepare_message(in, {stage});
  message["threads"] = 3;
  message["unknown"] = {1, 2};
  const Plan plan = plan_peer_case(read_prepare(message), backends, options);
  const Case& planned = plan.groups[0].cases[0];
  EXPECT_EQ(planned.threads, 3);
  EXPECT_EQ(planned.result(), out);
  EXPECT_EQ(planned.stages[0].kernel->name, "reference");
  EXPECT_EQ(planned.stages[0].output, OutputPolicy::Fresh);
}

TEST_F(PeerPlanTest, ReadsTheDeviceNumber) {
  Json message = normalize_message(plain);
  EXPECT_EQ(read_prepare(message).device, 0);
  message["device"] = "cuda:12";
  EXPECT_EQ(read_prepare(message).device, 12);
}

}  // namespace
}  // namespace normbench::peer_plan_test
