/// Tests of outputs that have no reference. They are checked against the outputs of another
/// variant.
#include <cstring>

#include "measure/check.h"
#include "measure/peer_fixture.h"

namespace normbench::standard_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct StandardTest : RunTest {
  StandardTest() {
    plan.measure.max_seconds_per_group = 0;
    for (FakeRow& row : fake->rows) row.then = [](const FakeCall& call) { fill(call, 0); };
  }

  /// Fills the output with the values 0 to 99, repeated. From call `from` on, element 10 is too
  /// large by `error`.
  static void fill(const FakeCall& call, float error, std::int64_t from = 0) {
    const View& out = call.out[0];
    for (std::int64_t i = 0; i < out.desc.elements(); ++i) {
      const float value =
          static_cast<float>(i % 100) + (i == 10 && call.number >= from ? error : 0);
      std::memcpy(out.data + 4 * i, &value, 4);
    }
  }
  void spoil(int row, float error, std::int64_t from = 0) {
    fake->rows[static_cast<std::size_t>(row)].then = [=](const FakeCall& call) {
      fill(call, error, from);
    };
  }
  Case model_case(const std::string& variant, int row, const std::string& network = "resnet18") {
    Source source = small_source();
    source.dtype = DType::Float32;
    return fake_case(*fake, variant, source, {{.op = Model{.network = network}, .row = row}});
  }
  static CheckResult held(double error, const std::string& to) {
    return {.ok = true,
            .max_abs_error = error,
            .bound = 1e-5 + 1e-3 * 99,
            .bound_share = error / (1e-5 + 1e-3 * 99),
            .held_to = HeldTo::Variant,
            .variant = to};
  }
};

TEST_F(StandardTest, TheBaselinesIsThatOfTheOthers) {
  spoil(0, 0.0625);  // within the bound of 0.099
  add_group({model_case("a", 0), model_case("b", 1), model_case("c", 1)}).baseline = "b";
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].check, held(0.0625, "b"));
  EXPECT_EQ(group.cases[1].check, held(0.0625, "a"));
  EXPECT_EQ(group.cases[2].check, held(0, "b"));
  for (const CaseResult& result : group.cases) {
    EXPECT_EQ(result.status, Status::Ok) << result.reason;
    EXPECT_THAT(result.notes, IsEmpty());
  }
  EXPECT_EQ(read_group(to_json(group)), group);
}

TEST_F(StandardTest, OneThatDiffersFailsAndNamesTheOther) {
  spoil(1, 0.125);
  add_group({model_case("eager", 0), model_case("odd", 1), model_case("compiled", 2)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_EQ(group.cases[1].reason,
            "wrong output: error 0.12 at [0, 10, 0, 0], bound 0.099 (expected 10 by \"eager\", "
            "got 10.125)");
  EXPECT_FALSE(group.cases[1].check.ok);
  EXPECT_EQ(group.cases[1].check.variant, "eager");
  EXPECT_THAT(group.cases[1].rounds, IsEmpty());
  EXPECT_EQ(group.cases[0].check, held(0, "compiled"));
  EXPECT_EQ(group.cases[2].status, Status::Ok);
}

TEST_F(StandardTest, LaterOutputsAreHeldToItToo) {
  spoil(1, 1, 2);
  add_group({model_case("eager", 0), model_case("later", 1), model_case("compiled", 2)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_THAT(group.cases[1].reason, HasSubstr("expected 10 by \"eager\", got 11"));
  EXPECT_EQ(group.cases[0].status, Status::Ok);
  EXPECT_EQ(group.cases[0].check.variant, "compiled");  // not "later", which failed
}

TEST_F(StandardTest, SoIsItsOwnLastOutput) {
  spoil(0, 1, 2);
  add_group({model_case("eager", 0), model_case("compiled", 1)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].status, Status::Failed);
  EXPECT_THAT(group.cases[0].reason, HasSubstr("expected 10 at its first call, got 11"));
  EXPECT_EQ(group.cases[1].status, Status::Ok);
}

TEST_F(StandardTest, AloneNothingIsChecked) {
  add_group({model_case("resnet18", 0), model_case("resnet50", 1, "resnet50"),
             cast_case("another result", 2)});
  fake->rows[2].then = {};
  const GroupResult group = run_plan().groups[0];
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(group.cases[i].status, Status::Ok) << group.cases[i].reason;
    EXPECT_EQ(group.cases[i].check, (CheckResult{.ok = true, .held_to = HeldTo::Nothing}));
    EXPECT_THAT(
        group.cases[i].notes,
        ElementsAre(
            "not checked: model has no reference, and no other variant has the same output"));
  }
  EXPECT_EQ(group.cases[2].check.held_to, HeldTo::Reference);
  EXPECT_EQ(read_group(to_json(group)), group);
}

TEST_F(StandardTest, NoneThatAgreesIsNoCheckEither) {
  spoil(1, 5);
  add_group({model_case("a", 0), model_case("b", 1)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[1].status, Status::Failed);
  EXPECT_EQ(group.cases[0].check.held_to, HeldTo::Nothing);
  EXPECT_THAT(group.cases[0].notes, testing::SizeIs(1));
}

TEST_F(StandardTest, WhatIsNoNumberIsNoStandard) {
  spoil(0, std::numeric_limits<float>::infinity());
  add_group({model_case("broken", 0), model_case("b", 1), model_case("c", 1)});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].reason, "wrong output: inf at [0, 10, 0, 0] is not a finite number");
  EXPECT_FALSE(group.cases[0].check.ok);
  EXPECT_EQ(group.cases[1].check, held(0, "c"));
}

TEST_F(StandardTest, HalvesMayBeFartherApart) {
  const auto bound = [&](DType dtype, Place place) {
    Case planned = model_case("v", 0);
    planned.stages[0].place = place;
    planned.stages[0].signature.out[0].dtype = dtype;
    const Tensor64 logits{{1, 1, 1, 2}, {-100, 3}};
    return hold_to({&planned, logits}, planned, logits).result.bound;
  };
  EXPECT_DOUBLE_EQ(bound(DType::Float32, Place::Cpu), 1e-5 + 0.1);
  EXPECT_DOUBLE_EQ(bound(DType::Float32, Place::Cuda), 1e-5 + 0.8);  // a GPU may use TF32
  EXPECT_DOUBLE_EQ(bound(DType::Float16, Place::Cpu), 1e-5 + 0.8);
  EXPECT_DOUBLE_EQ(bound(DType::BFloat16, Place::Cuda), 1e-5 + 12.8);
}

TEST_F(StandardTest, PeersAreHeldToOneAnother) {
  plan.measure.turn_timeout_seconds = 20;
  const auto peer_case = [&](const std::string& how) {
    Case planned = model_case("peer " + how, 0);
    planned.peer = how;
    planned.stages[0].kernel = nullptr;
    plan.peers[how] = tiny(how);
    return planned;
  };
  add_group({peer_case("right"), peer_case("spans 1"), peer_case("wrong")});
  const GroupResult group = run_plan().groups[0];
  EXPECT_EQ(group.cases[0].status, Status::Ok) << group.cases[0].reason;
  EXPECT_EQ(group.cases[1].check.variant, "peer right");
  EXPECT_EQ(group.cases[2].status, Status::Failed);
  EXPECT_THAT(group.cases[2].reason, HasSubstr(" by \"peer right\", got "));
  EXPECT_THAT(children(), IsEmpty());
}

}  // namespace
}  // namespace normbench::standard_test
