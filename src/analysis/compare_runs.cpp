#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare_setup.h"
#include "core/units.h"
#include "document/statistics.h"

namespace normbench {
namespace {

constexpr double kLeastMargin = 0.02;
constexpr double kUnknownMargin = 0.05;  // where differences between runs are not known
constexpr double kBusier = 0.5;          // load per thread on one side above that on the other

/// ISO dates sort as text; "" where a document has none.
std::string date_of(const Results& results) {
  const auto date = results.environment.find("date");
  return date != results.environment.end() && date->is_string() ? date->get<std::string>() : "";
}

/// Load over the last minute per thread, when a run started; 0 where a document has none.
double load_of(const Results& results) {
  const auto load = results.environment.find("load");
  const auto threads = results.environment.find("available_threads");
  if (load == results.environment.end() || !load->is_array() || load->empty() ||
      !load->front().is_number() || threads == results.environment.end() || !threads->is_number())
    return 0;
  return load->front().get<double>() / std::max(1.0, threads->get<double>());
}

double median_load(const std::vector<Results>& runs) {
  std::vector<double> loads;
  for (const Results& results : runs) loads.push_back(load_of(results));
  return median(std::move(loads));
}

void warn_of_load(const std::vector<Results>& base, const std::vector<Results>& now,
                  std::vector<std::string>& warnings) {
  const double of_base = median_load(base), of_now = median_load(now);
  if (std::abs(of_base - of_now) <= kBusier) return;
  warnings.push_back(
      fmt::format("the machine was busier for {}: {:.1f} tasks a thread for BASE, {:.1f} for NEW",
                  of_base > of_now ? "BASE" : "NEW", of_base, of_now));
}

void warn_of_interrupted(const char* side, const std::vector<Results>& runs,
                         std::vector<std::string>& warnings) {
  const auto interrupted = std::ranges::count_if(runs, &Results::interrupted);
  if (interrupted > 0)
    warnings.push_back(fmt::format("{} of {} runs of {} interrupted: cases may be missing",
                                   interrupted, runs.size(), side));
}

/// The largest relative difference of identical code between fresh processes that calibration found
/// for a machine of these runs; 0 without one.
double between_processes(const std::vector<Results>& base, const std::vector<Results>& now) {
  double largest = 0;
  for (const auto* side : {&base, &now})
    for (const Results& results : *side) {
      const auto between = results.calibration.find("between");
      if (between != results.calibration.end() && between->is_number())
        largest = std::max(largest, between->get<double>());
    }
  return largest;
}

/// What the configs ask for; a quick run's own, wider one is of its rounds, not of its verdicts.
double precision_of(const std::vector<Results>& base, const std::vector<Results>& now) {
  const Json::json_pointer asked("/measure/precision");
  double largest = 0;
  for (const auto* side : {&base, &now})
    for (const Results& results : *side) {
      const bool says = results.config.contains(asked) && results.config.at(asked).is_number();
      if (says || !results.quick)
        largest =
            std::max(largest, says ? results.config.at(asked).get<double>() : results.precision);
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
  std::ranges::stable_sort(runs, {}, &Dated::date);  // within a second: as if they took turns
  std::size_t changes = 0;
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].is_base != runs[i - 1].is_base) ++changes;
  return 2 * changes >= pairs;
}

std::vector<std::string> setup_warnings(const std::vector<Results>& base,
                                        const std::vector<Results>& now) {
  std::vector<std::string> warnings;
  if (base.size() != now.size())
    warnings.push_back(fmt::format("BASE has {} runs and NEW {}: those beyond {} have no partner",
                                   base.size(), now.size(), std::min(base.size(), now.size())));
  warn_of_interrupted("BASE", base, warnings);
  warn_of_interrupted("NEW", now, warnings);
  if (!took_turns(base, now))
    warnings.push_back(
        "the runs of BASE and NEW did not take turns: a drift of the machine looks like a change "
        "(scripts/ci-regression runs them in alternation)");
  warn_of_load(base, now, warnings);
  return warnings;
}

Margin margin_of(const std::vector<Results>& base, const std::vector<Results>& now,
                 bool run_pairs) {
  Margin margin{.value = kLeastMargin, .reason = "the least that counts"};
  const auto raise = [&](double value, const char* reason) {
    if (value > margin.value) margin = {.value = value, .reason = reason};
  };
  raise(precision_of(base, now), "measure.precision of the config");
  const double between = between_processes(base, now);
  raise(between, "what identical code differs by between processes here (calibrated)");
  if (!run_pairs && between == 0)
    raise(kUnknownMargin, "too few runs to know what runs differ by, and no calibration");
  else if (!took_turns(base, now))
    raise(kUnknownMargin, "the runs did not take turns");
  return margin;
}

}  // namespace normbench
