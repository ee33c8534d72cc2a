#include <functional>

#include "core/dtype.h"
#include "machine/environment.h"
#include "measure/peer/server.h"
#include "measure/peer_server_fixture.h"

namespace normbench::peer_server_test {
namespace {

using testing::HasSubstr;

Json failed(const std::string& why) { return {{"type", "error"}, {"why", why}}; }
Json unsupported(const std::string& why) { return {{"type", "unsupported"}, {"why", why}}; }

/// Returns f(x, channel) for each element x of the counting tensor.
std::vector<double> counted(const std::function<double(double, int)>& f) {
  std::vector<double> values;
  for (int i = 0; i < 120; ++i) values.push_back(f(i, i / 20 % 3));
  return values;
}

double plainly(double x, int c) { return (x - (c + 1)) / (2 << c); }

TEST_F(PeerServerTest, SaysWhoItIs) {
  const Json self = tool();
  EXPECT_EQ(reply({{"type", "hello"}, {"protocol", 1}, {"tool", "normbench 0.1.0"}}),
            Json({{"type", "hello"},
                  {"protocol", 1},
                  {"name", "normbench"},
                  {"version", fmt::format("{} ({}, {})", self["version"].get<std::string>(),
                                          self["revision"].get<std::string>(),
                                          self["build"].get<std::string>())}}));
}

TEST_F(PeerServerTest, RunsAndWritesWhatItIsAskedFor) {
  EXPECT_EQ(reply(normalize_message(plain)), ready);
  EXPECT_EQ(run(1, 0), Json({{"type", "ran"}, {"wall_ns", 1000}}));
  EXPECT_EQ(written(tensor(DType::Float32)), counted(plainly));
  EXPECT_EQ(run(3, 5000), Json({{"type", "ran"},
                                {"wall_ns", 1000},
                                {"cpu_ns", 0},
                                {"minor_faults", 0},
                                {"major_faults", 0}}));
  EXPECT_EQ(written(tensor(DType::Float32)), counted(plainly));
  EXPECT_FALSE(server->reply(R"({"type": "close"})").has_value());
}

TEST_F(PeerServerTest, MayBeRunWarmAtOnce) {
  EXPECT_EQ(reply(normalize_message(plain)), ready);
  EXPECT_EQ(run(2, 1000).at("type"), "ran");
  EXPECT_EQ(written(tensor(DType::Float32)), counted(plainly));
}

TEST_F(PeerServerTest, WritesEveryDtypeAndLayout) {
  for (const DType dtype : {DType::Float16, DType::BFloat16, DType::Float32})
    for (const auto& layout : words(Layout{})) {
      const Json parameters = {
          {"mean", 0}, {"std", 1}, {"dtype", name_of(dtype)}, {"layout", layout.name}};
      EXPECT_EQ(output_of(normalize_message(parameters, dtype, layout.value),
                          tensor(dtype, layout.value)),
                counted([](double x, int) { return x; }))
          << name_of(dtype) << " " << layout.name;
    }
}

TEST_F(PeerServerTest, ReadsEveryDtypeAndLayout) {
  for (const auto& dtype : words(DType{}))
    for (const auto& layout : words(Layout{})) {
      const TensorDesc in = tensor(dtype.value, layout.value);
      const TensorDesc out = tensor(DType::Float32, layout.value);
      const Json message =
          prepare_message(in, {stage_message("cast", {{"to", "float32"}}, in, out)});
      const auto stored = [&](double x, int) {
        return with_dtype(dtype.value, [&]<class T>(T) { return to_double(rounded<T>(x)); });
      };
      EXPECT_EQ(output_of(message, out), counted(stored)) << dtype.name << " " << layout.name;
    }
}

TEST_F(PeerServerTest, RunsChainsWithForcedKernelsOnSeveralThreadsFromManyCopies) {
  const TensorDesc bytes = tensor(DType::UInt8), floats = tensor(DType::Float32);
  Json cast = stage_message("cast", {{"to", "float32"}}, bytes, floats);
  Json sub = stage_message("sub", {{"mean", {1, 2, 3}}}, floats, floats);
  Json div = stage_message("div", {{"std", {2, 4, 8}}}, floats, floats);
  cast["kernel"] = "reference";
  cast["output"] = "fresh";
  div["output"] = "in_place";
  Json message = prepare_message(bytes, {cast, sub, div});
  message["threads"] = 2;
  message["copies"] = 50;
  EXPECT_EQ(output_of(message, floats), counted(plainly));
}

/// A fresh output of 32 MiB or more is freed in the iteration that allocates it, so it is gone when
/// the output is requested. The server has to run one more iteration and write its output.
TEST_F(PeerServerTest, WritesAResultThatWasFreed) {
  SystemClock real;
  server = new_server(real);
  const Shape large{1, 1, 2048, 4096};
  const TensorDesc in = tensor(DType::UInt8, Layout::Nchw, large);
  const TensorDesc out = tensor(DType::Float32, Layout::Nchw, large);
  Json stage = stage_message("cast", {{"to", "float32"}}, in, out);
  stage["output"] = "fresh";
  EXPECT_EQ(reply(prepare_message(in, {stage})), ready);
  EXPECT_EQ(run(1, 1).at("type"), "ran");
  const std::vector<double> values = written(out);
  for (std::size_t i = 0; i < values.size(); i += 997) ASSERT_EQ(values[i], i % 256);
}

TEST_F(PeerServerTest, TimesStagesWhereThatCostsLittle) {
  SystemClock real;
  server = new_server(real);
  const Shape large{8, 3, 512, 512};
  const TensorDesc in = tensor(DType::UInt8, Layout::Nchw, large);
  const TensorDesc out = tensor(DType::Float32, Layout::Nchw, large);
  const Json message = prepare_message(in, {stage_message("cast", {{"to", "float32"}}, in, out),
                                            stage_message("sub", {{"mean", 1}}, out, out)});
  EXPECT_EQ(reply(message), ready);
  const Json ran = run(2, 1000);
  ASSERT_EQ(ran.at("spans").size(), 2u) << ran;
  std::int64_t together = 0;
  for (int stage = 0; stage < 2; ++stage) {
    EXPECT_EQ(ran["spans"][stage][0], stage);
    EXPECT_GT(ran["spans"][stage][1], 0);
    together += ran["spans"][stage][1].get<std::int64_t>();
  }
  EXPECT_LE(together, ran.at("wall_ns").get<std::int64_t>());
  EXPECT_GT(ran.at("cpu_ns"), 0);
}

TEST_F(PeerServerTest, HasAnOrder) {
  EXPECT_EQ(run(1, 0), failed("run: nothing is prepared (send prepare first)"));
  EXPECT_EQ(reply({{"type", "output"}, {"path", "x.npy"}}),
            failed("output: nothing is prepared (send prepare first)"));
  EXPECT_EQ(reply(normalize_message(plain)), ready);
  EXPECT_EQ(reply({{"type", "output"}, {"path", "x.npy"}}),
            failed("output: nothing was run (send run first)"));
  EXPECT_EQ(reply(normalize_message(plain)),
            failed("prepare: a case is prepared already (start another process for another case)"));
  EXPECT_EQ(run(1, 0).at("type"), "ran");
}

TEST_F(PeerServerTest, PrepareMayBeTriedAgain) {
  Json wrong = normalize_message(plain);
  wrong["stages"][0]["op"] = "normalise";
  EXPECT_EQ(reply(wrong), failed("prepare: /stages/0/op: unknown op \"normalise\" (did you mean "
                                 "\"normalize\"?)"));
  EXPECT_EQ(reply(normalize_message(plain)), ready);
}

TEST_F(PeerServerTest, PointsAtMistakesInTheMessage) {
  const auto why = [&](const std::string& pointer, const Json& value) {
    Json message = normalize_message(plain);
    message[Json::json_pointer(pointer)] = value;
    const Json answer = reply(message);
    EXPECT_EQ(answer.at("type"), "error") << answer;
    return answer.at("why").get<std::string>();
  };
  EXPECT_EQ(why("/stages/0/parameters/std", Json::array({1, 0, 1})),
            "prepare: /stages/0/parameters/std/1: std must not be 0");
  EXPECT_EQ(why("/stages/0/parameters/mena", 1),
            "prepare: /stages/0/parameters/mena: unknown key \"mena\" (did you mean \"mean\"?)");
  EXPECT_EQ(why("/stages/0/parameters", 7),
            "prepare: /stages/0/parameters: expected an object, got 7");
  EXPECT_EQ(why("/stages/0/kernel", "fuzed"),
            "prepare: /stages/0/kernel: unknown kernel \"fuzed\" (did you mean \"fused\"?)");
  EXPECT_EQ(why("/stages/0/place", "gpu"),
            "prepare: /stages/0/place: unknown value \"gpu\" (did you mean \"cuda\"?)");
  EXPECT_EQ(why("/stages/0/out/0/memory", "device"),
            "prepare: /stages/0/out: cpu cannot write device memory (add an h2d stage)");
  EXPECT_EQ(why("/stages/0/out/0/shape", Json::array({1, 2})),
            "prepare: /stages/0/out/0/shape: expected [n, c, h, w]");
  EXPECT_EQ(why("/stages", Json::array()),
            "prepare: /stages: has no stages (a list of at least one)");
  EXPECT_EQ(why("/stages", "normalize"), "prepare: /stages: expected a list");
  EXPECT_EQ(why("/threads", 0), "prepare: /threads: must be at least 1, got 0");
  EXPECT_EQ(why("/copies", 0), "prepare: /copies: must be at least 1, got 0");
  EXPECT_EQ(why("/device", "cuda"), "prepare: /device: expected \"cpu\" or \"cuda:0\"");
  EXPECT_EQ(why("/inputs/0/dtype", "int8"),
            "prepare: /inputs/0/dtype: unknown value \"int8\" (did you mean \"uint8\"?)");
  EXPECT_EQ(why("/inputs/0/path", "/absent.npy"),
            "prepare: /inputs/0/path: /absent.npy: No such file or directory");
  EXPECT_THAT(why("/inputs/0/shape", Json::array({2, 3, 5, 4})),
              HasSubstr("prepare: /inputs/0/path: /"));
}

TEST_F(PeerServerTest, TellsAllMistakesAtOnce) {
  Json message = normalize_message(plain);
  message["copies"] = -1;
  message["device"] = "cuda:x";
  EXPECT_EQ(reply(message),
            failed("prepare: /device: expected \"cpu\" or \"cuda:0\"; /copies: must "
                   "be at least 1, got -1"));
}

TEST_F(PeerServerTest, SaysWhatItDoesNotDo) {
  const TensorDesc bytes = tensor(DType::UInt8), floats = tensor(DType::Float32);
  Json message = normalize_message({{"mean", 0}, {"std", 1}}, DType::Float16);
  EXPECT_EQ(reply(message), unsupported("stage 0, normalize, gives 2x3x4x5 float32 nchw pageable "
                                        "here, not 2x3x4x5 float16 nchw pageable"));
  message = normalize_message(plain);
  message["stages"][0]["in"] = Json::array({tensor_json(bytes), tensor_json(floats)});
  EXPECT_EQ(reply(message),
            unsupported("stage 0, normalize, takes 2x3x4x5 uint8 nchw pageable here, not 2x3x4x5 "
                        "uint8 nchw pageable, 2x3x4x5 float32 nchw pageable"));
  message = normalize_message(plain);
  message["inputs"].push_back(message["inputs"][0]);
  EXPECT_EQ(reply(message), unsupported("normbench takes 1 input as a peer, not 2"));
  TensorDesc there = bytes;
  there.memory = Memory::Device;
  message = prepare_message(bytes, {stage_message("h2d", Json::object(), bytes, there)});
  message["stages"][0]["place"] = "cuda";
  EXPECT_EQ(reply(message), unsupported("no backend for device memory in this build"));
  message = normalize_message(plain);
  message["stages"][0]["out"][0]["memory"] = "pinned";
  EXPECT_EQ(reply(message), unsupported("no backend for pinned memory in this build"));
}

TEST_F(PeerServerTest, SaysWhatIsWrongWithRequests) {
  const auto why = [&](const std::string& line) {
    return server->reply(line).value().at("why").get<std::string>();
  };
  EXPECT_EQ(why(""), "no request: line 1, column 1: the text ends in the middle of a value");
  EXPECT_EQ(why("hello"), "no request: line 1, column 1: unexpected hello");
  EXPECT_EQ(why("[1]"), "no request: expected an object, got a list");
  EXPECT_EQ(why("{}"), "no request: no \"type\"");
  EXPECT_EQ(why(R"({"type": 5})"), "no request: /type: expected a string, got 5");
  EXPECT_EQ(why(R"({"type": "ruin"})"),
            "no request: unknown request \"ruin\" (did you mean "
            "\"run\"?)");
  EXPECT_EQ(why(R"({"type": "stop"})"),
            "no request: unknown request \"stop\" (known: hello, prepare, run, output, close)");
  EXPECT_EQ(why(R"({"type": "run", "type": "run"})"),
            "no request: /type: duplicate key (the first one counts; remove one)");
  EXPECT_EQ(why(R"({"type": "run", "iterations": 0})"),
            "run: /iterations: must be at least 1, got 0; no \"warmup_ns\"");
  EXPECT_EQ(why(R"({"type": "run", "iterations": 1.5, "warmup_ns": "x"})"),
            "run: /iterations: expected an integer, got 1.5; /warmup_ns: expected an integer, got "
            "\"x\"");
  EXPECT_EQ(why(R"({"type": "output"})"), "output: no \"path\"");
  EXPECT_EQ(why(std::string(1 << 20, ' ') + "{}"), "no request: it is longer than 1 MiB");
  EXPECT_EQ(why(std::string(100'000, '[')),
            "no request: nested deeper than 64 levels (no value needs that)");
  EXPECT_LT(why(R"({"type": ")" + std::string(1'000'000, 'x') + "\"}").size(), 11'000u);
}

TEST_F(PeerServerTest, OutputSaysWhereItCannotWrite) {
  EXPECT_EQ(reply(normalize_message(plain)), ready);
  EXPECT_EQ(run(1, 0).at("type"), "ran");
  EXPECT_EQ(reply({{"type", "output"}, {"path", "/absent/out.npy"}}),
            failed("output: cannot write /absent/out.npy: No such file or directory"));
}

}  // namespace
}  // namespace normbench::peer_server_test
