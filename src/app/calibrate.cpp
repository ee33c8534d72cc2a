#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>

#include "analysis/calibration.h"
#include "app/calibrate_progress.h"
#include "app/calibration.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/machine.h"
#include "app/part.h"
#include "app/say.h"
#include "core/file.h"
#include "core/issue.h"
#include "machine/disturbance_reader.h"
#include "measure/calibration.h"
#include "report/calibration_text.h"

namespace normbench {
namespace {

struct SaidOfCalibrate {
  double minutes = 3;
  int pairs = 0;
  std::string out, format = "text";
  std::int64_t seed = 1;
};

/// The job of a config that is part of this program.
Job embedded_job(Cache cache) {
  Job job;
  job.file = "calibrate";
  job.text = calibration_config(cache);
  job.options.no_profile = true;
  return job;
}

[[noreturn]] void give_up(const std::string& contender) {
  tell("\nnormbench: {} takes more than a minute a turn; this machine cannot be calibrated now\n",
       contender);
  _exit(static_cast<int>(Exit::Failed));
}

std::optional<GroupResult> in_fresh_process(const Plan& plan, PairKind kind, std::int64_t seed) {
  Job job = embedded_job(cache_of(kind));
  job.options.set = {fmt::format("seed={}", seed)};
  return measure_part(job, group_of(plan, kind), {.limits = false}, give_up);
}

/// Nothing when interrupted.
std::optional<std::vector<JudgedPair>> measured_pairs(const SaidOfCalibrate& said,
                                                      const Backends& backends) {
  std::vector<JudgedPair> pairs;
  CalibrateProgress progress(said.pairs, said.minutes * 60, isatty(STDERR_FILENO));
  CalibrationStudy study{.cold = make_plan(embedded_job(Cache::Cold), backends),
                         .hot = make_plan(embedded_job(Cache::Hot), backends),
                         .max_seconds = said.minutes * 60,
                         .pairs = said.pairs,
                         .seed = said.seed,
                         .fresh_process = {},
                         .on_pair = {}};
  study.fresh_process = [&](PairKind kind, std::int64_t seed) {
    return in_fresh_process(cache_of(kind) == Cache::Cold ? study.cold : study.hot, kind, seed);
  };
  study.on_pair = [&, precision = study.cold.measure.precision](const MeasuredPair& pair) {
    if (const std::string why = unmeasured_text(pair); !why.empty()) throw std::runtime_error(why);
    pairs.push_back(judge_pair(pair, precision));
    progress.pair_done(pairs.back());
  };
  SystemClock clock;
  Recorder recorder(clock);
  Watchdog watchdog(study.cold.measure.turn_timeout_seconds,
                    [](std::size_t, const std::string& contender) { give_up(contender); });
  RunContext context{.backends = backends,
                     .clock = clock,
                     .recorder = recorder,
                     .watchdog = watchdog,
                     .observer = progress,
                     .interrupted = watch_for_interrupts(),
                     .cache_bytes = last_level_cache_bytes(),
                     .disturbance = disturbance_reader("/"),
                     .on_profile = {}};
  return calibrate(study, context) ? std::optional(pairs) : std::nullopt;
}

/// Keeps the calibration and writes --out; prints what was found even where that fails.
void deliver(const SaidOfCalibrate& said, const Json& environment, const Json& calibration,
             const std::vector<JudgedPair>& pairs) {
  const std::string document = calibration_document(calibration, pairs).dump(2) + "\n";
  std::string text = calibration_text(calibration, pairs);
  std::optional<CannotWrite> failure;
  try {
    const std::string kept = store_calibration(environment, calibration);
    text += fmt::format("Kept in {}; runs hold it, and it is the margin of comparisons.\n", kept);
    if (!said.out.empty()) write_file(said.out, document);
  } catch (const CannotWrite& error) {
    failure = error;
  }
  say("{}", said.format == "json" ? document : text);
  if (failure) throw *failure;
}

Exit calibrate_said(const SaidOfCalibrate& said) {
  if (said.format != "text" && said.format != "json")
    throw Invalid(fmt::format("unknown format \"{}\" (known: text, json)", said.format));
  const Backends backends = make_backends({});
  const Json environment = described_machine(backends, "");
  SystemClock clock;
  const std::int64_t start_ns = clock.now_ns();
  const auto pairs = measured_pairs(said, backends);
  if (!pairs) {
    tell("Interrupted; nothing is kept\n");
    return Exit::Interrupted;
  }
  const double seconds = static_cast<double>(clock.now_ns() - start_ns) * 1e-9;
  const Json calibration = to_json(summarize(*pairs), environment.at("date").get<std::string>(),
                                   calibrated_machine(environment), seconds);
  deliver(said, environment, calibration, *pairs);
  return Exit::Fine;
}

}  // namespace

std::function<Exit()> declare_calibrate(CLI::App& app) {
  const auto said = std::make_shared<SaidOfCalibrate>();
  auto* minutes = app.add_option("--minutes", said->minutes, "How long to measure (default: 3)")
                      ->type_name("M")
                      ->check(CLI::Range(0.01, 10000.0));
  app.add_option("--pairs", said->pairs, "Pairs of each kind to measure, however long it takes")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->excludes(minutes);
  app.add_option("--out", said->out, "Also write the document to this file")->type_name("FILE");
  app.add_option("--format", said->format, "text, or json: stdout is the document with every pair");
  app.add_option("--seed", said->seed, "Of the first pair; each has its own")->type_name("N");
  return [said] { return calibrate_said(*said); };
}

}  // namespace normbench
