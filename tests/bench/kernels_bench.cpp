/// Measures single kernels of the CPU in turns with streams that read and write as many bytes.
///
///   kernels_bench row=normalize/fused,normalize/fused_nt from=uint8 to=float32,float16 in=nhwc
///                 out=nchw shape=10x3x720x1280 threads=1,2 cache=cold,hot rounds=60
///                 with='{"flip": "horizontal"}'
///
/// Every key has a default, and takes several values that are separated by commas. Google
/// Benchmark's own arguments may be added. `of_limit` is the ratio of the fastest stream's time to
/// the kernel's time: its median over the rounds, with a 95 % interval. `of_witness` is the ratio
/// of the fastest witness's time to the kernel's time. A witness shares no code with the project's
/// kernels (witness.h).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <sstream>

#include "bench/kernel_rounds.h"

namespace normbench {
namespace {

using Keys = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) all.push_back(part);
  return all;
}

/// Removes the arguments of the form key=value from `argv`, and returns their values.
Keys take_keys(int& argc, char** argv) {
  Keys keys{{"row", {"normalize/fused"}},
            {"from", {"uint8"}},
            {"to", {"float32"}},
            {"in", {"nchw"}},
            {"out", {"nchw"}},
            {"threads", {"1"}},
            {"cache", {"cold"}},
            {"shape", {"10x3x720x1280"}},
            {"rounds", {"60"}},
            {"with", {"{}"}}};
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    if (equals == std::string::npos || key.starts_with("-")) {
      argv[kept++] = argv[i];
      continue;
    }
    const auto known = keys.find(key);
    if (known == keys.end()) throw Invalid(fmt::format("unknown key \"{}\"", key));
    const std::string value = argument.substr(equals + 1);
    known->second = key == "with" ? std::vector{value} : parts(value, ',');
  }
  argc = kept;
  return keys;
}

template <class E>
E word(const std::string& text) {
  const auto value = parse_word<E>(text);
  if (!value) throw Invalid(fmt::format("unknown \"{}\" (known: {})", text, known_words<E>()));
  return *value;
}

Shape shape_of(const std::string& text) {
  const auto numbers = parts(text, 'x');
  if (numbers.size() != 4) throw Invalid(fmt::format("shape \"{}\" is not like 1x3x5x7", text));
  return {std::stoll(numbers[0]), std::stoll(numbers[1]), std::stoll(numbers[2]),
          std::stoll(numbers[3])};
}

/// Returns every combination of the keys' values.
std::vector<std::map<std::string, std::string>> combinations(const Keys& keys) {
  std::vector<std::map<std::string, std::string>> all{{}};
  for (const auto& [key, values] : keys) {
    std::vector<std::map<std::string, std::string>> longer;
    for (const auto& one : all)
      for (const auto& value : values) {
        longer.push_back(one);
        longer.back()[key] = value;
      }
    all = std::move(longer);
  }
  return all;
}

KernelCase case_of(std::map<std::string, std::string> keys) {
  const auto row = parts(keys["row"], '/');
  if (row.size() != 2) throw Invalid(fmt::format("row \"{}\" is not like op/name", keys["row"]));
  return {.op = row[0],
          .row = row[1],
          .parameters = keys["with"],
          .in = dense(word<DType>(keys["from"]), word<Layout>(keys["in"]), shape_of(keys["shape"]),
                      Memory::Pageable),
          .to = word<DType>(keys["to"]),
          .layout = word<Layout>(keys["out"]),
          .threads = std::stoi(keys["threads"]),
          .cache = word<Cache>(keys["cache"])};
}

void run(benchmark::State& state, const KernelCase& what) try {
  KernelRounds rounds(what);
  for (auto _ : state) state.SetIterationTime(1e-9 * rounds.next());
  const auto count = [&](const char* name, double value) { state.counters[name] = value; };
  const Interval share = rounds.of_limit();
  count("GB/s", rounds.gb_per_second());
  count("of_limit", share.value);
  count("low", share.low);
  count("high", share.high);
  const std::optional<Interval> witness = rounds.of_witness();
  if (!witness) return;
  count("of_witness", witness->value);
  count("of_witness_low", witness->low);
  count("of_witness_high", witness->high);
} catch (const Invalid& why) {
  state.SkipWithError(why.what());
}

void register_all(const Keys& keys) {
  for (const auto& combination : combinations(keys)) {
    const KernelCase what = case_of(combination);
    const std::string name =
        fmt::format("{}/{} {} -> {} {} {}t {}", what.op, what.row, describe(what.in),
                    name_of(what.to), name_of(what.layout), what.threads, name_of(what.cache));
    benchmark::RegisterBenchmark(name.c_str(),
                                 [what](benchmark::State& state) { run(state, what); })
        ->UseManualTime()
        ->Iterations(std::stoll(combination.at("rounds")))
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace
}  // namespace normbench

int main(int argc, char** argv) {
  try {
    normbench::register_all(normbench::take_keys(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "kernels_bench: " << error.what() << "\n";
    return 2;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
