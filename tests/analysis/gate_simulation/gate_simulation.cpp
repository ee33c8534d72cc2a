/// Measures how often a gate fails: without a change, and with one slower case. A gate is one
/// `normbench compare` of runs before and after a change. It fails if it exits with 1. The
/// documents of the runs are simulated. Each `World` is a behaviour of CI machines.
///
/// usage: gate_simulation [--repeats N] [--world NAME] [--without-limits]
/// --repeats: how many gates are simulated for each number of the table (default 1000).
/// --world: simulates only this world.
/// --without-limits: simulates documents without limits, to show the benefit of limits.
/// Exit code: 0 if every line of the table is as promised (see show_line()), 1 if a line is not, 2
/// for wrong arguments.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "compared.h"
#include "core/enums.h"

namespace normbench {
namespace {

enum class World {
  Quiet,
  Noisy,
  Autocorrelated,
  Bursts,
  SlowerRuns,
  TwoSpeeds,
  AnotherHost,
  OneMachineOfTwoHosts
};
constexpr auto words(World) {
  using enum World;
  return std::to_array<Word<World>>({{Quiet, "quiet"},
                                     {Noisy, "noisy"},
                                     {Autocorrelated, "AR(1)"},
                                     {Bursts, "bursts"},
                                     {SlowerRuns, "whole runs slower"},
                                     {TwoSpeeds, "two speeds by process"},
                                     {AnotherHost, "another host"},
                                     {OneMachineOfTwoHosts, "the same, one --machine"}});
}

constexpr int kRounds = 24;
constexpr int kLimits = 3;
constexpr double kHostSlower = 0.08;  // logarithm of the mean slowdown on NEW's host

/// The parameters of one gate, which compares runs of BASE (before a change) with runs of NEW
/// (after it). In NEW, the first of the `cases` cases takes 1 + `slower` times as long.
struct Setting {
  World world;
  int cases, pairs;
  double slower;
  bool limits;
};

/// A simulated machine. Makes the documents of consecutive runs.
class Machine {
 public:
  Machine(const Setting& setting, std::uint64_t seed) : setting_(setting), random_(seed) {
    for (int i = 0; i < setting.cases; ++i) {
      of_host_.push_back(kHostSlower + normal(0.01));
      suffers_.push_back(1 + normal(0.1));
    }
  }

  /// Returns the document of the next run, which is a run of NEW if `is_new`, and of BASE if not.
  /// The run begins at `minute` of the hour.
  Results run(bool is_new, int minute) {
    const World world = setting_.world;
    const bool drifts = world == World::Autocorrelated;
    drift_ = 0.8 * drift_ + normal(drifts ? 0.02 : 0.004);
    const double neighbour = world == World::SlowerRuns ? slower_run() : 0;
    const bool hosts = world == World::AnotherHost || world == World::OneMachineOfTwoHosts;
    const bool other_host = hosts && is_new;
    const std::vector<double> shared = rounds();
    std::vector<examples::TimedCase> cases, limits;
    for (int i = 0; i < setting_.cases; ++i) {
      const auto at = static_cast<std::size_t>(i);
      double level = std::log(1e6 * (1 + i % 7)) + drift_ + suffers_[at] * neighbour + of_process();
      if (i == 0 && is_new) level += std::log1p(setting_.slower);
      if (other_host) level += of_host_[at];
      cases.push_back({fmt::format("case {}", i), times(level, shared, rounds())});
    }
    for (int i = 0; i < kLimits; ++i) {
      std::vector<double> own;
      for (int round = 0; round < kRounds; ++round) own.push_back(normal(0.008));
      const double level = std::log(1.5e6) + drift_ + neighbour + (other_host ? kHostSlower : 0);
      limits.push_back({fmt::format("stream {}", i), times(level, shared, own)});
    }
    Results results = examples::timed_run(cases, minute);
    results.environment["host"] =
        world == World::AnotherHost ? fmt::format("runner-{}", is_new) : "runner";
    if (setting_.limits)
      for (const examples::TimedCase& limit : limits)
        results.groups[0].limits.push_back(examples::timed_case(limit));
    return results;
  }

 private:
  double normal(double deviation) { return deviation * normal_(random_); }
  double uniform() { return uniform_(random_); }

  /// Returns the slowdown of one run, as a natural logarithm. In two of five runs on average, a
  /// neighbour is busy: the slowdown is then 0.07 to 0.325.
  double slower_run() {
    constexpr std::array by{0.0, 0.0, 0.0, 0.1, 0.25};
    return by[static_cast<std::size_t>(5 * uniform())] * (0.7 + 0.6 * uniform());
  }

  /// Returns the slowdown of a case in one process, as a natural logarithm. It models that the
  /// physical pages of a process differ from run to run.
  double of_process() {
    const bool slow = setting_.world == World::TwoSpeeds && uniform() < 0.35;
    return (slow ? 0.08 : 0) + normal(0.004);
  }

  /// Returns the slowdown of each round of a run, as a natural logarithm.
  std::vector<double> rounds() {
    std::vector<double> series(kRounds);
    const World world = setting_.world;
    for (double& round : series) round = normal(world == World::Noisy ? 0.03 : 0.01);
    if (world == World::Autocorrelated) {
      series[0] *= 4;
      for (std::size_t i = 1; i < series.size(); ++i)
        series[i] = 0.95 * series[i - 1] + 1.2 * series[i];
    }
    if (world == World::Bursts)
      for (std::size_t i = 0; i < series.size(); ++i) {
        if (uniform() >= 0.08) continue;
        const auto end =
            std::min(series.size(), i + 1 + static_cast<std::size_t>(-8 * std::log1p(-uniform())));
        for (const double by = 0.15 + 0.45 * uniform(); i < end; ++i) series[i] += by;
      }
    return series;
  }

  static std::vector<std::int64_t> times(double level, const std::vector<double>& shared,
                                         const std::vector<double>& own) {
    std::vector<std::int64_t> ns;
    for (std::size_t i = 0; i < own.size(); ++i)
      ns.push_back(std::llround(std::exp(level + 0.5 * shared[i] + own[i])));
    return ns;
  }

  Setting setting_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  double drift_ = 0;
  std::vector<double> of_host_;  // logarithm of each case's slowdown on NEW's host
  // For each case: the logarithm of its slowdown by a busy neighbour, divided by the logarithm of
  // the slowdown of a limit.
  std::vector<double> suffers_;
};

/// Simulates pairs of runs of BASE and NEW, and compares them. The side that runs first alternates
/// between pairs, as in scripts/ci-regression.
Comparison compared(const Setting& setting, std::uint64_t seed) {
  Machine machine(setting, seed);
  std::vector<Results> base, now;
  for (int i = 0; i < 2 * setting.pairs; ++i) {
    const bool is_new = i % 4 == 1 || i % 4 == 2;
    (is_new ? now : base).push_back(machine.run(is_new, i));
  }
  return compare(base, now, {});
}

/// How many gates had each result.
struct Count {
  int failed = 0;       // the gate exits with 1
  int called_same = 0;  // the slower case has the verdict SAME
};

Count count_gates(const Setting& setting, int repeats) {
  Count count;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Comparison comparison = compared(setting, 1 + static_cast<std::uint64_t>(repeat));
    if (!comparable(comparison)) continue;
    if (gate(comparison) == Gate::Regressed) ++count.failed;
    for (const ComparedCase& one : comparison.cases)
      if (one.name.variant == "case 0" && one.change == Change::Same) ++count.called_same;
  }
  return count;
}

constexpr double kMostFalseAlarms = 0.02;

/// The smallest share of gates that must fail. `ten_percent` is for a case that is 10 % slower in
/// six pairs of runs. `five_percent` is for a case that is 5 % slower in ten pairs of runs.
struct Promise {
  double ten_percent = 0, five_percent = 0;
};

Promise promise_of(World world) {
  if (world == World::Quiet || world == World::Noisy) return {0.95, 0.90};
  if (world == World::SlowerRuns) return {0, 0.60};
  return {};
}

/// Returns three standard deviations of a share that was estimated from `repeats` gates.
double doubt(double share, int repeats) { return 3 * std::sqrt(share * (1 - share) / repeats); }

/// Prints a line of the table. Returns true if a share of at most kMostFalseAlarms of the gates
/// fails without a change, and if at least the share of promise_of() fails with a slower case. Both
/// limits have the tolerance doubt().
bool show_line(World world, int cases, int repeats, bool limits) {
  const auto share = [&](int failed) { return static_cast<double>(failed) / repeats; };
  const auto gates = [&](int pairs, double slower) {
    return count_gates({world, cases, pairs, slower, limits}, repeats);
  };
  const Count none_of_6 = gates(6, 0), none_of_10 = gates(10, 0);
  const Count ten = gates(6, 0.1), five = gates(10, 0.05);
  const Promise promise = promise_of(world);
  const auto too_many = [&](const Count& none) {
    return share(none.failed) > kMostFalseAlarms + doubt(kMostFalseAlarms, repeats);
  };
  const auto too_few = [&](const Count& found, double least) {
    return share(found.failed) < least - doubt(least, repeats);
  };
  const bool kept = !too_many(none_of_6) && !too_many(none_of_10) &&
                    !too_few(ten, promise.ten_percent) && !too_few(five, promise.five_percent);
  fmt::print("{:<23} {:>5} {:>9.1f} % {:>9.1f} % {:>9.1f} % {:>9.1f} % {:>9.1f} % {:>9.1f} %{}\n",
             name_of(world), cases, 100 * share(none_of_6.failed), 100 * share(none_of_10.failed),
             100 * share(ten.failed), 100 * share(five.failed), 100 * share(ten.called_same),
             100 * share(five.called_same), kept ? "" : "  NOT AS PROMISED");
  std::fflush(stdout);
  return kept;
}

struct Asked {
  int repeats = 1000;
  bool limits = true;
  std::optional<World> world;  // empty: all worlds
};

/// Reads the options on the command line. Returns nothing if one is wrong.
std::optional<Asked> read_arguments(const std::vector<std::string>& words) {
  Asked asked;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--without-limits") {
      asked.limits = false;
    } else if (words[i] == "--repeats" && i + 1 < words.size()) {
      asked.repeats = std::atoi(words[++i].c_str());
    } else if (words[i] == "--world" && i + 1 < words.size()) {
      asked.world = parse_word<World>(words[++i]);
      if (!asked.world) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return asked.repeats > 0 ? std::optional(asked) : std::nullopt;
}

/// Prints the table. Returns true if show_line() returns true for every line.
bool simulate(const Asked& asked) {
  fmt::print(
      "{} gates a number: exit 1 without a change, exit 1 with one slower case, and that "
      "case called SAME\n{:<23} {:>5} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
      asked.repeats, "world", "cases", "no, 6", "no, 10", "+10 %, 6", "+5 %, 10", "SAME +10 %",
      "SAME +5 %");
  bool kept = true;
  for (const auto& word : words(World{}))
    for (const int cases : {4, 40})
      if (asked.world.value_or(word.value) == word.value)
        kept = show_line(word.value, cases, asked.repeats, asked.limits) && kept;
  return kept;
}

}  // namespace
}  // namespace normbench

int main(int argc, char** argv) {
  const auto asked = normbench::read_arguments({argv + 1, argv + argc});
  if (asked) return normbench::simulate(*asked) ? 0 : 1;
  fmt::print(stderr, "usage: gate_simulation [--repeats N] [--world NAME] [--without-limits]\n");
  return 2;
}
