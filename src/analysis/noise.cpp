#include "analysis/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/case_analysis.h"
#include "core/json.h"
#include "core/saturated.h"
#include "document/held_up.h"

namespace normbench {
namespace {

constexpr double kSlowClock = 0.98;  // a CPU clock below this share of the case's median is slow
// A preempted round takes more than this multiple of the usual time.
constexpr double kSlower = 1.02;
// A GPU clock is flagged if it differs from the median by more than this share of the median.
constexpr double kClockChange = 0.02;
// Smallest rise of the temperature that is reported, in degrees Celsius.
constexpr std::int64_t kWarmer = 10;
constexpr double kOutlier = 3.5;      // a round with a larger modified z-score is an outlier
constexpr double kNoisySpread = 0.1;  // largest interquartile range over median on a quiet machine
constexpr double kNoisyDisturbed = 0.1;  // largest share of disturbed rounds on a quiet machine
// Median absolute deviation of a standard normal variable.
constexpr double kNormalQuartile = 0.6745;

std::vector<double> logs(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

std::vector<double> column(const CaseResult& result, std::int64_t (*of)(const Round&)) {
  std::vector<double> values;
  for (const Round& round : result.rounds) values.push_back(static_cast<double>(of(round)));
  return values;
}

std::vector<std::int64_t> ends_of_turns(const GroupResult& group) {
  std::vector<std::int64_t> ends;
  for (const auto* list : {&group.cases, &group.limits})
    for (const CaseResult& result : *list)
      for (const auto* rounds : {&result.rounds, &result.cut_rounds})
        for (const Round& round : *rounds) ends.push_back(round.start_ns + round.wall_ns);
  std::ranges::sort(ends);
  return ends;
}

/// Returns the time in ns over which the disturbances of a case were counted. For each turn of the
/// case, the counters are read at the end of the previous turn (of any case) and at the end of this
/// turn. Returns the sum of the times between these two readings.
double time_read_ns(const CaseResult& result, const std::vector<std::int64_t>& ends) {
  std::int64_t total = 0;
  for (const Round& round : result.rounds) {
    const std::int64_t end = round.start_ns + round.wall_ns;
    const auto at = std::ranges::lower_bound(ends, end);
    total += at == ends.begin() ? round.wall_ns : end - *std::prev(at);
  }
  return static_cast<double>(total);
}

void add_counters(const CaseResult& result, const std::vector<std::int64_t>& ends,
                  CaseNoise& noise) {
  std::int64_t steal_ns = 0, throttled_ns = 0;
  for (const Round& round : result.rounds) {
    noise.counters = noise.counters + round.counters;
    steal_ns += round.disturbance.steal_ns;
    throttled_ns += round.disturbance.throttled_ns;
  }
  const double time_ns = time_read_ns(result, ends);
  if (time_ns <= 0) return;
  noise.steal_share = static_cast<double>(steal_ns) / time_ns;
  noise.throttled_share = static_cast<double>(throttled_ns) / time_ns;
}

void add_frequency(const CaseResult& result, CaseNoise& noise) {
  const auto khz = column(result, [](const Round& r) { return r.disturbance.frequency_khz; });
  const double middle = median(khz);
  if (middle <= 0) return;
  const auto [low, high] = std::ranges::minmax(khz);
  noise.frequency_khz = std::llround(middle);
  noise.frequency_spread = (high - low) / middle;
}

/// Returns the modified z-score of each value: 0.6745 times its difference from the median, divided
/// by the median of the absolute differences. All scores are 0 if the divisor is 0.
std::vector<double> modified_z(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances, scores;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  const double usual = median(distances);
  for (const double value : values)
    scores.push_back(usual > 0 ? kNormalQuartile * (value - middle) / usual : 0);
  return scores;
}

/// Returns for each round whether it was slower because other programs used the processor.
std::vector<bool> preempted(const CaseResult& result, const std::vector<double>& times) {
  const auto switches =
      column(result, [](const Round& r) { return r.counters.involuntary_switches; });
  std::vector<double> sorted = switches;
  std::ranges::sort(sorted);
  const double quartile = sorted[sorted.size() / 4];
  const double most = quartile + 3 * std::sqrt(quartile);
  std::vector<double> left_alone;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (switches[i] <= most) left_alone.push_back(times[i]);
  const double usual = median(left_alone);
  std::vector<bool> found;
  for (std::size_t i = 0; i < times.size(); ++i)
    found.push_back(switches[i] > most && times[i] > kSlower * usual);
  return found;
}

bool is_read(const Round& round) { return round.state.sm_clock_mhz > 0; }

/// Returns the GPU's mean clock over the turn in MHz, or its clock at the end of the turn if
/// `over_turns` is false. Returns 0 if the clock is not known.
std::int64_t clock_mhz(const Round& round, bool over_turns) {
  return over_turns ? round.turn_clock_mhz : round.state.sm_clock_mhz;
}

std::int64_t reasons(const Round& round) { return round.state.throttle_bits & ~throttle_idle; }

bool is_off(std::int64_t mhz, std::int64_t middle_mhz) {
  const auto middle = static_cast<double>(middle_mhz);
  return std::abs(static_cast<double>(mhz) - middle) > kClockChange * middle;
}

void add_flags(const CaseResult& result, const DeviceStates& states, const Results& results,
               CaseNoise& noise) {
  const auto times = all_times_ns(result, results);
  const std::vector<bool> is_preempted = preempted(result, times);
  const std::vector<double> z = modified_z(logs(times));
  for (int i = 0; i < noise.rounds; ++i) {
    const Round& round = result.rounds[i];
    const auto flag_when = [&](bool condition, Flag flag) {
      if (condition) noise.flagged[flag].push_back(i);
      return condition;
    };
    const auto khz = static_cast<double>(round.disturbance.frequency_khz);
    bool any = flag_when(round.disturbance.steal_ns > 0, Flag::Stolen);
    any |= flag_when(round.disturbance.throttled_ns > 0, Flag::Throttled);
    any |= flag_when(is_held_up(result, round, results.clock), Flag::HeldUp);
    any |= flag_when(is_preempted[i], Flag::Preempted);
    any |= flag_when(khz > 0 && khz < kSlowClock * static_cast<double>(noise.frequency_khz),
                     Flag::SlowClock);
    any |= flag_when(z[i] > kOutlier, Flag::Outlier);
    const std::int64_t mhz = clock_mhz(round, states.over_turns);
    any |= flag_when(mhz > 0 && is_off(mhz, states.middle_mhz), Flag::DeviceClock);
    any |= flag_when((reasons(round) & states.sometimes_bits) != 0, Flag::DeviceThrottled);
    if (any) noise.disturbed.push_back(i);
  }
}

/// Compares the last third of the rounds with the first third: the first round of one with the
/// first round of the other, and so on.
void add_drift(const std::vector<double>& times, double precision, CaseNoise& noise) {
  const auto third = static_cast<std::ptrdiff_t>(times.size() / 3);
  const std::vector<double> first(times.begin(), times.begin() + third);
  const std::vector<double> last(times.end() - third, times.end());
  if (!enough_rounds(log_ratios(last, first), decision_level)) return;
  noise.drift = paired_ratio(last, first, decision_level);
  noise.drifts = (noise.drift->low > 1 || noise.drift->high < 1) &&
                 std::abs(noise.drift->value - 1) > precision;
}

void add_sensitivity(const std::vector<double>& times, const std::vector<double>& baseline,
                     const std::vector<int>& elsewhere, CaseNoise& noise) {
  std::vector<double> a, b;
  for (int i = 0; i < static_cast<int>(std::min(times.size(), baseline.size())); ++i) {
    if (std::ranges::binary_search(noise.disturbed, i) || std::ranges::binary_search(elsewhere, i))
      continue;
    a.push_back(times[i]);
    b.push_back(baseline[i]);
  }
  if (a.size() == times.size() || !enough_rounds(log_ratios(a, b), decision_level)) return;
  const Interval ratio = paired_ratio(times, baseline, decision_level);
  noise.undisturbed = paired_ratio(a, b, decision_level);
  noise.sensitive = std::abs(std::log(noise.undisturbed->value / ratio.value)) > half_width(ratio);
}

bool is_count(const Json& json) {
  return json.is_number_integer() && json.get<std::int64_t>() >= 0;
}

/// Adds, for each throttle reason, how long it held the GPU's clocks back between the readings
/// before and after the rounds. The driver counts this time in steps, and a step may have begun
/// before the first round. So each time is limited to `rounds_ns`.
void add_held_back(const GroupResult& group, DeviceStates& states) {
  const Json& before = value_at(group.condition_before, "/held_back_ns");
  const Json& after = value_at(group.condition_after, "/held_back_ns");
  if (!before.is_object() || !after.is_object()) return;
  for (const auto& [reason, ns] : after.items()) {
    const Json was = before.value(reason, Json());
    if (!is_count(ns) || !is_count(was)) continue;
    const auto held_ns = ns.get<std::int64_t>() - was.get<std::int64_t>();
    if (held_ns > 0) states.held_back_ns.emplace(reason, std::min(held_ns, states.rounds_ns));
  }
}

std::int64_t rounds_ns(const GroupResult& group) {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max(), last_ns = 0;
  for (const auto* list : {&group.cases, &group.limits})
    for (const CaseResult& result : *list)
      for (const auto* rounds : {&result.rounds, &result.cut_rounds})
        for (const Round& round : *rounds) {
          first_ns = std::min(first_ns, std::max<std::int64_t>(0, round.start_ns));
          last_ns = std::max(last_ns, saturated_sum(round.start_ns, round.wall_ns));
        }
  return std::max<std::int64_t>(0, last_ns - first_ns);
}

}  // namespace

bool DeviceStates::clock_changed() const {
  return is_off(low_mhz, middle_mhz) || is_off(high_mhz, middle_mhz);
}
bool DeviceStates::warmed() const { return high_c - low_c >= kWarmer; }

DeviceStates device_states(const GroupResult& group) {
  DeviceStates states{.slowest_ns = group.slowest_state_ns};
  states.rounds_ns = rounds_ns(group);
  add_held_back(group, states);
  std::vector<double> clocks, at_ends;
  std::vector<std::int64_t> celsius;
  std::int64_t all = -1, any = 0;
  for (const auto* list : {&group.cases, &group.limits})
    for (const CaseResult& result : *list) {
      if (!measured(result) || !uses_gpu(result)) continue;
      states.turns += static_cast<int>(result.rounds.size());
      for (const Round& round : result.rounds) {
        if (round.turn_clock_mhz > 0) clocks.push_back(static_cast<double>(round.turn_clock_mhz));
        if (!is_read(round)) continue;
        at_ends.push_back(static_cast<double>(round.state.sm_clock_mhz));
        celsius.push_back(round.state.temperature_c);
        all &= reasons(round);
        any |= reasons(round);
      }
    }
  states.read = static_cast<int>(at_ends.size());
  states.over_turns = !clocks.empty();
  if (!states.over_turns) clocks = std::move(at_ends);
  if (clocks.empty()) return states;
  const auto [low, high] = std::ranges::minmax(clocks);
  states.low_mhz = std::llround(low);
  states.high_mhz = std::llround(high);
  states.middle_mhz = std::llround(median(clocks));
  if (states.read == 0) return states;
  states.low_c = std::ranges::min(celsius);
  states.high_c = std::ranges::max(celsius);
  states.always_bits = all;
  states.sometimes_bits = any & ~all;
  return states;
}

std::vector<CaseNoise> noise_of(const GroupResult& group, const Results& results) {
  const DeviceStates states = device_states(group);
  const std::vector<std::int64_t> ends = ends_of_turns(group);
  std::vector<CaseNoise> noise(group.cases.size());
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const CaseResult& result = group.cases[i];
    if (!measured(result)) continue;
    noise[i].rounds = static_cast<int>(result.rounds.size());
    add_counters(result, ends, noise[i]);
    add_frequency(result, noise[i]);
    add_flags(result, states, results, noise[i]);
    const auto times = all_times_ns(result, results);
    add_drift(times, precision_of(group, results), noise[i]);
    noise[i].autocorrelation = lag1_autocorrelation(logs(times));
  }
  const int baseline = index_of(group, group.baseline);
  if (baseline < 0 || noise[baseline].rounds == 0) return noise;
  const auto reference = times_ns(group.cases[baseline], results);
  for (int i = 0; i < static_cast<int>(noise.size()); ++i) {
    if (i == baseline || noise[i].rounds == 0) continue;
    const auto times = times_ns(group.cases[i], results);
    noise[i].autocorrelation = lag1_autocorrelation(log_ratios(times, reference));
    add_sensitivity(times, reference, noise[baseline].disturbed, noise[i]);
  }
  return noise;
}

Quality quality_of(Quality quality, const std::vector<CaseNoise>& noise, double precision,
                   bool quick) {
  for (const CaseNoise& one : noise) {
    quality.rounds += one.rounds;
    quality.disturbed += static_cast<int>(one.disturbed.size());
    for (const auto& [flag, rounds] : one.flagged) quality.flagged[flag] += rounds.size();
    if (one.drifts) quality.drift = std::max(quality.drift, std::abs(one.drift->value - 1));
  }
  quality.quick = quick;
  quality.noisy = quality.spread > kNoisySpread || quality.half_width > 2 * precision ||
                  quality.disturbed > kNoisyDisturbed * quality.rounds || quality.drift > 0;
  return quality;
}

}  // namespace normbench
