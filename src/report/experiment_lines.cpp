#include "report/experiment_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "analysis/why/parts.h"
#include "core/units.h"
#include "report/dataset_text.h"
#include "report/document_text.h"
#include "report/evidence_tables.h"
#include "report/link_text.h"
#include "report/sweep_text.h"
#include "report/verdict_text.h"
#include "report/words.h"

namespace normbench {
namespace {

std::string threads_text(const Results& results) {
  std::set<int> threads;
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases) threads.insert(result.threads);
  if (threads.empty()) return "";
  return fmt::format(", {} thread{}", fmt::join(threads, "/"), *threads.rbegin() == 1 ? "" : "s");
}

/// Returns the size of a run, like "6 variants of 10x3x720x1280 nchw" or "6 experiments, 18
/// groups".
std::string extent(const Results& results, const std::vector<Experiment>& list) {
  if (list.size() > 1)
    return fmt::format("{}, {}", counted(static_cast<std::int64_t>(list.size()), "experiment"),
                       counted(static_cast<std::int64_t>(results.groups.size()), "group"));
  if (list.empty()) return "nothing measured";
  const GroupResult& group = *list[0].groups[0];
  std::string text = counted(static_cast<std::int64_t>(group.cases.size()), "variant");
  if (list[0].groups.size() > 1) return text + fmt::format(" at {} points", list[0].groups.size());
  if (group.cases.empty() || group.cases[0].stages.empty()) return text;
  const TensorDesc out = outputs_of(group.cases[0]).front();
  return text + fmt::format(" of {}x{}x{}x{} {}", out.shape.n, out.shape.c, out.shape.h,
                            out.shape.w, arrangement_of(out));
}

/// Returns the cache settings, "cold" or "hot". Returns both if the experiments differ in this
/// setting.
std::vector<std::string_view> caches(const Results& results) {
  std::vector<std::string_view> names;
  for (const GroupResult& group : results.groups)
    if (const auto name = name_of(cache_of(group, results));
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  if (names.empty()) names.push_back(name_of(results.cache));
  return names;
}

/// What the checks of an experiment's outputs found. The first three members count outputs.
struct Outputs {
  std::int64_t compared = 0, correct = 0, unchecked = 0;
  std::int64_t unchecked_values = 0;        // sum over the correct outputs
  double error = 0;                         // largest error of correct outputs without a PSNR bound
  const CheckResult* least_like = nullptr;  // the correct output with the lowest PSNR
};

Outputs outputs_of(const Experiment& experiment) {
  Outputs outputs;
  for (const GroupResult* group : experiment.groups)
    for (const CaseResult& result : group->cases) {
      if (!measured(result) && result.status != Status::Failed) continue;
      if (!result.check.compared()) {
        ++outputs.unchecked;
        continue;
      }
      ++outputs.compared;
      if (!measured(result) || !result.check.ok) continue;
      ++outputs.correct;
      outputs.unchecked_values += result.check.unchecked_values;
      if (result.check.psnr_bound_db == 0)
        outputs.error = std::max(outputs.error, result.check.max_abs_error);
      else if (outputs.least_like == nullptr || result.check.psnr_db < outputs.least_like->psnr_db)
        outputs.least_like = &result.check;
    }
  return outputs;
}

/// Returns a text like "6 of 6 outputs correct (max error 2.4e-7), 12 values in them not checked, 1
/// output not checked", or "" if there are no outputs.
std::string outputs_text(const Outputs& outputs) {
  std::string text;
  if (outputs.compared > 0)
    text =
        fmt::format("{} of {} correct{}", outputs.correct, counted(outputs.compared, "output"),
                    outputs.correct == 0
                        ? ""
                        : fmt::format(" (max error {}{})", max_error_text(outputs.error),
                                      outputs.least_like == nullptr
                                          ? ""
                                          : "; as images: " + likeness_text(*outputs.least_like)));
  if (outputs.unchecked_values > 0)
    text += fmt::format(", {} in them not checked", counted(outputs.unchecked_values, "value"));
  if (outputs.unchecked == 0) return text;
  return fmt::format("{}{}{} not checked", text, text.empty() ? "" : ", ",
                     counted(outputs.unchecked, "output"));
}

/// Returns outputs_text() of the whole experiment, and quality_text() (how precise the measurements
/// are) of the point with the widest intervals. Returns "" if there are no outputs.
std::string closing(const Experiment& experiment) {
  const std::string outputs = outputs_text(outputs_of(experiment));
  if (outputs.empty()) return "";
  const auto worst = std::ranges::max_element(
      experiment.analyses, {}, [](const GroupAnalysis& one) { return one.quality.half_width; });
  const std::string quality = quality_text(*worst);
  return fmt::format("{}{}{}", outputs, quality.empty() ? "" : " · ", quality);
}

/// Returns the names, separated by commas. If there are more than five, returns the first four and
/// the number of the others, like "a, b, c, d and 3 more".
std::string few_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  const std::size_t shown = names.size() <= most + 1 ? names.size() : most;
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + std::ptrdiff_t(shown), ", "));
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

/// Returns the number of processes that measure a group. Each process measures a part of the
/// group's rounds. The config sets the number, and the default is 1.
std::int64_t processes_of(const Results& results) {
  const Json& processes = value_at(results.config, "/measure/processes");
  return processes.is_number_integer() ? processes.get<std::int64_t>() : 1;
}

/// Returns a text like "2 of 4 groups are missing: copy at batch=8, cast; copy at batch=4 has only
/// 8 rounds".
std::string missing_groups_text(const Results& results, const std::vector<MissingGroup>& missing) {
  std::vector<std::string> names, begun;
  for (const MissingGroup& group : missing) {
    const std::string name =
        group.experiment + (group.point.empty() ? "" : " at " + point_text(group.point));
    if (group.is_absent())
      names.push_back(name);
    else if (group.rounds > 0)
      begun.push_back(fmt::format("{} has only {}", name, counted(group.rounds, "round")));
    else
      begun.push_back(fmt::format("{} has only the rounds of {} of {} processes", name,
                                  group.processes, processes_of(results)));
  }
  const std::size_t planned = results.groups.size() + names.size();
  std::string text;
  if (!names.empty())
    text = fmt::format("{} of {} {} missing: {}", names.size(), counted(planned, "group"),
                       names.size() == 1 ? "is" : "are", few_names(names));
  if (!begun.empty()) text += fmt::format("{}{}", text.empty() ? "" : "; ", few_names(begun));
  return text.empty() ? "all groups were measured, but not all were profiled" : text;
}

bool decodes(const CaseResult& result, const StageResult& stage) {
  return std::ranges::any_of(parts(result), [&](const ResourceShare& part) {
    return part.resource == Resource::Decode &&
           std::ranges::find(part.stages, stage.label) != part.stages.end();
  });
}

/// Returns the parts of the CPU time of a stage that decodes, by the profile of the case, like "
/// (decode 74 %, resize 24 %, read 2.1 %)". Returns "" without a profile. Also returns "" if a
/// stage has the name of a part as its label, because the profile adds up ranges with equal names.
std::string parts_text(const GroupResult& group, const CaseResult& result) {
  static constexpr std::array names{"decode", "resize", "read", "mmap"};
  const CaseProfile* const profile = find_profile(group, result.variant);
  if (profile == nullptr) return "";
  double sum = 0;
  std::vector<std::pair<std::string, double>> found;
  for (const char* const name : names) {
    if (std::ranges::find(result.stages, name, &StageResult::label) != result.stages.end())
      return "";
    const auto row = std::ranges::find(profile->rows, name, &ProfileRow::name);
    if (row == profile->rows.end()) continue;
    found.emplace_back(name, static_cast<double>(row->self_cpu_ns));
    sum += found.back().second;
  }
  if (sum <= 0) return "";
  std::vector<std::string> texts;
  for (const auto& [name, ns] : found)
    texts.push_back(fmt::format("{} {}", name, format_percent(ns / sum)));
  return fmt::format(" ({})", fmt::join(texts, ", "));
}

/// Returns the label of a stage. For a stage that decodes files, parts_text() follows. If this is
/// "", a text like " with reading, decoding, resizing" follows instead.
std::string stage_name(const GroupResult& group, const CaseResult& result,
                       const StageResult& stage) {
  if (!decodes(result, stage)) return stage.label;
  const std::string parts = parts_text(group, result);
  if (!parts.empty()) return stage.label + parts;
  const bool only_crops = value_at(stage.parameters, "/fit") == "crop" &&
                          value_at(stage.parameters, "/shorter").is_null();
  return stage.label +
         (only_crops ? " with reading, decoding, cropping" : " with reading, decoding, resizing");
}

/// Returns the median time of each stage of a case, and its share in their sum, like "Stages of a:
/// load 19.0 ms (95 %), normalize 1.00 ms (5 %)." Returns "" if the case has one stage, or if the
/// stages have no times. Stages on a device have no shares, because they may overlap others.
std::string stages_text(const GroupResult& group, const CaseResult& result) {
  double sum = 0;
  for (const StageResult& stage : result.stages) sum += per_iteration_ns(result, stage.rounds_ns);
  if (result.stages.size() < 2 || sum <= 0) return "";
  std::vector<std::string> texts;
  for (const StageResult& stage : result.stages) {
    const double ns = per_iteration_ns(result, stage.rounds_ns);
    texts.push_back(
        fmt::format("{} {} ms{}", stage_name(group, result, stage), format_ms(ns),
                    uses_gpu(result) ? "" : fmt::format(" ({})", format_percent(ns / sum))));
  }
  return fmt::format("Stages of {}: {}.", spoken(result.variant), fmt::join(texts, ", "));
}

/// Adds the stage times of at most three cases of the last group: first of the baseline, then of
/// the fastest cases. Leaves out pipelines and cases of one stage. If the group has profiles, the
/// report shows the profile of one case, so only cases that decode files are added: their lines
/// tell what loading consists of.
void add_stages(const Experiment& experiment, std::vector<std::string>& lines) {
  constexpr std::size_t most = 3;
  const GroupResult& group = *experiment.groups.back();
  const GroupAnalysis& analysis = experiment.analyses.back();
  if (analysis.busy) return;
  const auto decodes_files = [](const CaseResult& result) {
    return std::ranges::any_of(result.stages,
                               [&](const StageResult& stage) { return decodes(result, stage); });
  };
  std::vector<int> shown;
  for (int i = 0; i < static_cast<int>(group.cases.size()); ++i)
    if (analysis.cases[i].time_ns && !group.cases[i].pipeline &&
        (group.profile.empty() || decodes_files(group.cases[i])))
      shown.push_back(i);
  std::ranges::stable_sort(shown, {}, [&](int i) {
    return group.cases[i].variant == group.baseline ? 0 : analysis.cases[i].time_ns->value;
  });
  std::size_t added = 0;
  for (const int i : shown) {
    const std::string text = added < most ? stages_text(group, group.cases[i]) : "";
    if (text.empty()) continue;
    ++added;
    lines.push_back(group.point.empty() ? text
                                        : fmt::format("At {}: {}", point_text(group.point), text));
  }
}

/// Adds the notes of all cases. A note that several cases have is added once.
void add_notes(const Experiment& experiment, std::vector<std::string>& lines) {
  std::set<std::string> seen;
  for (const GroupResult* group : experiment.groups)
    for (const CaseResult& result : group->cases)
      for (const std::string& note : notes_of(result))
        if (seen.insert(note).second) lines.push_back(note);
}

}  // namespace

std::string machine_line(const Results& results) {
  return fmt::format("normbench {} · {}{} · {}", text_at(results.tool, "/version", "?"),
                     machine_text(results.environment), threads_text(results), gpu_text(results));
}

std::string missing_text(const Results& results) {
  if (results.missing) return missing_groups_text(results, *results.missing);
  return fmt::format("groups that were not {}", processes_of(results) > 1
                                                    ? "begun are missing, others may lack the "
                                                      "rounds of some processes"
                                                    : "finished are missing");
}

std::string run_line(const Results& results, const std::vector<Experiment>& list) {
  const std::string limits =
      results.groups.size() == 1 ? limits_summary(results.groups[0], results) : "";
  return fmt::format("{} · {}, {} cache{}", results.name, extent(results, list),
                     fmt::join(caches(results), " and "), limits);
}

ExperimentLines experiment_lines(const Experiment& experiment, const Results& results) {
  ExperimentLines lines{.beside = left_out(experiment),
                        .verdict = verdict_lines(experiment, results),
                        .trust = {throttle_warning(experiment), device_change_warning(experiment),
                                  link_warning(experiment, results),
                                  host_change_warning(experiment), states_warning(experiment)},
                        .is_wrong = false,
                        .is_noisy = false};
  lines.beside.push_back(peers_line(experiment));
  add_stages(experiment, lines.verdict);
  add_notes(experiment, lines.trust);
  lines.trust.push_back(closing(experiment));
  std::erase(lines.beside, "");
  std::erase(lines.trust, "");
  const Outputs outputs = outputs_of(experiment);
  lines.is_wrong = outputs.correct < outputs.compared;
  lines.is_noisy = std::ranges::any_of(experiment.analyses,
                                       [](const GroupAnalysis& one) { return one.quality.noisy; });
  return lines;
}

}  // namespace normbench
