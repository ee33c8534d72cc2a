#include "document/results.h"

#include <gmock/gmock.h>

#include "core/issue.h"
#include "document/random_results.h"

namespace normbench::results_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

Json parse(const std::string& text) {
  std::vector<Issue> issues;
  Json json = parse_json(text, issues);
  EXPECT_TRUE(issues.empty());
  return json;
}

TEST(Results, AreReadBackAsTheyWere) {
  for (int seed = 0; seed < 300; ++seed) {
    const Results results = RandomResults(seed).results();
    EXPECT_EQ(read_results(parse(to_json(results).dump())), results) << "seed " << seed;
  }
}

TEST(Results, OfAGroupAreReadBackAsTheyWere) {
  for (int seed = 0; seed < 300; ++seed) {
    const GroupResult group = RandomResults(seed).group();
    EXPECT_EQ(read_group(parse(to_json(group).dump())), group) << "seed " << seed;
  }
}

GroupResult one_case() {
  GroupResult group;
  group.experiment = "place";
  group.point = {{"batch", 8}};
  group.order = {{0}, {0}};
  CaseResult& c = group.cases.emplace_back();
  c.variant = "fused";
  c.iterations = 3;
  c.rounds = {{.wall_ns = 10, .cpu_ns = 9, .counters = {.minor_faults = 0}},
              {.wall_ns = 12, .cpu_ns = 0, .counters = {.minor_faults = 4}}};
  c.check.max_abs_error = std::nan("");
  c.stages = {{.op = "cast",
               .label = "cast",
               .kernel = "fused",
               .place = Place::Cpu,
               .out = dense(DType::Float16, Layout::Nhwc, {8, 3, 4, 5}, Memory::PageableHuge),
               .min_bytes = 1440,
               .bytes = 1440,
               .output = OutputPolicy::Reuse,
               .rounds_ns = {}}};
  return group;
}

constexpr const char* kOneCase =
    R"({"experiment":"place","question":"","point":{"batch":8},"baseline":"","stop":"",)"
    R"("order":[[0],[0]],"cases":[{"variant":"fused","axes":{},"status":"ok","reason":"",)"
    R"("threads":1,"iterations":3,"images":0,"source_bytes":0,"result_bytes":0,"first_call_ns":0,)"
    R"("stages":[{"op":"cast","label":"cast","kernel":"fused","place":"cpu",)"
    R"("out":{"dtype":"float16","shape":[8,3,4,5],"layout":"nhwc","memory":"pageable_huge"},)"
    R"("min_bytes":1440,"bytes":1440,"link_bytes":0,"flops":0,"output":"reuse","rounds_ns":[],"staged":false}],)"
    R"("rounds":{"wall_ns":[10,12],"cpu_ns":[9,0],"minor_faults":[0,4]},)"
    R"("check":{"ok":false,"max_abs_error":null,"bound":0.0},"notes":[]}],)"
    R"("limits":[],"profile":[],"published":[],"claims":[]})";

TEST(Results, HaveTheDocumentsForm) { EXPECT_EQ(to_json(one_case()).dump(), kOneCase); }

constexpr const char* kProfile =
    R"({"variant":"fused","steps":10,"overhead":1.5,"rows":[{"name":"cast","place":"cpu",)"
    R"("calls":10,"self_cpu_ns":1,"cpu_ns":2,"self_device_ns":0,"device_ns":0,"shapes":""}]})";

TEST(Results, OfAProfileLeaveOutWhatItDoesNotSay) {
  GroupResult group = one_case();
  group.profile = {{.variant = "fused",
                    .steps = 10,
                    .overhead = 1.5,
                    .rows = {{.name = "cast",
                              .place = Place::Cpu,
                              .shapes = "",
                              .calls = 10,
                              .self_cpu_ns = 1,
                              .cpu_ns = 2}}}};
  EXPECT_EQ(to_json(group)["profile"][0].dump(), kProfile);
}

TEST(Results, OfAProfileSayWhereDeviceTimesComeFromAndWhatWasLost) {
  GroupResult group = one_case();
  group.profile = {{.variant = "fused",
                    .discarded = 2,
                    .device_times = DeviceTimes::Cupti,
                    .times = {.wall_ns = 3, .gaps = 1},
                    .losses = {.launches = 4, .launched = 4},
                    .rows = {{.name = "cast",
                              .place = Place::Cuda,
                              .shapes = "",
                              .annotation = true,
                              .min_ns = 1,
                              .p50_ns = 2,
                              .p95_ns = 3,
                              .max_ns = 4,
                              .bytes = 5,
                              .faults = 6}}}};
  EXPECT_EQ(
      to_json(group)["profile"][0].dump(),
      R"({"variant":"fused","steps":0,"discarded":2,"overhead":0.0,"device_times":"CUPTI",)"
      R"("times":{"wall_ns":3,"busy_ns":0,"copy_ns":0,"exposed_copy_ns":0,"overlap_ns":0,"gaps":1,)"
      R"("gap_ns":0},"losses":{"dropped":0,"lost_buffers":0,"without_times":0,"launches":4,"launched":4,)"
      R"("without_launch":0,"before_launch":0,"most_skew_ns":0},"rows":[{"name":"cast",)"
      R"("place":"cuda","calls":0,"self_cpu_ns":0,"cpu_ns":0,"self_device_ns":0,"device_ns":0,)"
      R"("shapes":"","annotation":true,"min_ns":1,"p50_ns":2,"p95_ns":3,"max_ns":4,"bytes":5,)"
      R"("faults":6}]})");
}

TEST(GpuDayCutBlock, IsWrittenApartAndLeftOutWhereNothingWasCut) {
  GroupResult group = one_case();
  group.cut_order = {{0}};
  group.cases[0].cut_rounds = {{.wall_ns = 14, .counters = {}}};
  const Json document = to_json(group);
  EXPECT_EQ(document["cut_order"], Json::parse("[[0]]"));
  EXPECT_EQ(document["cases"][0]["cut_rounds"], Json::parse(R"({"wall_ns":[14]})"));
  EXPECT_EQ(document["cases"][0]["rounds"], parse(kOneCase)["cases"][0]["rounds"]);
  EXPECT_EQ(to_json(read_group(document)), document);
  EXPECT_FALSE(to_json(one_case()).contains("cut_order"));
  EXPECT_FALSE(to_json(one_case())["cases"][0].contains("cut_rounds"));
}

TEST(GpuDayCutBlock, NamesItsMistakes) {
  GroupResult group = one_case();
  group.cut_order = {{1}};
  EXPECT_THAT([&] { read_group(to_json(group)); },
              ThrowsMessage<Invalid>("/cut_order: contender 1 of 1 (counted from 0)"));
}

TEST(Results, OfNothingKeepTheirNumberOfRounds) {
  GroupResult group = one_case();
  group.cases[0].check.max_abs_error = 0;
  Round round;
  round.wall_ns = 1;
  group.cases[0].rounds = {round, round, round};
  EXPECT_EQ(read_group(to_json(group)), group);
}

TEST(Results, IgnoreWhatWasDerived) {
  Json document = parse(kOneCase);
  document["verdict"] = {{"winner", 3}};
  document["cases"][0]["summary"] = "anything";
  document["cases"][0]["rounds"]["flags"] = {1};
  EXPECT_EQ(to_json(read_group(document)).dump(), kOneCase);
}

TEST(Results, OfOlderDocumentsMayLackWords) {
  Json document = parse(kOneCase);
  document["cases"][0]["stages"][0]["place"] = "";
  document["cases"][0]["stages"][0].erase("output");
  document.erase("stop");
  EXPECT_EQ(read_group(document), read_group(parse(kOneCase)));
}

/// One wrong value in a document, and the message that reading the document gives.
struct Wrong {
  const char* pointer;
  Json value;
  const char* message;
};

TEST(Results, OfOlderDocumentsNameTheRowOfConstants) {
  const GroupResult group = read_group(
      {{"experiment", "e"},
       {"cases", Json::array()},
       {"profile", {{{"variant", "a"}, {"rows", {{{"name", "constants"}}, {{"name", "sub"}}}}}}}});
  EXPECT_TRUE(group.profile.at(0).rows.at(0).constants);
  EXPECT_FALSE(group.profile.at(0).rows.at(1).constants);
}

TEST(Results, OfOlderDocumentsSayByALabelThatAKernelWasForced) {
  Json document = parse(kOneCase);
  EXPECT_FALSE(read_group(document).cases.at(0).stages.at(0).forced);
  document["cases"][0]["stages"][0]["label"] = "cast (fused)";
  EXPECT_TRUE(read_group(document).cases.at(0).stages.at(0).forced);
}

TEST(Results, HaveTheRangesOfStagesWhereThereAreSome) {
  GroupResult group = one_case();
  group.cases[0].stages[0].ranges = {"outer", "inner{i}"};
  group.cases[0].stages[0].forced = true;
  const Json json = to_json(group);
  EXPECT_EQ(json["cases"][0]["stages"][0]["ranges"], (Json{"outer", "inner{i}"}));
  EXPECT_EQ(read_group(json).cases.at(0).stages, group.cases[0].stages);
  EXPECT_THAT(read_group(parse(kOneCase)).cases.at(0).stages.at(0).ranges, testing::IsEmpty());
}

TEST(Results, NameWhatIsWrongInAGroup) {
  const std::vector<Wrong> all{
      {"/cases", 3, "/cases: expected a list"},
      {"/cases/0", 3, "/cases/0: "},
      {"/cases/0/status", "fine", "/cases/0/status: unknown"},
      {"/cases/0/stages/0/place", "gpu", "/cases/0/stages/0/place: unknown"},
      {"/cases/0/stages/0/output", 3, "/cases/0/stages/0/output: expected"},
      {"/stop", "bored", "/stop: unknown"},
      {"/cases/0/variant", nullptr, "/cases/0/variant: expected"},
      {"/cases/0/axes", Json::array(), "/cases/0/axes: expected an object"},
      {"/cases/0/threads", 1e12, "/cases/0/threads: must be at most 2147483647"},
      {"/cases/0/iterations", "3", "/cases/0/iterations: expected"},
      {"/cases/0/iterations", 0, "/cases/0/iterations: is 0, but it has rounds"},
      {"/cases/0/iterations", -3, "/cases/0/iterations: must be at least 0, got -3"},
      {"/cases/0/images", 1e300, "/cases/0/images: must be at most 1000000000000000"},
      {"/cases/0/pipeline", Json::parse(R"({"in_flight": 1, "submit": "lane", "lanes": [
         {"name": "a", "servers": 1, "threads": 1, "stages": [7]}]})"),
       "/cases/0/pipeline/lanes: lane \"a\" has stage 7 of "},
      {"/cases/0/pipeline", Json::parse(R"({"in_flight": 1, "submit": "lane", "lanes": [
         {"name": "a", "servers": 0, "threads": 1, "stages": [0]}]})"),
       "/cases/0/pipeline/lanes/0/servers: must be at least 1, got 0"},
      {"/cases/0/rounds/wall_ns",
       {10, 12, 13},
       "/cases/0/rounds/cpu_ns: expected 3 values, as many as in \"wall_ns\""},
      {"/cases/0/rounds/wall_ns",
       {-10, 12},
       "/cases/0/rounds/wall_ns/0: must be at least 1, got -10"},
      {"/cases/0/rounds/wall_ns", {10, 0}, "/cases/0/rounds/wall_ns/1: must be at least 1, got 0"},
      {"/cases/0/rounds/wall_ns", nullptr, "/cases/0/rounds: has no \"wall_ns\""},
      {"/cases/0/rounds/cpu_ns/0", -1, "/cases/0/rounds/cpu_ns/0: must be at least 0, got -1"},
      {"/cases/0/stages/0/rounds_ns",
       {1},
       "/cases/0/stages/0/rounds_ns: has 1 values (expected 2,"},
      {"/cases/0/check/psnr_db", nullptr, "/cases/0/check/psnr_db: expected a number, got null"},
      {"/cases/0/rounds/wall_ns/0", "x", "/cases/0/rounds/wall_ns"},
      {"/cases/0/stages/0/out/dtype", "fp61", "/cases/0/stages/0/out/dtype: unknown"},
      {"/cases/0/stages/0/out/shape", {1, 2, 3}, "/cases/0/stages/0/out/shape: expected [n, c,"},
      {"/cases/0/stages/0/out/shape", {1, 2, 3, -4}, "/cases/0/stages/0/out/shape: expected"},
      {"/cases/0/stages/0/out/shape",
       {1 << 30, 1 << 30, 1 << 30, 0},
       "/cases/0/stages/0/out/shape: expected"},
      {"/order/1/0", 1, "/order: contender 1 of 1"},
      {"/order/1/0", -1, "/order: expected lists of contenders' indices"},
      {"/order/1/0", 1e30, "/order: expected lists"},
      {"/point", 8, "/point: expected an object"},
      {"/limits", "x", "/limits: expected a list"},
  };
  for (const Wrong& wrong : all) {
    Json document = parse(kOneCase);
    document[Json::json_pointer(wrong.pointer)] = wrong.value;
    EXPECT_THAT([&] { read_group(document); }, ThrowsMessage<Invalid>(StartsWith(wrong.message)))
        << wrong.pointer;
  }
}

TEST(Results, NameWhatIsMissing) {
  Json document = parse(kOneCase);
  document["cases"][0].erase("variant");
  document.erase("experiment");
  EXPECT_THAT([&] { read_group(document); },
              ThrowsMessage<Invalid>(": has no \"experiment\" (and 1 more)"));
}

TEST(Results, SayWhatIsNoDocument) {
  const Json good = to_json(RandomResults(1).results());
  const auto message = [&](const char* pointer, const Json& value) {
    Json document = good;
    document[Json::json_pointer(pointer)] = value;
    try {
      read_results(document);
    } catch (const Invalid& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("", 3), "not a results document: no \"schema\" (expected 1)");
  EXPECT_EQ(message("", Json::object()), "not a results document: no \"schema\" (expected 1)");
  EXPECT_EQ(message("/schema", 2),
            "this version reads schema 1; the document has 2: a newer normbench wrote it");
  EXPECT_EQ(message("/schema", 0), "/schema: expected 1");
  for (const Json& tool : {Json("x"), Json::array({1}), Json::object(), Json{{"name", "nvbench"}}})
    EXPECT_EQ(message("/tool", tool),
              "/tool/name: not a document of normbench (expected \"normbench\")");
  EXPECT_THAT(message("/groups", 1), StartsWith("/groups: expected a list"));
  EXPECT_THAT(message("/precision", "1"), StartsWith("/precision: "));
}

/// Replaces every value of a document by every kind of JSON value. Reading the document must
/// succeed or throw Invalid.
TEST(Results, SurviveAnyValueAnywhere) {
  const Json document = parse(kOneCase);
  const std::vector<Json> values{nullptr,
                                 true,
                                 -1,
                                 1e300,
                                 18446744073709551615ULL,
                                 "x",
                                 Json::array(),
                                 Json::object(),
                                 Json::array({nullptr})};
  int refused = 0;
  const Json flat = document.flatten();
  for (const auto& [pointer, ignored] : flat.items())
    for (Json::json_pointer place(pointer); !place.empty(); place.pop_back())
      for (const Json& value : values) {
        Json changed = document;
        changed[place] = value;
        try {
          read_group(changed);
        } catch (const Invalid&) {
          ++refused;
        }
      }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace normbench::results_test
