/// Tests that run and check cases with several inputs and outputs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>

#include "measure/check.h"
#include "measure/engine.h"
#include "plan/plan.h"

namespace normbench::several_tensors_run_test {
namespace {

using testing::HasSubstr;

constexpr const char* config = R"({"schema": 1, "name": "several", "experiments": [{"name": "norm",
  "source": [
    {"as": ["x"], "dtype": "float32", "shape": [3, 6, 3, 5], "values": {"normal": [100, 2]}},
    {"as": ["dy"], "dtype": "float32", "shape": [3, 6, 3, 5], "values": {"normal": [0, 1]}, "seed": 1},
    {"as": ["gamma"], "dtype": "float32", "shape": [1, 6, 1, 1], "values": {"uniform": [0.5, 2]}}],
  "setup": [{"op": "moments", "groups": 3, "in": ["x"], "as": ["mean", "rstd"]},
            {"op": "scale_shift", "over": "group", "in": ["x", "mean", "rstd"], "as": ["h"]}],
  "outputs": ["dx", "dgamma", "dbeta"],
  "variants": {
    "fused": [{"op": "group_norm", "direction": "backward", "groups": 3,
               "in": ["dy", "x", "gamma", "mean", "rstd"], "as": ["dx", "dgamma", "dbeta"]}],
    "chain": [{"op": "mul", "in": ["dy", "gamma"]},
              {"op": "batch_norm_backward", "in": ["dh", "x", "mean", "rstd"], "as": ["dx"]},
              {"op": "mul", "in": ["dy", "h"]}, {"op": "sum", "as": ["dgamma"]},
              {"op": "sum", "in": ["dy"], "as": ["dbeta"]}]}}]})";

class SeveralTensorsTest : public testing::Test {
 protected:
  SeveralTensorsTest() { backends.list.push_back(make_cpu_backend()); }

  /// Runs case `index` of the plan and lets `spoil` change its outputs. Returns the outcome of the
  /// check.
  CheckOutcome outcome(std::size_t index,
                       const std::function<void(std::vector<View>)>& spoil = {}) {
    std::string text = config;
    const std::string from = R"([{"op": "mul", "in": ["dy", "gamma"]})";
    text.replace(text.find(from), from.size(),
                 R"([{"op": "mul", "in": ["dy", "gamma"], "as": ["dh"]})");
    plan = make_plan("config.json", text, backends, {});
    const Case& planned = plan.groups.at(0).cases.at(index);
    GroupMemory memory({{&planned}}, plan.measure, backends, 1 << 16);
    SystemClock clock;
    Recorder recorder{clock};
    std::mt19937_64 random(1);
    Engine prepared(planned, memory, backends, recorder, clock, random);
    for (int i = 0; i < 3; ++i) {  // each iteration uses another copy of the inputs
      prepared.advance();
      prepared.item().poison({std::byte{0xFF}});
      prepared.iterate({});
    }
    if (spoil) spoil(prepared.item().outputs());
    return check_output(planned, prepared.item().inputs(), prepared.item().outputs(), backends);
  }

  Backends backends;
  Plan plan;
};

TEST_F(SeveralTensorsTest, AllOutputsOfBothFormsAreRight) {
  for (const std::size_t index : {0u, 1u}) {
    const CheckOutcome found = outcome(index);
    EXPECT_TRUE(found.result.ok) << found.reason;
    EXPECT_GT(found.result.bound, 0);
    EXPECT_LT(found.result.bound, 0.1);
  }
}

TEST_F(SeveralTensorsTest, AWrongOutputIsNamedWhicheverItIs) {
  const char* names[] = {"dx", "dgamma", "dbeta"};
  for (std::size_t output = 0; output < 3; ++output) {
    const CheckOutcome found = outcome(0, [&](std::vector<View> outputs) {
      float value = 0;
      std::byte* const last = outputs.at(output).data + outputs[output].desc.bytes() - 4;
      std::memcpy(&value, last, 4);
      value += 1;
      std::memcpy(last, &value, 4);
    });
    EXPECT_FALSE(found.result.ok);
    EXPECT_THAT(found.reason, HasSubstr(fmt::format("wrong output {}: ", names[output])));
  }
}

}  // namespace
}  // namespace normbench::several_tensors_run_test
