/// Tests that right results pass the check. The results come from every CPU kernel on random
/// tensors, from chains of ops, and from other sound float32 algorithms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "measure/check.h"
#include "measure/engine.h"
#include "measure/output_check.h"
#include "measure/selftest/cases.h"
#include "measure/selftest/trial.h"
#include "plan/plan.h"

namespace normbench::right_results_test {
namespace {

using selftest::Input;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  template <class Items>
  const auto& one_of(const Items& items) {
    return items[static_cast<std::size_t>(from(0, static_cast<std::int64_t>(items.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

std::vector<Input> inputs_for(const Feeds& fed, std::int64_t first) {
  std::vector<Input> inputs;
  for (const Feed& feed : fed) {
    inputs.emplace_back(feed, first);
    first += feed.desc.elements();
  }
  return inputs;
}

TEST(RightResults, OfRowsOnRandomTensorsAreLetPass) {
  constexpr int wanted = 3000;
  Backends cpu;
  cpu.list.push_back(make_cpu_backend());
  selftest::Lab lab(cpu, *cpu.list[0], {.threads = 2});
  std::vector<Kernel> rows;
  for (const Kernel& row : cpu.list[0]->kernels()) {
    const std::vector<Op> ops = samples(row.op, {1, 1, 1, 1});
    if (row.name != "reference" && !ops.empty() && has_reference(ops[0])) rows.push_back(row);
  }
  Random random(1);
  int right = 0;
  for (int tries = 0; right < wanted && tries < 20 * wanted; ++tries) {
    const Kernel& row = random.one_of(rows);
    const Shape shape{random.from(1, 3), random.from(1, 8), random.from(1, 24), random.from(1, 40)};
    const TensorDesc first =
        dense(random.one_of(dtype_rows).value, random.from(0, 1) == 0 ? Layout::Nchw : Layout::Nhwc,
              shape, Memory::Pageable);
    const Op op = random.one_of(samples(row.op, shape));
    const std::vector<Feeds> all = feeds(op, first);
    if (all.empty()) continue;  // `to_rgb` takes no other images than YCbCr
    const std::vector<Input> inputs = inputs_for(random.one_of(all), random.from(0, 1 << 20));
    std::vector<TensorDesc> in;
    for (const Input& input : inputs) in.push_back(input.desc(Memory::Pageable));
    const auto signature = selftest::signature_of(op, std::move(in), Memory::Pageable);
    if (!signature || !row.accepts(op, *signature)) continue;
    std::vector<Known> known;
    for (const Input& input : inputs) known.push_back({input.values(), input.accuracy()});
    const auto exact = selftest::exact_outputs(op, known, *signature);
    const selftest::Trial trial{row, op, inputs, *signature, &exact};
    std::int64_t runs = 0;
    const auto judged = selftest::run_trial(lab, trial, {selftest::Setting{}}, runs);
    ASSERT_EQ(judged.failure.value_or(""), "")
        << row.op << "/" << row.name << ": " << selftest::in_words(op, *signature);
    ++right;
  }
  EXPECT_EQ(right, wanted);
}

/// Runs a case with these stages on the CPU's default kernels. Returns the outcome of its check.
CheckOutcome outcome_of(const std::string& source, const std::string& stages) {
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  const std::string text = fmt::format(
      R"({{"schema": 1, "name": "right", "experiments": [{{"name": "right", "source": {},
           "variants": {{"one": {}}}}}]}})",
      source, stages);
  const Plan plan = make_plan("config.json", text, backends, {});
  const Case& planned = plan.groups.at(0).cases.at(0);
  GroupMemory memory({{&planned}}, plan.measure, backends, 1 << 16);
  SystemClock clock;
  Recorder recorder{clock};
  std::mt19937_64 random(1);
  Engine prepared(planned, memory, backends, recorder, clock, random);
  prepared.iterate({});
  return check_output(planned, prepared.item().inputs(), prepared.item().outputs(), backends);
}

TEST(RightResults, OfChainsAreLetPass) {
  const std::string constants =
      R"("mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375])";
  const std::string cast = R"({"op": "cast", "to": ")", normalize = R"({"op": "normalize", )";
  std::vector<std::string> chains;
  for (const std::string dtype : {"float32", "float16", "bfloat16"}) {
    chains.push_back(fmt::format(R"([{}{}"}}, {{"op": "sub", "mean": [123.675]}},
                                     {{"op": "div", "std": [58.395]}}])",
                                 cast, dtype));
    chains.push_back(fmt::format(R"([{}{}, "dtype": "{}"}}, {{"op": "denormalize", {}}},
                                     {{"op": "crop", "size": [5, 6]}}])",
                                 normalize, constants, dtype, constants));
    chains.push_back(fmt::format(R"([{{"op": "resize", "size": [9, 11]}},
                                     {}{}, "dtype": "{}", "flip": "both", "layout": "nhwc"}},
                                     {{"op": "layout", "to": "nchw"}}])",
                                 normalize, constants, dtype));
    chains.push_back(fmt::format(R"([{}{}, "dtype": "{}"}}, {{"op": "resize", "size": [40, 21]}},
                                     {}float32"}}])",
                                 normalize, constants, dtype, cast));
    chains.push_back(fmt::format(R"([{}{}, "dtype": "{}"}}, {{"op": "flip", "axis": "vertical"}},
                                     {{"op": "group_norm", "groups": 3, "affine": false}}])",
                                 normalize, constants, dtype));
    chains.push_back(
        fmt::format(R"([{}{}"}}, {}uint8"}}, {}{}"}}])", cast, dtype, cast, cast, dtype));
  }
  for (const std::string source :
       {R"({"dtype": "uint8", "batch": 3, "size": [17, 23]})",
        R"({"dtype": "float32", "batch": 2, "size": [13, 8], "values": {"normal": [90, 60]}})"})
    for (const std::string& chain : chains) {
      const CheckOutcome outcome = outcome_of(source, chain);
      EXPECT_EQ(outcome.reason + outcome.note, "") << source << chain;
      EXPECT_EQ(outcome.result.held_to, HeldTo::Reference) << source << chain;
    }
}

/// Mean and biased variance in float32.
struct Moments32 {
  float mean = 0, variance = 0;
};

float sum_by_halves(std::span<const float> terms) {
  if (terms.size() < 9) return std::accumulate(terms.begin(), terms.end(), 0.0F);
  const std::size_t half = terms.size() / 2;
  return sum_by_halves(terms.first(half)) + sum_by_halves(terms.subspan(half));
}

Moments32 two_passes_by_halves(std::span<const float> x) {
  const auto count = static_cast<float>(x.size());
  const float mean = sum_by_halves(x) / count;
  std::vector<float> squares;
  for (const float value : x) squares.push_back((value - mean) * (value - mean));
  return {mean, sum_by_halves(squares) / count};
}

/// Computes moments with Welford's recurrence in blocks of at most 512 values, and joins the blocks
/// in pairs, as libraries do. Without blocks, rounding would make the mean of 50,000 values wrong
/// by about the op's `eps`.
Moments32 welford(std::span<const float> x) {
  if (x.size() > 512) {
    const std::size_t half = x.size() / 2;
    const Moments32 a = welford(x.first(half)), b = welford(x.subspan(half));
    const auto of_a = static_cast<float>(half), of_b = static_cast<float>(x.size() - half);
    const float all = of_a + of_b, distance = b.mean - a.mean;
    return {
        a.mean + distance * (of_b / all),
        (a.variance * of_a + b.variance * of_b + distance * distance * (of_a * of_b / all)) / all};
  }
  float mean = 0, squares = 0, count = 0;
  for (const float value : x) {
    const float distance = value - mean;
    mean += distance / ++count;
    squares += distance * (value - mean);
  }
  return {mean, squares / count};
}

/// Computes moments from the differences between each value and the first value. The differences
/// and their squares are summed in eight lanes, as in vector code.
Moments32 shifted_in_lanes(std::span<const float> x) {
  std::array<float, 8> sums{}, squares{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float distance = x[i] - x[0];
    sums[i % 8] += distance;
    squares[i % 8] += distance * distance;
  }
  const auto count = static_cast<float>(x.size());
  const float shift = sum_by_halves(sums) / count;
  return {x[0] + shift, sum_by_halves(squares) / count - shift * shift};
}

/// Returns the outputs y, mean and rstd of `group_norm`. `moments` computes the mean and the
/// variance of one group. y is x * (rstd * gamma) + (beta - mean * rstd * gamma).
std::vector<Tensor64> normalized(const std::vector<Tensor64>& in, std::int64_t groups,
                                 Moments32 (*moments)(std::span<const float>)) {
  const Tensor64& x = in[0];
  const std::int64_t all = x.shape.n * groups, count = x.shape.elements() / all;
  const Shape statistics{x.shape.n, groups, 1, 1};
  std::vector<Tensor64> out{{x.shape, {}}, {statistics, {}}, {statistics, {}}};
  const std::vector<float> values(x.values.begin(), x.values.end());
  for (std::int64_t g = 0; g < all; ++g) {
    const auto [mean, variance] = moments(std::span(values).subspan(
        static_cast<std::size_t>(g * count), static_cast<std::size_t>(count)));
    out[1].values.push_back(mean);
    out[2].values.push_back(1 / std::sqrt(variance + 1e-5F));
  }
  each_of_channels(x.shape, [&](std::int64_t i, std::int64_t c) {
    const auto group = static_cast<std::size_t>(i / count), channel = static_cast<std::size_t>(c);
    const auto mean = static_cast<float>(out[1].values[group]);
    const float scale =
        static_cast<float>(out[2].values[group]) * static_cast<float>(in[1].values[channel]);
    const float shift = static_cast<float>(in[2].values[channel]) - mean * scale;
    out[0].values.push_back(values[static_cast<std::size_t>(i)] * scale + shift);
  });
  return out;
}

TEST(RightResults, OfOtherSumsInFloat32AreLetPass) {
  std::mt19937 random(3);
  for (const double mean : {0.0, 0.5, 20.0, -1000.0})
    for (const Shape shape : {Shape{2, 64, 56, 56}, Shape{3, 8, 9, 7}, Shape{2, 8, 1, 1}}) {
      std::normal_distribution<double> of_x(mean, 1), of_parameters(0.5, 1);
      std::vector<Tensor64> in{{shape, {}}, {of_channels(shape), {}}, {of_channels(shape), {}}};
      for (Tensor64& tensor : in)
        for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
          tensor.values.push_back(
              static_cast<float>(&tensor == &in[0] ? of_x(random) : of_parameters(random)));
      const GroupNorm op{.groups = 4};
      std::vector<TensorDesc> descs;
      for (const Tensor64& tensor : in)
        descs.push_back(dense(DType::Float32, Layout::Nchw, tensor.shape, Memory::Pageable));
      const auto signature = selftest::signature_of(op, descs, Memory::Pageable);
      const std::vector<Known> known{{in[0]}, {in[1]}, {in[2]}};
      const auto exact = selftest::exact_outputs(op, known, *signature);
      for (const auto& [name, moments] :
           {std::pair("two passes", &two_passes_by_halves), std::pair("Welford", &welford),
            std::pair("shifted", &shifted_in_lanes)}) {
        const std::vector<Tensor64> got = normalized(in, op.groups, moments);
        for (std::size_t i = 0; i < got.size(); ++i) {
          OutputCheck check;
          check.compare({.values = exact[i].values, .accuracy = {.errors = exact[i].bounds}},
                        got[i]);
          EXPECT_LE(check.worst().share(), 1)
              << name << " around " << mean << ", " << shape.h << " rows, output " << i;
        }
      }
    }
}

/// These outputs of `normalize` round three times to bfloat16: the input, the constants, and the
/// difference of input and mean. The check must pass only if the op names all three roundings.
TEST(RightResults, OfNarrowConstantsAreLetPassWhereTheyAreNamed) {
  const auto stored = [](double value) {
    std::array<std::byte, 2> bytes{};
    const View view{bytes.data(),
                    dense(DType::BFloat16, Layout::Nchw, {1, 1, 1, 1}, Memory::Pageable)};
    from_double({{1, 1, 1, 1}, {value}}, view, 0);
    return to_double(view, 0, 1).values[0];
  };
  const TensorDesc bytes = dense(DType::UInt8, Layout::Nchw, {1, 3, 16, 16}, Memory::Pageable);
  std::vector<std::byte> all;
  for (int i = 0; i < 3 * 256; ++i) all.push_back(static_cast<std::byte>(i % 256));
  const Input x(bytes, std::move(all));
  Normalize op{.mean = {0.485, 0.456, 0.406},
               .std = {0.229, 0.224, 0.225},
               .to = DType::BFloat16,
               .scale = 1 / 255.0};
  Tensor64 got = map_channels(x.values(), [&](double value, std::int64_t c) {
    const double difference = stored(stored(value / 255) - stored(at_channel(op.mean, c)));
    return stored(difference / stored(at_channel(op.std, c)));
  });
  const auto share = [&](const Rounds& rounds) {
    op.rounds = rounds;
    const Known known{x.values(), x.accuracy()};
    const auto signature = selftest::signature_of(op, {bytes}, Memory::Pageable);
    const auto exact = selftest::exact_outputs(op, std::span(&known, 1), *signature);
    OutputCheck check;
    check.compare({.values = exact[0].values, .accuracy = {.errors = exact[0].bounds}}, got);
    return check.worst().share();
  };
  EXPECT_GT(share({}), 2);
  EXPECT_GT(share({Narrow::Constants}), 1);
  EXPECT_LE(share({Narrow::Input, Narrow::Constants, Narrow::Difference}), 1);
}

}  // namespace
}  // namespace normbench::right_results_test
