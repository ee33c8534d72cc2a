#include "example_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

namespace normbench::examples {

namespace {

constexpr const char* no_driver = "no NVIDIA driver";

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 1469598103934665603u;
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return seed;
}

StageResult make_stage(const StageSpec& spec, const TensorDesc& in) {
  const bool link = spec.op == "h2d" || spec.op == "d2h";
  const Memory memory = spec.op == "h2d" ? Memory::Device : in.memory;
  const TensorDesc out = dense(link ? in.dtype : spec.to, in.layout, in.shape, memory);
  return {.op = spec.op,
          .label = spec.op,
          .kernel = "fused",
          .place = link || in.memory == Memory::Device ? Place::Cuda : Place::Cpu,
          .out = out,
          .min_bytes = in.bytes() + out.bytes(),
          .min_read_bytes = link ? 0 : in.bytes(),
          .bytes = in.bytes() + out.bytes(),
          .link_bytes = link ? out.bytes() : 0,
          .flops = 2 * out.elements(),
          .output = spec.output,
          .rounds_ns = {}};
}

/// Returns the counters of `steps` profiled steps (iterations): 3 GHz, 1.5 instructions per cycle,
/// and one cache miss per 64 bytes.
ProfileCounters make_counters(const CaseResult& result, std::int64_t steps) {
  ProfileCounters counters{};
  std::int64_t bytes = 0, ns = 0;
  for (const StageResult& stage : result.stages) {
    bytes += stage.bytes;
    ns += stage.rounds_ns.front();
  }
  counters.software.minor_faults = result.rounds.front().counters.minor_faults * steps;
  counters.cycles = 3 * ns * steps;
  counters.instructions = 9 * ns * steps / 2;
  counters.cache_misses = bytes / 64 * steps;
  counters.energy_missing = "no RAPL (no package in /sys/class/powercap/intel-rapl:*)";
  return counters;
}

/// Returns a profile row of ten calls that take `ns` in total, about a tenth each.
ProfileRow profile_row(const std::string& name, Place place, std::int64_t self_ns,
                       std::int64_t ns) {
  return {.name = name,
          .place = place,
          .shapes = "",
          .calls = 10,
          .self_cpu_ns = self_ns,
          .cpu_ns = ns,
          .min_ns = ns / 10 - ns / 1000,
          .p50_ns = ns / 10,
          .p95_ns = ns / 10 + ns / 2000,
          .max_ns = ns / 10 + ns / 1000};
}

CaseProfile make_profile(const CaseResult& result) {
  CaseProfile profile{.variant = result.variant,
                      .steps = 10,
                      .discarded = 1,
                      .counters = make_counters(result, 10),
                      .overhead = 1.02,
                      .rows = {}};
  const std::int64_t faults = result.rounds.front().counters.minor_faults;
  const auto fresh = std::ranges::count(result.stages, OutputPolicy::Fresh, &StageResult::output);
  std::int64_t total = 0;
  for (const StageResult& stage : result.stages) {
    const std::int64_t ns = 10 * stage.rounds_ns.front();
    ProfileRow& row = profile.rows.emplace_back(profile_row(stage.label, stage.place, ns, ns));
    row.bytes = 10 * stage.bytes;
    if (stage.output == OutputPolicy::Fresh) row.faults = 10 * faults / fresh;
    total += ns;
  }
  profile.rows.push_back(profile_row("ProfilerStep*", Place::Cpu, 200'000, total + 200'000));
  profile.rows.back().annotation = true;
  profile.times.wall_ns = total + 200'000;
  return profile;
}

GroupResult make_group(const std::string& question, std::vector<CaseResult> cases) {
  GroupResult group;
  group.experiment = "example";
  group.question = question;
  group.baseline = cases.front().variant;
  group.cases = std::move(cases);
  group.stop = Stop::Precision;
  for (const CaseResult& result : group.cases)
    if (result.status == Status::Ok) group.profile.push_back(make_profile(result));
  return group;
}

CaseResult skipped(const CaseSpec& spec) {
  CaseResult result = make_case(spec);
  result.status = Status::Skipped;
  result.reason = no_driver;
  result.skip = Skip::NoGpu;
  result.rounds.clear();
  result.iterations = 0;
  for (StageResult& stage : result.stages) stage.rounds_ns.clear();
  return result;
}

std::vector<CaseResult> memory_limits() {
  CaseResult touch = make_limit("first_touch 110.6 MB, 1 thread", 45, DType::Float32);
  touch.stages[0].op = "first_touch";
  for (Round& round : touch.rounds) round.counters.minor_faults = 27'000;
  return {make_limit("stream 27.6:110.6 MB nt, 1 thread", 2.8, DType::UInt8),
          make_limit("stream 27.6:110.6 MB, 1 thread", 3.6, DType::UInt8),
          make_limit("stream 110.6:110.6 MB nt, 1 thread", 5.55, DType::Float32),
          make_limit("stream 110.6:110.6 MB, 1 thread", 7.2, DType::Float32), touch};
}

Published blog_figure(const std::string& variant, double wall_ms) {
  Published figure;
  figure.variant = variant;
  figure.wall_ms = wall_ms;
  figure.where = "blog, table 1";
  return figure;
}

GroupResult blog_group() {
  const StageSpec cast{"cast", DType::Float32, OutputPolicy::Fresh},
      sub{"sub", DType::Float32, OutputPolicy::Fresh},
      div{"div", DType::Float32, OutputPolicy::Fresh};
  GroupResult group = make_group(
      "How long does (x - mean) / std take on a CPU?",
      {make_case({"A1 uint8: cast, sub, div", 135.6, DType::UInt8, {cast, sub, div}, 81'003}),
       make_case({"A2 float32: sub, div", 97.1, DType::Float32, {sub, div}, 54'002}),
       make_case({"A3 float32: sub, div in place",
                  48.5,
                  DType::Float32,
                  {sub, {"div", DType::Float32, OutputPolicy::InPlace}},
                  27'001}),
       make_case({"A2 with output reused", 10.8, DType::Float32, {{"sub"}, {"div"}}}),
       make_case({"float32: normalize (fused)", 5.6}),
       make_case({"uint8: normalize (fused)", 2.9, DType::UInt8})});
  group.baseline = "A2 float32: sub, div";
  group.limits = memory_limits();
  group.published = {blog_figure("A1 uint8: cast, sub, div", 175.5),
                     blog_figure("A2 float32: sub, div", 152.5),
                     blog_figure("A3 float32: sub, div in place", 89.8)};
  group.claims = {{"casting is costly, feed float32", "A2 float32: sub, div", Relation::Less,
                   "A1 uint8: cast, sub, div"},
                  {"casting is costly, feed float32", "float32: normalize (fused)", Relation::Less,
                   "uint8: normalize (fused)"}};
  return group;
}

/// Sets the batch of the case to `batch` images and scales its numbers of bytes and operations. The
/// times do not change.
void set_batch(CaseResult& result, std::int64_t batch) {
  const auto scale = [&](std::int64_t& bytes) { bytes = bytes / shape.n * batch; };
  const auto resize = [&](TensorDesc& desc) {
    Shape resized = desc.shape;
    resized.n = batch;
    desc = dense(desc.dtype, desc.layout, resized, desc.memory);
  };
  result.images = batch;
  scale(result.source_bytes);
  scale(result.result_bytes);
  resize(*result.source);
  for (StageResult& stage : result.stages) {
    resize(stage.out);
    for (std::int64_t* bytes : {&stage.min_bytes, &stage.bytes, &stage.link_bytes, &stage.flops})
      scale(*bytes);
  }
}

GroupResult swept_group(int batch) {
  const double scale = batch;
  std::vector<CaseResult> cases{
      make_case({"eager", 1.0 * scale, DType::Float32, {{"sub"}, {"div"}}}),
      make_case({"fused", 0.5 * scale}),
      make_case({"fused, 2 threads [memory=pageable_huge]", 0.3 * scale + 0.8})};
  for (CaseResult& result : cases) set_batch(result, batch);
  GroupResult group = make_group("From which batch on do two threads pay?", std::move(cases));
  group.point = {{"batch", batch}};
  group.claims = {
      {"threads pay", "fused, 2 threads [memory=pageable_huge]", Relation::Less, "fused"}};
  return group;
}

}  // namespace

std::vector<Round> make_rounds(double ms, std::uint64_t seed, int count, double amplitude,
                               std::int64_t faults, std::int64_t iterations) {
  std::mt19937_64 random(seed);
  std::vector<Round> list;
  for (int i = 0; i < count; ++i) {
    const double unit = static_cast<double>(random() % 2001) / 1000 - 1;
    const auto wall = static_cast<std::int64_t>(
        std::llround(ms * 1e6 * static_cast<double>(iterations) * (1 + amplitude * unit)));
    list.push_back({.wall_ns = wall,
                    .cpu_ns = wall,
                    .start_ns = i * wall,
                    .counters = {.minor_faults = faults * iterations}});
  }
  return list;
}

CaseResult make_case(const CaseSpec& spec) {
  const TensorDesc source = dense(spec.source, Layout::Nchw, shape, Memory::Pageable);
  CaseResult result;
  result.variant = spec.variant;
  result.iterations = 1;
  result.images = shape.n;
  result.source_bytes = source.bytes();
  result.source = source;
  result.first_call_ns = static_cast<std::int64_t>(spec.ms * 2e6);
  result.rounds = make_rounds(spec.ms, seed_of(spec.variant), rounds, noise, spec.faults);
  result.check = {.ok = true, .max_abs_error = 2.4e-7, .bound = 1e-6, .bound_share = 0.31};
  TensorDesc in = source;
  for (const StageSpec& stage : spec.stages) {
    result.stages.push_back(make_stage(stage, in));
    in = result.stages.back().out;
  }
  result.result_bytes = in.bytes();
  for (StageResult& stage : result.stages)
    for (const Round& round : result.rounds)
      stage.rounds_ns.push_back(round.wall_ns / static_cast<std::int64_t>(spec.stages.size()));
  return result;
}

CaseResult make_limit(const std::string& name, double ms, DType source) {
  CaseResult limit = make_case({name, ms, source, {{"stream"}}});
  limit.images = 0;
  return limit;
}

Results make_results(const std::string& name, std::vector<GroupResult> groups) {
  Results results;
  results.tool = {{"name", "normbench"}, {"version", "0.1.0"}, {"revision", "abc1234"}};
  results.environment = {
      {"date", "2026-11-20T23:54:00Z"},
      {"host", "example"},
      {"cpu",
       {{"model", "AMD EPYC"},
        {"cores", 2},
        {"governor", nullptr},
        {"caches", Json::array({{{"level", 3}, {"bytes", 33554432}, {"count", 1}}})}}},
      {"places", {{"cpu", "available"}, {"cuda", "built without CUDA"}}}};
  results.config = {{"profile", {{"sort_by", "cpu_time_total"}, {"row_limit", 10}}}};
  results.name = name;
  results.about = "An example.";
  results.cache = Cache::Cold;
  results.clock = DecidingClock::Wall;
  results.groups = std::move(groups);
  return results;
}

CaseResult by_peer(const std::string& peer, const std::string& version, CaseResult result) {
  result.peer = peer;
  result.peer_version = version;
  for (StageResult& stage : result.stages) {
    stage.kernel = "";
    if (result.stages.size() > 1) stage.rounds_ns.clear();  // a peer does not time single stages
  }
  return result;
}

Results many(int groups, int variants) {
  std::vector<GroupResult> all;
  for (int batch = 1; batch <= groups; ++batch) {
    std::vector<CaseResult> cases;
    for (int v = 0; v < variants; ++v) {
      cases.push_back(make_case({fmt::format("v{}", v), batch * (1 + 0.01 * v)}));
      set_batch(cases.back(), batch);
    }
    GroupResult& group = all.emplace_back(make_group("Which is the fastest?", std::move(cases)));
    group.point = {{"batch", batch}};
    group.limits = memory_limits();
    group.profile.clear();
  }
  return make_results("many", std::move(all));
}

Results peers() {
  const StageSpec cast{"cast", DType::Float32, OutputPolicy::Fresh},
      sub{"sub", DType::Float32, OutputPolicy::Fresh},
      div{"div", DType::Float32, OutputPolicy::Fresh};
  const CaseResult eager =
      make_case({"torch: cast, sub, div", 135.6, DType::UInt8, {cast, sub, div}, 81'003});
  const StageSpec normalize{"normalize", DType::Float32, OutputPolicy::Fresh};
  GroupResult group =
      make_group("Is PyTorch slower, or its memory?",
                 {make_case({"ours, fresh", 47.9, DType::UInt8, {normalize}, 27'001}),
                  make_case({"ours", 2.9, DType::UInt8})});
  group.cases.push_back(by_peer("torch", "torch 2.9.0+cpu", eager));
  group.cases.push_back(by_peer("torch", "torch 2.9.0+cpu",
                                make_case({"torch, forced", 11.3, DType::UInt8, {{"normalize"}}})));
  group.cases.back().stages[0].kernel = "compiled";
  for (const auto& [variant, version] :
       {std::pair("numpy", "numpy 2.1.0"), std::pair("OpenCV", "")}) {
    CaseResult& result =
        group.cases.emplace_back(by_peer(variant, version, make_case({variant, 1, DType::UInt8})));
    const bool failed = !result.peer_version.empty();
    result.status = failed ? Status::Failed : Status::Skipped;
    result.reason = failed ? "peer numpy: no answer to `run` within 60 s"
                           : "peer OpenCV: it is not installed (run scripts/peers/setup)";
    result.rounds.clear();
    result.iterations = 0;
    result.check = {};
    for (StageResult& stage : result.stages) stage.rounds_ns.clear();
  }
  group.baseline = eager.variant;
  group.limits = memory_limits();
  return make_results("peers", {group});
}

Results why_slow() {
  const std::vector<StageSpec> chain{{"sub"}, {"div"}};
  GroupResult allocators = make_group("How much of PyTorch's time are page faults?",
                                      {make_case({"ours", 6, DType::Float32})});
  allocators.cases.push_back(
      by_peer("torch", "torch 2.9.0", make_case({"stock", 160, DType::Float32, chain, 54'002})));
  allocators.cases.push_back(
      by_peer("torch, no faults", "torch 2.9.0", make_case({"kept", 58, DType::Float32, chain})));
  allocators.baseline = "stock";
  allocators.experiment = "allocators";
  allocators.limits = memory_limits();
  allocators.claims = {{.text = "kept pages are four times as fast",
                        .left = "kept",
                        .relation = Relation::Less,
                        .right = "stock",
                        .ratio = ClaimedRatio{.low = 4, .high = 4}}};
  GroupResult threads =
      make_group("Do two threads help?", {make_case({"one", 5.6}), make_case({"two", 5.0})});
  threads.experiment = "threads";
  threads.cases[1].threads = 2;
  threads.limits = {make_limit("stream, 1 thread", 5.55, DType::Float32)};
  GroupResult bytes = make_group("Do fewer bytes help?", {make_case({"float32", 5.6}),
                                                          make_case({"uint8", 2.9, DType::UInt8})});
  bytes.experiment = "bytes";
  bytes.limits = memory_limits();
  Results results = make_results("why", {allocators, threads, bytes});
  results.config["peers"] = {{"torch", {"run", "torch.py"}},
                             {"torch, no faults", {"run", "torch.py", "--allocator", "no-faults"}}};
  return results;
}

Results blog() { return make_results("blog", {blog_group()}); }

Results blog_no_counters() {
  Results results = blog();
  for (auto* list : {&results.groups[0].cases, &results.groups[0].limits})
    for (CaseResult& result : *list)
      for (Round& round : result.rounds) round.counters = {};
  return results;
}

Results swept() { return make_results("swept", {swept_group(1), swept_group(8), swept_group(64)}); }

Results skipped_gpu() {
  GroupResult group = make_group(
      "Normalise on the CPU, or send uint8 and normalise on the GPU?",
      {skipped({"CPU normalize, send f32", 1, DType::UInt8, {{"normalize"}, {"h2d"}}}),
       skipped({"send u8, GPU eager", 1, DType::UInt8, {{"h2d"}, {"cast"}, {"sub"}, {"div"}}}),
       skipped({"send u8, GPU fused", 1, DType::UInt8, {{"h2d"}, {"normalize"}}})});
  group.claims = {{"send uint8", "send u8, GPU fused", Relation::Less, "CPU normalize, send f32"}};
  Results results = make_results("skipped", {group});
  results.environment["places"]["cuda"] = no_driver;
  return results;
}

Results published() {
  GroupResult blog = blog_group();
  blog.experiment = "blog";
  blog.ids = {"A1", "A2", "A3"};
  for (Published& one : blog.published) one.ids = {one.variant.substr(0, 2)};
  const auto claim = [&](const std::string& id, const std::string& text, double ratio,
                         const std::string& left, const std::string& right) {
    Claim one{.text = text, .left = left, .relation = Relation::Less, .right = right};
    one.ids = {id};
    if (ratio > 1) one.ratio = ClaimedRatio{.low = ratio, .high = ratio};
    return one;
  };
  const std::string a1 = "A1 uint8: cast, sub, div", a2 = "A2 float32: sub, div";
  blog.claims = {claim("A1", "as much as published", 1.4, a2, a1),
                 claim("A1", "far more than that", 30, a2, a1),
                 claim("A1", "at the border", 1.55, a2, a1),
                 claim("A2", "the other way", 0, a1, a2)};
  for (CaseResult& one : blog.cases)  // the claim "at the border" needs a wider interval
    if (one.variant == a1) one.rounds = make_rounds(135.6, 1, rounds, 0.03, 81'003);
  std::vector<GroupResult> groups{blog};
  for (const int batch : {8, 64}) {
    GroupResult& group = groups.emplace_back(swept_group(batch));
    group.experiment = "threads";
    group.claims.front().ids = {"C5"};
    group.claims.front().across = ClaimedTrend{.axis = "batch", .trend = Trend::Grows};
  }
  groups.push_back(skipped_gpu().groups[0]);
  groups.back().experiment = "gpu";
  groups.back().claims.front().ids = {"A6"};
  return make_results("published", std::move(groups));
}

Results failed() {
  GroupResult group =
      make_group("Which is right?",
                 {make_case({"right", 5}), make_case({"also right", 6}), make_case({"wrong", 1})});
  CaseResult& wrong = group.cases[2];
  wrong.status = Status::Failed;
  wrong.check = {.ok = false, .max_abs_error = 3.2, .bound = 1e-6, .bound_share = 3.2e6};
  wrong.reason = "wrong output: error 3.2, bound 1e-06";
  group.profile.pop_back();
  return make_results("failed", {group});
}

Results unfair() {
  return make_results(
      "unfair",
      {make_group(
          "Is half enough?",
          {make_case({"to float32", 5}),
           make_case({"to float16", 3, DType::Float32, {{"normalize", DType::Float16}}})})});
}

Results tie() {
  return make_results("tie",
                      {make_group("Does it matter?", {make_case({"slow", 9}), make_case({"one", 5}),
                                                      make_case({"other", 5})})});
}

Results own_code() {
  const std::vector<StageSpec> stages{{"batches", DType::UInt8}, {"step", DType::UInt8}};
  std::vector<CaseResult> cases{make_case({"train.loader", 10, DType::UInt8, stages}),
                                make_case({"batches that take no time", 6, DType::UInt8, stages})};
  for (CaseResult& result : cases) {
    result.peer = "mine";
    result.peer_version = "loader with torch 2.9.0";
    result.source.reset();
    result.source_bytes = 0;
    result.check = {.ok = true, .held_to = HeldTo::Nothing};
    const std::int64_t bytes = 4 * shape.elements(), labels = 8 * shape.n;
    result.given = {.dtype = "float32",
                    .device = "cpu",
                    .shape = {shape.n, shape.c, shape.h, shape.w},
                    .bytes = bytes,
                    .batch_bytes = bytes + labels,
                    .workers = 2};
  }
  for (CaseResult& result : cases)
    result.stages[0].parameters = {{"dtype", "uint8"}, {"layout", "nchw"}};
  cases[1].stages[0].parameters["cached"] = true;
  return make_results("own-code", {make_group("What does loading cost my loop?", cases)});
}

Results busy() {
  Results results = tie();
  results.name = "busy";
  GroupResult& group = results.groups[0];
  group.claims = {{"one is faster", "one", Relation::Less, "slow"}};
  for (Round& round : group.cases[0].rounds) {
    round.wall_ns *= 5;  // the case had the processor for a fifth of each round
    round.queued_ns = round.wall_ns - round.cpu_ns;
  }
  return results;
}

Results inconclusive() {
  GroupResult group =
      make_group("Does it matter?", {make_case({"one", 5}), make_case({"other", 5})});
  group.cases[0].rounds = make_rounds(5, 1, rounds, 0.2);
  group.cases[1].rounds = make_rounds(5, 2, rounds, 0.2);
  group.stop = Stop::Time;
  return make_results("inconclusive", {group});
}

Results quick() {
  Results results = blog();
  results.quick = true;
  for (auto* contenders : {&results.groups[0].cases, &results.groups[0].limits})
    for (CaseResult& result : *contenders) {
      result.rounds.resize(5);
      for (StageResult& stage : result.stages)
        stage.rounds_ns.resize(std::min<std::size_t>(stage.rounds_ns.size(), 5));
    }
  return results;
}

Results interrupted() {
  Results results = make_results("interrupted", {swept_group(1), swept_group(8)});
  results.interrupted = true;
  results.missing = {{.experiment = results.groups[0].experiment, .point = {{"batch", 64}}}};
  return results;
}

Results traced() {
  Results results = blog();
  results.traced = true;
  return results;
}

Results labelled() {
  CaseResult eager = make_case({"eager", 20, DType::UInt8, {{"cast"}, {"sub"}, {"div"}}});
  const char* const labels[] = {"to float {i}", "sub", "divide"};
  for (std::size_t s = 0; s < eager.stages.size(); ++s) eager.stages[s].label = labels[s];
  eager.stages[1].ranges = {"preprocess"};
  eager.stages[2].ranges = {"preprocess", "inner"};
  GroupResult group =
      make_group("What takes the time?", {eager, make_case({"fused", 4, DType::UInt8})});
  std::vector<ProfileRow>& rows = group.profile[0].rows;
  rows[3].self_cpu_ns -= 5'000;  // row "ProfilerStep*"; the rows of the two ranges get these 5 us
  const std::int64_t inner_ns = rows[2].cpu_ns + 2'000;
  const std::int64_t outer_ns = inner_ns + rows[1].cpu_ns + 3'000;
  for (const auto& [name, self_ns, ns] :
       {std::tuple("inner", 2'000, inner_ns), std::tuple("preprocess", 3'000, outer_ns)}) {
    rows.push_back(profile_row(name, Place::Cpu, self_ns, ns));
    rows.back().annotation = true;
  }
  return make_results("labelled", {group});
}

Results decoding() {
  CaseResult photos =
      make_case({"photos", 40, DType::UInt8, {{"load", DType::UInt8}, {"normalize"}}});
  CaseResult ready = make_case({"ready", 4, DType::UInt8});
  for (std::int64_t& ns : photos.stages[0].rounds_ns) ns = 36'000'000;
  for (std::int64_t& ns : photos.stages[1].rounds_ns) ns = 4'000'000;
  photos.notes = {"2 of 12 files left out: broken.jpg (truncated), empty.png (0 bytes)"};
  return make_results("decoding", {make_group("What does decoding cost?", {photos, ready})});
}

}  // namespace normbench::examples
