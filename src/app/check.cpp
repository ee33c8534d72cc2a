#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <variant>

#include "app/begin.h"
#include "app/commands.h"
#include "app/documents.h"
#include "app/options.h"
#include "app/planned_configs.h"
#include "app/progress.h"
#include "app/run_context.h"
#include "app/terminal.h"
#include "core/units.h"
#include "measure/budget.h"
#include "measure/measure_group.h"
#include "measure/turn_shape.h"
#include "ops/load.h"
#include "plan/memory.h"
#include "plan/plan.h"
#include "report/dataset_text.h"
#include "report/plan_text.h"
#include "report/prediction_text.h"

namespace normbench {
namespace {

struct CheckOptions {
  std::vector<std::string> files, configs;  // values of FILE, and of --config
  std::string times;
  ConfigOptions config;
  BackendOptions backend;
  bool quiet = false;
  bool starts_peers = false;
  bool is_asked = false;  // another normbench started this one
  Given given;
};

/// Returns a `normbench run` command for the checked configs with the same options.
std::string run_of(CheckOptions& options) {
  std::string command = "normbench run --config";
  for (const std::string& file : std::set(options.files.begin(), options.files.end()))
    command += " " + shell_word(file);
  for (const Option& row : config_options(options.config)) {
    const auto given = options.given.find(row.name);
    if (given == options.given.end()) continue;
    for (const std::string& value : given->second)
      command += " " + row.name +
                 (std::holds_alternative<bool*>(row.target) ? "" : " " + shell_word(value));
  }
  return command;
}

/// Returns a key for the way in which a loader reads files, so that equal loaders are tried once.
/// The key has the size of the images only for raw pixels, because files that are decoded may have
/// any size.
std::string tried_as(const Load& load) {
  const std::string how =
      fmt::format("{} {} {}", name_of(load.on_error), name_of(load.storage), name_of(load.format));
  return load.storage == Storage::Image ? how : fmt::format("{} {}", how, describe(load.image()));
}

/// Tries to read all images once. Reports which images are left out, and remarks such as "3 images
/// have 16 bits a sample". Throws BadInput for images that would make a case fail.
void check_images(const std::string& file, const Plan& plan) {
  std::set<std::pair<std::string, std::vector<std::string>>> tried;
  std::set<std::string> told;
  std::vector<Issue> issues;
  const auto tell_once = [&](const std::string& where, const std::string& text) {
    if (!text.empty() && told.insert(text).second)
      tell("normbench: {}: {}: {}\n", file, where, text);
  };
  const auto check = [&](const Load& load, const std::string& where) {
    if (load.files.empty() || !tried.emplace(tried_as(load), load.files).second) return;
    for (const std::string& text : beside_texts(load.beside)) tell_once(where, text);
    try {
      load.walk();
      tell_once(where, left_out_text(broken_files(load), std::ssize(load.files)));
    } catch (const std::runtime_error& error) {
      issues.push_back({"", fmt::format("{}: {}", where, error.what())});
    }
    const std::int64_t images = load.image_count() - count_of(broken_files(load));
    for (const std::string& text : remark_texts(remarked_files(load), images))
      tell_once(where, text);
  };
  for (const Group& group : plan.groups)
    for (const Case& planned : group.cases)
      if (const Load* const load = planned.loader())
        check(*load, group.experiment + "/" + planned.variant);
  if (!issues.empty()) throw BadInput(file, std::move(issues));
}

/// Returns the means that the first normalising stage subtracts, if the images have values of 0 to
/// 255 and the means look like means of values of 0 to 1. Returns an empty list otherwise.
std::vector<double> small_means(const Case& planned) {
  const auto of_ones = [](const std::vector<double>& means) {
    return std::ranges::all_of(means, [](double mean) { return mean >= 0 && mean <= 1; }) &&
           std::ranges::any_of(means, [](double mean) { return mean > 0; });
  };
  if (planned.stages.front().signature.in.empty()
          ? planned.stages.front().signature.out[0].dtype != DType::UInt8
          : planned.stages.front().signature.in[0].dtype != DType::UInt8)
    return {};
  for (const Stage& stage : planned.stages) {
    if (const Normalize* const op = std::get_if<Normalize>(&stage.op))
      return op->scale == 1 && of_ones(op->mean) ? op->mean : std::vector<double>();
    if (const Sub* const op = std::get_if<Sub>(&stage.op))
      return of_ones(op->mean) ? op->mean : std::vector<double>();
    // After any other op that changes values, their range is not known.
    if (std::holds_alternative<Div>(stage.op) || std::holds_alternative<Mul>(stage.op) ||
        std::holds_alternative<ScaleShift>(stage.op) || std::holds_alternative<Model>(stage.op))
      return {};
  }
  return {};
}

/// Reports variants that normalise values of 0 to 255 with a mean for values of 0 to 1.
void check_scales(const std::string& file, const Plan& plan) {
  std::set<std::string> told;
  for (const Group& group : plan.groups)
    for (const Case& planned : group.cases) {
      const std::vector<double> means = small_means(planned);
      if (means.empty() || !told.insert(group.experiment + "/" + planned.written).second) continue;
      tell(
          "normbench: {}: {}/{}: a mean of {} is of values of 0 to 1, and these images have 0 to "
          "255: give mean and std times 255, or normalize \"scale\": {}\n",
          file, group.experiment, planned.written, fmt::join(means, ", "), 1 / 255.0);
    }
}

/// Returns true if a case of the group loads files or, with `with_peers`, is run by a peer.
/// tell_overruns() forecasts only groups with such a case.
bool is_tried(const Group& group, bool with_peers) {
  return std::ranges::any_of(group.cases, [&](const Case& planned) {
    if (planned.skip) return false;
    return planned.peer.empty() ? planned.loader() != nullptr : with_peers;
  });
}

/// Forecasts how long the groups with loaders or peers will take, and reports those that will take
/// much longer than their time limit. Prepares the first such group of each experiment as `run`
/// does. Skips groups that need more than 4 GB of memory, because preparing them would take too
/// long. Begins no further group after 20 s. Returns false when interrupted.
bool tell_overruns(const std::string& file, Plan plan, const Backends& backends, bool with_peers) {
  constexpr double most_seconds = 20;
  constexpr std::int64_t most_bytes = 4'000'000'000;
  const Sides caches = cold_caches(backends, last_level_cache_bytes());
  const auto tried_here = [&](const Group& group) {
    return is_tried(group, with_peers) &&
           memory_bytes(group, plan.measure_of(group), caches).host <= most_bytes;
  };
  if (std::ranges::none_of(plan.groups, tried_here)) return true;
  Silent silent;
  const auto scratch = make_scratch(plan, "", backends);
  OwnRunContext own(backends, silent, plan, [](std::size_t, const std::string&) {
    throw std::runtime_error("a call takes longer than turn_timeout_seconds");
  });
  const double clock_cost = clock_cost_ns(own.clock);
  const std::int64_t start_ns = own.clock.now_ns();
  std::set<std::string> tried;
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    const Group& group = plan.groups[i];
    if (!tried_here(group) || !tried.insert(group.experiment).second) continue;
    if (static_cast<double>(own.clock.now_ns() - start_ns) * 1e-9 > most_seconds) break;
    own.context.part = {};
    for (const Case& planned : group.cases)
      if (!planned.peer.empty() && !with_peers)
        own.context.part.hung.emplace(planned.variant, "peers are not started");
    const auto forecast = forecast_group(plan, i, own.context, clock_cost);
    if (own.context.interrupted) return false;
    const double limit = plan.measure_of(group).max_seconds_per_group;
    if (forecast && is_overrun(*forecast, limit))
      tell("normbench: {}: {}: {}\n", file, group_name(group), overrun_text(*forecast, limit));
  }
  return true;
}

/// Reads the document called `name`. Returns nothing if `name` is "". Throws BadFiles, or Invalid
/// if there is not exactly one document.
std::optional<Results> read_times(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::vector<BadInput> mistakes;
  std::vector<Results> read = read_documents(document_files(name, mistakes), mistakes);
  if (!mistakes.empty()) throw BadFiles(std::move(mistakes));
  if (read.size() != 1)
    throw Invalid(fmt::format("--times {}: has {} documents (give one)", name, read.size()));
  return std::move(read.front());
}

}  // namespace

Subcommand make_check() {
  const auto options = std::make_shared<CheckOptions>();
  options->config.allow_peers = true;  // peers are planned, and started only with --allow-peers
  std::vector<Option> rows{
      {"FILE", "", "Config files (- is stdin)", &options->files, "", Option::Several},
      {"--config", "FILE", "Config files, too", &options->configs, "", Option::Several}};
  rows.push_back(
      {"--times", "DOC",
       "A results document (or a run's folder) whose stage times say what bounds pipelines",
       &options->times});
  rows.push_back({"--allow-peers", "",
                  "Start the peers of the config, to tell which groups exceed their time limit",
                  &options->starts_peers});
  for (const Option& row : config_options(options->config)) rows.push_back(row);
  rows.push_back(device_option(options->backend));
  rows.push_back(quiet_option(options->quiet));
  rows.push_back(asker_option(options->is_asked));
  const auto run = [options] {
    std::ranges::copy(options->configs, std::back_inserter(options->files));
    if (options->files.empty()) throw Invalid("check: give a config FILE");
    find_configs(options->files);
    const std::optional<Results> times = read_times(options->times);
    const Backends backends = make_backends(options->backend);
    bool whole = true;
    each_file(options->files, [&](const std::string& file) {
      if (!whole) return;
      const PlanOptions how = plan_options(options->config, file, backends);
      const Plan plan = make_plan(file, backends, how);
      show(plan_text(plan, how.cache_bytes, stdout_screen().width));
      if (times) show(prediction_text(plan, *times, how.all_threads, stdout_screen()));
      tell_crowded(plan);
      tell_dropped(plan);
      tell_unlike(plan);
      tell_memory(plan, options->config);
      check_scales(file, plan);
      check_images(file, plan);
      whole = tell_overruns(file, plan, backends, options->starts_peers);
    });
    if (!whole) {
      tell("normbench: interrupted: whether groups take longer than their limit was not tried\n");
      return Exit::Interrupted;
    }
    suggest(options->quiet, run_of(*options));
    return Exit::Fine;
  };
  return {.options = std::move(rows), .run = run, .given = &options->given};
}

}  // namespace normbench
