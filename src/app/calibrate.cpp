#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "analysis/calibration.h"
#include "app/commands.h"
#include "app/job.h"
#include "app/machine.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/part.h"
#include "app/progress.h"
#include "app/run_context.h"
#include "app/terminal.h"
#include "core/file.h"
#include "measure/calibration.h"
#include "report/calibration_text.h"

namespace normbench {
namespace {

struct CalibrateOptions {
  double minutes = 3;
  int pairs = 0;
  std::string out;
  TextOrJson format = TextOrJson::Text;
  std::int64_t seed = 1;
  bool quiet = false;
};

/// Returns the job of a calibration config, which is part of this program.
Job embedded_job(Cache cache) {
  Job job;
  job.file = "calibrate";
  job.text = calibration_config(cache);
  job.options.config.no_profile = true;
  return job;
}

[[noreturn]] void give_up(const std::string& contender) {
  tell("\nnormbench: {} takes more than a minute a turn; this machine cannot be calibrated now\n",
       contender);
  _exit(static_cast<int>(Exit::Failed));
}

std::optional<GroupResult> in_fresh_process(const Plan& plan, PairKind kind, std::int64_t seed) {
  Job job = embedded_job(cache_of(kind));
  job.options.config.set = {fmt::format("seed={}", seed)};
  return measure_part(job, group_of(plan, kind), {.limits = false}, give_up);
}

std::optional<std::vector<JudgedPair>> measured_pairs(const CalibrateOptions& options,
                                                      const Backends& backends) {
  std::vector<JudgedPair> pairs;
  int too_busy = 0;
  CalibrateProgress progress(options.pairs, options.minutes * 60, progress_style(options.quiet));
  CalibrationStudy study{.cold = make_plan(embedded_job(Cache::Cold), backends),
                         .hot = make_plan(embedded_job(Cache::Hot), backends),
                         .max_seconds = options.minutes * 60,
                         .pairs = options.pairs,
                         .seed = options.seed,
                         .fresh_process = {},
                         .on_pair = {}};
  study.fresh_process = [&](PairKind kind, std::int64_t seed) {
    return in_fresh_process(cache_of(kind) == Cache::Cold ? study.cold : study.hot, kind, seed);
  };
  study.on_pair = [&, precision = study.cold.measure.precision](const MeasuredPair& pair) {
    if (const std::string why = unmeasured_text(pair); !why.empty()) throw std::runtime_error(why);
    if (is_too_busy(pair)) {
      ++too_busy;
      return;
    }
    pairs.push_back(judge_pair(pair, precision));
    progress.pair_done(pairs.back());
  };
  OwnRunContext own(backends, progress, study.cold,
                    [](std::size_t, const std::string& contender) { give_up(contender); });
  if (!calibrate(study, own.context)) return std::nullopt;
  if (too_busy > 0)
    tell("{} left out: other programs had the processors\n", counted(too_busy, "pair"));
  if (pairs.empty()) throw std::runtime_error("other programs had the processors in every pair");
  return pairs;
}

/// Stores the calibration, writes the document to the file of --out, and prints the result. If
/// writing fails, prints the result all the same and then throws CannotWrite.
void keep_and_show(const CalibrateOptions& options, const Json& environment,
                   const Json& calibration, const std::vector<JudgedPair>& pairs) {
  const std::string document = pretty(calibration_document(calibration, pairs), 2) + "\n";
  std::string text = calibration_text(calibration, pairs, stdout_screen());
  std::optional<CannotWrite> failure;
  try {
    const std::string kept = store_calibration(environment, calibration);
    text += fmt::format(
        "Kept in {}; runs hold it{}.\n", kept,
        knows_between(calibration) ? ", and comparisons take their margin from it" : "");
    if (!options.out.empty()) write_file(options.out, document);
  } catch (const CannotWrite& error) {
    failure = error;
  }
  options.format == TextOrJson::Json ? write_result(document) : show(text);
  if (failure) throw *failure;
  suggest(options.quiet, "normbench run --config configs/quickstart.json");
}

Exit calibrate_machine(const CalibrateOptions& options) {
  check_kept_calibrations();
  const std::string kept = calibration_path();
  check_output("--out", options.out, {&kept, 1}, Written::Calibration);
  const Backends backends = make_backends({});
  const Json environment = described_machine(backends, "");
  SystemClock clock;
  const std::int64_t start_ns = clock.now_ns();
  const auto pairs = measured_pairs(options, backends);
  if (!pairs) {
    tell("Interrupted; nothing is kept\n");
    return Exit::Interrupted;
  }
  const double seconds = static_cast<double>(clock.now_ns() - start_ns) * 1e-9;
  const Json calibration = to_json(summarize(*pairs), environment.at("date").get<std::string>(),
                                   calibrated_machine(environment), seconds);
  keep_and_show(options, environment, calibration, *pairs);
  return Exit::Fine;
}

}  // namespace

Subcommand make_calibrate() {
  const auto options = std::make_shared<CalibrateOptions>();
  const Take minutes{[options](const std::string& name, const std::string& given) {
    options->minutes = read_number(name, given, 0.01, 10000);
  }};
  return {.options = {{"--minutes", "M", "How long to measure (default: 3)", minutes},
                      {"--pairs", "N", "Pairs of each kind to measure, however long it takes",
                       whole(options->pairs, 1, 100'000), "", 0, "--minutes"},
                      {"--out", "FILE", "Also write the document to this file", &options->out},
                      format_option(options->format,
                                    "text, or json: stdout is the document with every pair"),
                      quiet_option(options->quiet),
                      {"--seed", "N", "Seed of the first pair (default: 1); each pair has its own",
                       whole(options->seed, std::numeric_limits<std::int64_t>::min())}},
          .run = [options] { return calibrate_machine(*options); }};
}

}  // namespace normbench
