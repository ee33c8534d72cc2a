#include <gmock/gmock.h>

#include "fake_backend.h"
#include "measure/contender.h"
#include "measure/peer/messages.h"

namespace normbench::peer_messages_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Returns the message of the exception that `read` throws for `line`, or "" if it throws none. A
/// CannotRunHere says that the peer cannot run the case on this machine. Its message gets the
/// prefix "skipped: ".
template <class Read>
std::string mistake(const Read& read, const std::string& line) {
  try {
    read(line);
    return "";
  } catch (const Invalid& error) {
    return error.what();
  } catch (const CannotRunHere& reason) {
    return std::string("skipped: ") + reason.what();
  }
}

std::string ran_mistake(const std::string& line) {
  return mistake([](const std::string& text) { read_ran(text, 2); }, line);
}

struct Requests : testing::Test {
  FakeClock clock;
  FakeBackend fake{clock};
};

TEST_F(Requests, AreOneLineEach) {
  EXPECT_THAT(
      hello_request(),
      testing::MatchesRegex(R"(\{"type":"hello","protocol":1,"tool":"normbench [0-9.]+"\})"));
  EXPECT_EQ(run_request(3, 1'000'000), R"({"type":"run","iterations":3,"warmup_ns":1000000})");
  EXPECT_EQ(run_request(3, 0, 7), R"({"type":"run","iterations":3,"warmup_ns":0,"first":7})");
  EXPECT_EQ(output_request(std::vector<std::string>{"/x/\"out\n.npy"}),
            R"({"type":"output","path":"/x/\"out\n.npy"})");
  EXPECT_EQ(output_request({}), R"({"type":"output","paths":[]})");
  EXPECT_EQ(describe_request(), R"({"type":"describe"})");
  EXPECT_EQ(close_request(), R"({"type":"close"})");
}

TEST_F(Requests, PrepareHasAllThatTheCaseIs) {
  Source source = small_source();
  source.layout = Layout::Nhwc;
  Case planned =
      fake_case(fake, "v", source,
                {{.op = Cast{}}, {.op = Sub{.mean = {1}}, .output = OutputPolicy::InPlace}});
  planned.threads = 2;
  planned.stages[0].parameters = {{"to", "float32"}};
  planned.stages[1].forced = "fused_nt";
  EXPECT_EQ(
      prepare_request(planned, 8, true, std::vector<std::string>{"/x/0.npy"}, "", 3),
      R"({"type":"prepare","threads":2,"device":"cpu","copies":8,"unlike":true,)"
      R"("inputs":[{"path":"/x/0.npy","dtype":"uint8","shape":[2,3,4,5],"layout":"nhwc"}],)"
      R"("stages":[{"op":"cast","parameters":{"to":"float32"},"place":"cpu","output":"reuse",)"
      R"("in":[{"dtype":"uint8","shape":[2,3,4,5],"layout":"nhwc","memory":"pageable"}],)"
      R"("out":[{"dtype":"float32","shape":[2,3,4,5],"layout":"nhwc","memory":"pageable"}]},)"
      R"({"op":"sub","parameters":{},"place":"cpu","output":"in_place",)"
      R"("in":[{"dtype":"float32","shape":[2,3,4,5],"layout":"nhwc","memory":"pageable"}],)"
      R"("out":[{"dtype":"float32","shape":[2,3,4,5],"layout":"nhwc","memory":"pageable"}],)"
      R"("kernel":"fused_nt"}]})");
  planned.stages[1].place = Place::Cuda;
  EXPECT_EQ(Json::parse(prepare_request(planned, 1, false, std::vector<std::string>{"/x"}, "", 3))
                .at("device"),
            "cuda:3");
  planned.stages[1].place = Place::Cpu;
  planned.inputs.at(0).source.memory = Memory::Device;
  EXPECT_EQ(Json::parse(prepare_request(planned, 1, false, std::vector<std::string>{"/x"}, "", 0))
                .at("device"),
            "cuda:0");
}

TEST(Replies, ThatAreRight) {
  EXPECT_EQ(read_hello(R"({"type": "hello", "protocol": 1, "name": "torch", "version": "2.9"})"),
            "torch 2.9");
  EXPECT_EQ(read_hello(R"({"version": "", "name": "mine", "protocol": 1, "type": "hello"})"),
            "mine");
  EXPECT_EQ(read_ready(R"({"type": "ready"})"), PeerReady());
  EXPECT_EQ(read_ready(R"({"type": "ready", "psnr": 34.5})"), PeerReady{.psnr_db = 34.5});
  EXPECT_EQ(read_ready(R"({"type": "ready", "psnr": 40, "filter": "box"})"),
            (PeerReady{.psnr_db = 40, .filter = ResizeFilter::Box}));
  EXPECT_EQ(read_ready(R"({"type": "ready", "rounds": ["constants", "difference"]})").rounds,
            (Rounds{Narrow::Constants, Narrow::Difference}));
  for (const char* rounds : {R"(["sums"])", R"("constants")", "[1]", "{}"})
    EXPECT_EQ(mistake(read_ready, fmt::format(R"({{"type": "ready", "rounds": {}}})", rounds)),
              " answered `prepare` wrongly: /rounds: expected a list of input, constants, "
              "difference, statistics, gradients")
        << rounds;
  EXPECT_THAT(mistake(read_ready, R"({"type": "ready", "psnr": 40, "filter": "area"})"),
              testing::StartsWith(" answered `prepare` wrongly: /filter: "));
  EXPECT_EQ(mistake(read_ready, R"({"type": "ready", "filter": "box"})"),
            " answered `prepare` wrongly: /psnr: expected the PSNR in dB of images resized by this "
            "filter");
  EXPECT_EQ(mistake(read_ready, R"({"type": "ready", "psnr": -1})"),
            " answered `prepare` wrongly: /psnr: expected decibels from 0 to 100");
  EXPECT_NO_THROW(read_ready(R"( {"type": "ready", "took": [1e3, null]} )"
                             "\r"));
  EXPECT_EQ(read_written(R"({"type": "written"})"), 0);
  EXPECT_EQ(read_written(R"({"type": "written", "copy": 5})"), 5);
  EXPECT_EQ(mistake([](const std::string& line) { read_written(line); },
                    R"({"type": "written", "copy": -1})"),
            " answered `output` wrongly: /copy: must be at least 0, got -1");
  EXPECT_EQ(read_ready(R"({"type": "ready", "unlike": 8})"), PeerReady{.unlike = 8});
  EXPECT_EQ(read_ready(R"({"type": "ready", "takes_first": true})"),
            PeerReady{.takes_first = true});
}

TEST(Replies, OfTheUsersOwnCode) {
  const std::string members =
      R"("dtype": "float64", "shape": [2, 3], "bytes": 48, "batch_bytes": 64, "workers": 2,
         "order": "strided", "device": "cuda:0", "pinned": true,
         "copies": [{"op": "stack", "calls": 1, "bytes": 64}]})";
  const GivenResult given{.dtype = "float64",
                          .device = "cuda:0",
                          .shape = {2, 3},
                          .order = ArrayOrder::Strided,
                          .pinned = true,
                          .bytes = 48,
                          .batch_bytes = 64,
                          .workers = 2,
                          .copies = {{{.op = "stack", .calls = 1, .bytes = 64}}}};
  EXPECT_EQ(read_given(R"({"type": "given", )" + members), given);
  EXPECT_EQ(read_given(R"({"type": "given", "dtype": "x", "shape": [], "bytes": 1})"),
            (GivenResult{.dtype = "x", .device = "cpu", .bytes = 1, .batch_bytes = 1}));
  const OwnCode code =
      read_described(R"({"type": "described", "kind": "dataset", "has_step": true, )" + members);
  EXPECT_EQ(code.kind, OwnCodeKind::Dataset);
  EXPECT_TRUE(code.has_step);
  EXPECT_EQ(code.given, given);
  EXPECT_EQ(read_ready(R"({"type": "ready", "epoch": 6})"), PeerReady{.epoch = 6});
  for (const auto& [wrong, why] :
       {std::pair{R"("shape": [], "bytes": 1})", "/dtype: is missing"},
        {R"("dtype": "x", "shape": [-1], "bytes": 1})", "/shape/0"},
        {R"("dtype": "x", "shape": [], "bytes": 0})", "/bytes"},
        {R"("dtype": "x", "shape": [], "bytes": 2, "batch_bytes": 1})", "/batch_bytes"},
        {R"("dtype": "x", "shape": [], "bytes": 1, "copies": 1})", "/copies"},
        {R"("dtype": "x", "shape": [], "bytes": 1, "copies": [{"op": "a", "calls": -1}]})",
         "/copies/0/calls"},
        {R"("dtype": "x", "shape": [], "bytes": 1, "copies": [{"calls": 1}]})", "no \"op\""},
        {R"("dtype": "x", "shape": [], "bytes": 1, "order": "c"})", "/order"}})
    EXPECT_THAT(mistake(read_given, std::string(R"({"type": "given", )") + wrong),
                testing::HasSubstr(why));
  EXPECT_THAT(mistake(read_described, R"({"type": "described", "kind": "thing", )" + members),
              testing::HasSubstr("/kind"));
}

TEST(Replies, OfATurn) {
  const PeerTurn least = read_ran(R"({"type": "ran", "wall_ns": 123})", 2);
  EXPECT_EQ(least.wall_ns, 123);
  EXPECT_EQ(least.device_ns + least.cpu_ns + least.minor_faults + least.major_faults, 0);
  EXPECT_THAT(least.stage_ns, IsEmpty());
  const PeerTurn most = read_ran(
      R"({"type": "ran", "wall_ns": 1, "device_ns": 2, "cpu_ns": 3, "minor_faults": 4,
          "major_faults": 5, "spans": [[1, 10], [1, 20]]})",
      2);
  EXPECT_EQ(most.device_ns, 2);
  EXPECT_EQ(most.cpu_ns, 3);
  EXPECT_EQ(most.minor_faults, 4);
  EXPECT_EQ(most.major_faults, 5);
  EXPECT_THAT(most.stage_ns, ElementsAre(std::nullopt, std::optional<std::int64_t>(30)));
}

TEST(Replies, ThatAreNoJson) {
  for (const std::string line : {"", "   ", "Traceback (most recent call last):", "{", "{}{}",
                                 R"({"type": "ready", "x": NaN})", R"({"type": "ready"} // fine)",
                                 R"({"type": "ready", "x": Infinity})", R"({"x": 1e999})"})
    EXPECT_EQ(mistake(read_ready, line), " answered `prepare` with no JSON: " + Json(line).dump());
  EXPECT_EQ(mistake(read_ready, std::string(200, 'x')),
            " answered `prepare` with no JSON: \"" + std::string(80, 'x') + "…\"");
  EXPECT_EQ(mistake(read_ready, "\xff\x1b[2J"),
            " answered `prepare` with no JSON: \"\xEF\xBF\xBD\\u001b[2J\"");
  EXPECT_EQ(mistake(read_ready, std::string("{\"type\": \"ready\"}\0", 18)),
            " answered `prepare` wrongly: line 1, column 18: a NUL byte (expected text)");
  EXPECT_EQ(mistake(read_ready, std::string(100, '[') + std::string(100, ']')),
            " answered `prepare` wrongly: nested deeper than 64 levels (no value needs that)");
}

TEST(Replies, ThatAreOfTheWrongType) {
  EXPECT_EQ(mistake(read_ready, "[1]"), " answered `prepare` with no object: \"[1]\"");
  EXPECT_EQ(mistake(read_ready, "7"), " answered `prepare` with no object: \"7\"");
  EXPECT_EQ(mistake(read_ready, "{}"), " answered `prepare` without a \"type\": \"{}\"");
  EXPECT_EQ(mistake(read_ready, R"({"type": 5})"),
            " answered `prepare` wrongly: /type: expected a string, got 5");
  EXPECT_EQ(mistake(read_ready, R"({"type": "written"})"),
            " answered `prepare` with type \"written\" (expected \"ready\")");
  EXPECT_EQ(mistake(read_ready, R"({"type": "ready", "type": "ready"})"),
            " answered `prepare` wrongly: /type: duplicate key (the first one counts; remove one)");
}

TEST(Replies, OfPeersThatCannot) {
  EXPECT_EQ(mistake(read_hello, R"({"type": "unavailable", "why": "no torch: run setup"})"),
            "skipped: no torch: run setup");
  EXPECT_EQ(mistake(read_ready, R"({"type": "unsupported", "why": "no op"})"), "skipped: no op");
  EXPECT_EQ(mistake(read_ready, R"({"type": "unsupported"})"),
            "skipped: it gives no reason for its answer to `prepare`");
  EXPECT_EQ(mistake(read_ready, R"({"type": "unsupported", "why": 3})"),
            " answered `prepare` wrongly: /why: expected a string, got 3");
  EXPECT_EQ(mistake(read_written, R"({"type": "error", "why": "disk full"})"), ": disk full");
  EXPECT_EQ(mistake(read_written, R"({"type": "error"})"),
            ": it gives no reason for its answer to `output`");
}

TEST(Replies, OfAnotherProtocol) {
  const std::string rest = R"("name": "torch", "version": "2"})";
  EXPECT_EQ(mistake(read_hello, R"({"type": "hello", "protocol": 2, )" + rest),
            " uses protocol 2, but this normbench uses 1");
  EXPECT_EQ(mistake(read_hello, R"({"type": "hello", "protocol": "1", )" + rest),
            " answered `hello` wrongly: /protocol: expected an integer, got \"1\"");
  EXPECT_EQ(mistake(read_hello, R"({"type": "hello", )" + rest),
            " answered `hello` wrongly: /protocol: is missing");
  EXPECT_EQ(mistake(read_hello, R"({"type": "hello", "protocol": 1, "version": "2"})"),
            " answered `hello` wrongly: /name: is missing");
  EXPECT_EQ(mistake(read_hello, R"({"type": "hello", "protocol": 1, "name": "", "version": ""})"),
            " answered `hello` wrongly: /name: is empty");
}

TEST(Replies, OfATurnThatAreWrong) {
  EXPECT_EQ(ran_mistake(R"({"type": "ran"})"), " answered `run` wrongly: /wall_ns: is missing");
  EXPECT_EQ(ran_mistake(R"({"type": "ran", "wall_ns": "1"})"),
            " answered `run` wrongly: /wall_ns: expected an integer, got \"1\"");
  EXPECT_EQ(ran_mistake(R"({"type": "ran", "wall_ns": 1.5})"),
            " answered `run` wrongly: /wall_ns: expected an integer, got 1.5");
  EXPECT_EQ(ran_mistake(R"({"type": "ran", "wall_ns": null})"),
            " answered `run` wrongly: /wall_ns: expected an integer, got null");
  EXPECT_THAT(ran_mistake(R"({"type": "ran", "wall_ns": 1e300})"),
              testing::StartsWith(" answered `run` wrongly: /wall_ns: must be at most"));
  for (const std::string member : {"device_ns", "cpu_ns", "minor_faults", "major_faults"})
    EXPECT_EQ(ran_mistake(R"({"type": "ran", "wall_ns": 1, ")" + member + R"(": -1})"),
              " answered `run` wrongly: /" + member + ": must be at least 0, got -1");
  EXPECT_EQ(ran_mistake(R"({"type": "ran", "wall_ns": 1, "spans": 3})"),
            " answered `run` wrongly: /spans: expected a list");
  for (const std::string span : {"3", "[]", "[0]", "[0, 1, 2]", "[2, 1]", "[-1, 1]", "[0, -1]",
                                 "[0, 1.5]", "[\"0\", 1]", "[0, 18446744073709551615]"})
    EXPECT_EQ(ran_mistake(R"({"type": "ran", "wall_ns": 1, "spans": [[0, 1], )" + span + "]}"),
              " answered `run` wrongly: /spans/1: expected [stage, ns] of one of 2 stages");
}

TEST(Protocol, TensorsAreReadAsTheyWereWritten) {
  const TensorDesc desc = dense(DType::BFloat16, Layout::Nhwc, {2, 3, 4, 5}, Memory::Pinned);
  std::vector<Issue> issues;
  const Json json = tensor_json(desc);
  EXPECT_EQ(json.dump(),
            R"({"dtype":"bfloat16","shape":[2,3,4,5],"layout":"nhwc","memory":"pinned"})");
  Reader reader(json, "", issues);
  EXPECT_EQ(read_tensor(reader), desc);
  EXPECT_THAT(issues, IsEmpty());
  for (const Json& shape : {Json({1, 2, 3}), Json({1, 2, 3, -4}), Json({1 << 30, 1 << 30, 4, 1})}) {
    const Json wrong = {{"shape", shape}};
    Reader mistaken(wrong, "/in/0", issues);
    EXPECT_EQ(read_tensor(mistaken).elements(), 0);
    EXPECT_THAT(issues, ElementsAre(Issue{"/in/0/shape", "expected [n, c, h, w]"}));
    issues.clear();
  }
}

}  // namespace
}  // namespace normbench::peer_messages_test
