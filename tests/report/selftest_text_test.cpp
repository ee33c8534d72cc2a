#include "report/selftest_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backend/cpu/simd_targets.h"
#include "measure/selftest/selftest.h"
#include "planted_backend.h"

namespace normbench::selftest_text_test {
namespace {

using selftest::Findings;
using selftest::NotTested;
using selftest::PlaceFinding;

class NoDevice final : public Backend {
 public:
  Place place() const override { return Place::Cuda; }
  std::optional<std::string> unavailable() const override { return "no CUDA device (none)"; }
  std::span<const Kernel> kernels() const override { return {}; }
  std::unique_ptr<Queue> make_queue(int, Recorder*) override { return nullptr; }
  std::unique_ptr<Allocation> allocate(Memory, std::size_t) override { return nullptr; }
};

Findings found() {
  Backends backends;
  backends.list.push_back(std::make_unique<PlantedBackend>(std::vector{
      planted<Load, Bug::None>("decode"), planted<Cast, Bug::None>("right"),
      planted<Copy, Bug::None>("right"), planted<Copy, Bug::NotANumber>("not_a_number"),
      planted<Stream, Bug::None>("right"), planted<FirstTouch, Bug::Throws>("throws")}));
  backends.list.push_back(std::make_unique<NoDevice>());
  return selftest::run(backends, {.quick = true});
}

TEST(SelftestText, IsATableThenTheFailuresThenALineForEachPlace) {
  EXPECT_EQ(selftest_text(found()),
            R"text(Every kernel against its op's reference in double · seed 1 · quick
  op           kernel        place  cases  runs  max error  bound  verdict
  cast         right         cpu       49    98       0.12   0.13  right
  copy         right         cpu       55   110          0      0  right
  copy         not_a_number  cpu       55   100        nan      0  10 WRONG
  stream       right         cpu       55   110          -      -  in bounds
  first_touch  throws        cpu        1     0          -      -  1 WRONG
cpu copy/not_a_number: 1x1x1x1 float32 nchw -> float32 nchw: element 0: nan instead of 302.890625,
  bound 0
cpu first_touch/throws: 1x1x1x1 uint8 nchw -> uint8 nchw: a call failed
cpu: load/decode is left out: there are no cases for load
cpu: 5 rows, 215 cases, 2 rows WRONG
cuda: skipped: no GPU (no CUDA device (none))
)text");
}

TEST(SelftestText, SaysWhenAllIsRight) {
  const Findings findings{
      .places = {{.rows = {{.op = "copy", .kernel = "nt", .accepted = 1234, .runs = 4936}}},
                 {.place = Place::Cuda}}};
  EXPECT_EQ(selftest_text(findings),
            "Every kernel against its op's reference in double · seed 1\n"
            "  op    kernel  place  cases   runs  max error  bound  verdict\n"
            "  copy  nt      cpu    1,234  4,936          -      -  in bounds\n"
            "cpu: 1 row, 1,234 cases, all right\n"
            "cuda: no row to test\n");
}

TEST(SelftestText, SaysWhichRowsAnInterruptLeftUnfinished) {
  const Findings findings{
      .places = {
          {.rows = {
               {.op = "copy", .kernel = "nt", .accepted = 4, .runs = 8},
               {.op = "cast", .kernel = "eager", .accepted = 1, .runs = 2, .finished = false}}}}};
  EXPECT_EQ(selftest_text(findings),
            "Every kernel against its op's reference in double · seed 1\n"
            "  op    kernel  place  cases  runs  max error  bound  verdict\n"
            "  copy  nt      cpu        4     8          -      -  in bounds\n"
            "  cast  eager   cpu        1     2          -      -  not finished\n"
            "cpu: 2 rows, 5 cases, 1 row not finished\n");
}

TEST(SelftestText, SaysWhatTheRowsOfACpuWereRunOn) {
  const Findings findings{
      .places = {{.rows = {{.op = "copy", .kernel = "nt", .accepted = 1, .runs = 6}},
                  .simd = {"AVX3", "AVX2", "SCALAR"},
                  .teams = {1, 2, 3},
                  .notes = {{.kind = NotTested::Kind::Simd}}}}};
  EXPECT_EQ(selftest_text(findings),
            "Every kernel against its op's reference in double · seed 1\n"
            "  op    kernel  place  cases  runs  max error  bound  verdict\n"
            "  copy  nt      cpu        1     6          -      -  in bounds\n"
            "cpu: not tested: " +
                std::string(foreign_simd()) +
                "\n"
                "cpu: each row on AVX3, AVX2, SCALAR; the same bits from teams of 1, 2, 3\n"
                "cpu: 1 row, 1 case, all right\n");
  EXPECT_EQ(selftest_json(findings)["places"][0]["simd"], Json({"AVX3", "AVX2", "SCALAR"}));
}

TEST(SelftestText, SaysWhatWasLeftOutAndWhy) {
  const auto told = [](const NotTested& note) {
    const Json json = selftest_json({.places = {{.notes = {note}}}});
    return json["places"][0]["notes"][0].get<std::string>();
  };
  EXPECT_EQ(told({.kind = NotTested::Kind::NoCases, .op = "load", .kernel = "decode"}),
            "load/decode is left out: there are no cases for load");
  EXPECT_EQ(told({.kind = NotTested::Kind::Simd, .missing = {"AVX3"}, .unasked = {"SSE4"}}),
            "not tested: AVX3 (this CPU lacks it), SSE4 (--simd all tests it), " +
                std::string(foreign_simd()));
  const auto large = [&](NotTested::Kind kind) {
    return told({.kind = kind,
                 .need_bytes = 6'490'000'000,
                 .free_bytes = 16'200'000'000,
                 .error = "out of memory"});
  };
  const std::string left_out = "tensors of more than 2^31 elements are left out: ";
  EXPECT_EQ(large(NotTested::Kind::MemoryUnknown), left_out + "how much memory is free is unknown");
  EXPECT_EQ(large(NotTested::Kind::TooLarge),
            left_out + "they need 6.49 GB, which is more than 40 % of 16.2 GB");
  EXPECT_EQ(large(NotTested::Kind::NotAsked),
            left_out + "they need 6.49 GB of 16.2 GB (run them with --large)");
  EXPECT_EQ(large(NotTested::Kind::Interrupted), left_out + "interrupted");
  EXPECT_EQ(large(NotTested::Kind::Failed), left_out + "out of memory");
}

TEST(SelftestJson, HasAllThatWasFound) {
  Findings findings = found();
  auto& rows = findings.places[0].rows;
  rows = {rows[0], rows[2]};
  EXPECT_EQ(selftest_json(findings).dump(1), R"json({
 "seed": 1,
 "quick": true,
 "places": [
  {
   "place": "cpu",
   "unavailable": null,
   "lost": null,
   "failed_rows": 1,
   "rows": [
    {
     "op": "cast",
     "kernel": "right",
     "offered": 49,
     "accepted": 49,
     "runs": 98,
     "wrong": 0,
     "finished": true,
     "max_error": 0.125,
     "bound": 0.12506103515625,
     "worst": "3x4x8x64 float32 nchw -> float16 nchw",
     "failure": ""
    },
    {
     "op": "copy",
     "kernel": "not_a_number",
     "offered": 55,
     "accepted": 55,
     "runs": 100,
     "wrong": 10,
     "finished": true,
     "max_error": null,
     "bound": 0.0,
     "worst": "1x1x1x1 float32 nchw -> float32 nchw",
     "failure": "1x1x1x1 float32 nchw -> float32 nchw: element 0: nan instead of 302.890625, bound 0"
    }
   ],
   "simd": [],
   "teams": [
    1,
    3
   ],
   "notes": [
    "load/decode is left out: there are no cases for load"
   ]
  },
  {
   "place": "cuda",
   "unavailable": "no CUDA device (none)",
   "lost": null,
   "failed_rows": 0,
   "rows": [],
   "simd": [],
   "teams": [],
   "notes": []
  }
 ]
})json");
}

}  // namespace
}  // namespace normbench::selftest_text_test
