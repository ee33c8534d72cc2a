#include <algorithm>
#include <cmath>

#include "analysis/calibration.h"
#include "analysis/compare/setup.h"
#include "document/statistics.h"

namespace normbench {
namespace {

constexpr double kLeastMargin = 0.02;
// The least margin if the difference between runs of the same code is unknown, or if the runs of
// the two sides did not alternate. The margin is the largest relative change that counts as no
// change.
constexpr double kUnknownMargin = 0.05;
constexpr double kBusier = 0.5;  // smallest difference in load average per thread that is reported

/// Returns the date in ISO format, which sorts as text; "" if the document has none.
std::string date_of(const Results& results) {
  const Json& date = value_at(results.environment, "/date");
  return date.is_string() ? date.get<std::string>() : "";
}

/// Returns the load average per thread over the minute before the run; 0 if the document has none.
double load_of(const Results& results) {
  const Json& load = value_at(results.environment, "/load");
  const Json& threads = value_at(results.environment, "/available_threads");
  if (!load.is_array() || load.empty() || !load.front().is_number() || !threads.is_number())
    return 0;
  return load.front().get<double>() / std::max(1.0, threads.get<double>());
}

double median_load(const std::vector<Results>& runs) {
  std::vector<double> loads;
  for (const Results& results : runs) loads.push_back(load_of(results));
  return median(std::move(loads));
}

/// Returns the largest "between" in the calibrations of these documents: the relative difference
/// between the times of fresh processes that run identical code. Returns 0 if no document has it.
double between_processes(const std::vector<Results>& base, const std::vector<Results>& now) {
  double largest = 0;
  for (const auto* side : {&base, &now})
    for (const Results& results : *side)
      if (const Json& between = value_at(results.calibration, "/between"); between.is_number())
        largest = std::max(largest, between.get<double>());
  return largest;
}

/// Returns the largest target precision (relative half-width of intervals) of the documents. A
/// quick run counts only if its config sets the precision, because the wide default of quick runs
/// is not meant for comparisons.
double precision_of(const std::vector<Results>& base, const std::vector<Results>& now) {
  double largest = 0;
  for (const auto* side : {&base, &now})
    for (const Results& results : *side) {
      const Json& asked = value_at(results.config, "/measure/precision");
      if (asked.is_number() || !results.quick)
        largest = std::max(largest, asked.is_number() ? asked.get<double>() : results.precision);
    }
  return largest;
}

}  // namespace

bool took_turns(const std::vector<Results>& base, const std::vector<Results>& now) {
  struct Dated {
    std::string date;
    bool is_base;
  };
  const std::size_t pairs = std::min(base.size(), now.size());
  std::vector<Dated> runs;
  for (std::size_t i = 0; i < pairs; ++i) {
    runs.push_back({date_of(base[i]), true});
    runs.push_back({date_of(now[i]), false});
  }
  if (std::ranges::any_of(runs, [](const Dated& run) { return run.date.empty(); })) return true;
  // The sides alternate in `runs`. A stable sort keeps this order for runs with the same date.
  std::ranges::stable_sort(runs, {}, &Dated::date);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].is_base != runs[i - 1].is_base) ++changes;
  return 2 * changes >= pairs;
}

std::vector<Caution> setup_cautions(const std::vector<Results>& base,
                                    const std::vector<Results>& now) {
  std::vector<Caution> cautions;
  if (base.size() != now.size()) cautions.push_back(caution::UnpairedRuns{base.size(), now.size()});
  for (const auto* side : {&base, &now})
    if (const auto interrupted = std::ranges::count_if(*side, &Results::interrupted))
      cautions.push_back(
          caution::Interrupted{side == &base, static_cast<std::size_t>(interrupted), side->size()});
  if (!took_turns(base, now)) cautions.push_back(caution::NoTurns{});
  const caution::Busier load{median_load(base), median_load(now)};
  if (std::abs(load.base - load.now) > kBusier) cautions.push_back(load);
  return cautions;
}

Margin margin_of(const std::vector<Results>& base, const std::vector<Results>& now,
                 bool run_pairs) {
  using enum Margin::Reason;
  Margin margin{.value = kLeastMargin, .reason = Least};
  const auto raise = [&](double value, Margin::Reason reason) {
    if (value > margin.value) margin = {.value = value, .reason = reason};
  };
  raise(precision_of(base, now), Precision);
  raise(between_processes(base, now), Calibrated);
  const auto known = [](const Results& results) { return knows_between(results.calibration); };
  if (!run_pairs && std::ranges::none_of(base, known) && std::ranges::none_of(now, known))
    raise(kUnknownMargin, TooFewRuns);
  else if (!took_turns(base, now))
    raise(kUnknownMargin, NoTurns);
  return margin;
}

}  // namespace normbench
