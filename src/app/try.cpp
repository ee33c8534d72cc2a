#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <tuple>

#include "app/commands.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/run.h"
#include "app/terminal.h"
#include "core/file.h"
#include "core/units.h"
#include "ops/load.h"
#include "plan/changes.h"
#include "report/try_config.h"

namespace normbench {
namespace {
namespace fs = std::filesystem;

struct TryOptions {
  std::vector<std::string> stages, size;
  std::string images, out, save;
  bool show = false;
  TryConfig wanted;
  RunOptions run;
  std::vector<std::string> mistakes;  // in option values; reported with all others
  Given given;
};

/// Returns a Take that reads words of an enum, with commas between them.
template <class E>
Take words_into(std::vector<E>& values) {
  const auto call = [&values](const std::string& name, const std::string& given) {
    for (std::size_t begin = 0; begin <= given.size();) {
      const std::size_t end = std::min(given.find(',', begin), given.size());
      E value{};
      word_of<E>(value)(name, given.substr(begin, end - begin));
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
      begin = end + 1;
    }
  };
  return {.call = call, .words = all_words<E>()};
}

/// Returns a Take that reads numbers of threads with commas between them, or "all".
Take threads_into(Json& threads) {
  const auto call = [&threads](const std::string& name, const std::string& given) {
    threads = Json::array();
    if (given == "all") return threads.push_back(given);
    for (std::size_t begin = 0; begin <= given.size();) {
      const std::size_t end = std::min(given.find(',', begin), given.size());
      const std::int64_t count = read_whole(name, given.substr(begin, end - begin), 1, 1024);
      if (std::find(threads.begin(), threads.end(), Json(count)) == threads.end())
        threads.push_back(count);
      begin = end + 1;
    }
  };
  return {call};
}

/// Returns the command line again, without options that change no measurement. It is the question
/// of the experiment.
std::string question_of(const TryOptions& options) {
  std::string text = "normbench try";
  for (const auto& [name, values] : options.given) {
    if (!is_option(name) || name == "--out" || name == "--save" || name == "--show" ||
        name == "--quiet" || name == "--format")
      continue;
    text += " " + name;
    for (const std::string& value : values)
      if (value != "true") text += " " + shell_word(value);
  }
  for (const std::string& word : options.stages) text += " " + shell_word(word);
  return text;
}

/// Sets the images and the number of them in a batch, which is at most the number of files.
void find_images(TryOptions& options) {
  if (options.images.empty()) return;
  Load load;
  load.path = fs::absolute(options.images).string();
  try {
    load.resolve({});
    options.wanted.images = load.path;
    options.wanted.batch = std::min(options.wanted.batch, std::ssize(load.files));
  } catch (const Invalid& mistake) {
    options.mistakes.push_back(
        fmt::format("--images {}: {}", shell_word(options.images), mistake.what()));
  }
}

/// Returns the config that the options describe. Throws BadInput with all mistakes.
Json read_wanted(TryOptions& options) {
  TryConfig& wanted = options.wanted;
  std::vector<std::string>& mistakes = options.mistakes;
  if (!options.size.empty())
    std::tie(wanted.height, wanted.width) = read_size(options.size, largest_extent, mistakes);
  wanted.variants = variants_of(options.stages, mistakes);
  if (!options.images.empty() && !wanted.dtypes.empty())
    mistakes.emplace_back("--dtype: photographs are uint8 (leave it out, or --images)");
  find_images(options);
  if (wanted.threads.is_null() && !options.images.empty()) wanted.threads = Json::array({"all"});
  wanted.question = question_of(options);
  std::error_code unknown;
  if (!options.save.empty() && fs::exists(fs::symlink_status(options.save, unknown)))
    mistakes.push_back(
        fmt::format("{} already exists (name another file)", shell_word(options.save)));
  std::vector<Issue> issues;
  Json config = try_config(wanted);
  const ConfigOptions& changes = options.run.job.config;
  apply_changes(config, changes_of(changes), issues);
  for (const std::string& mistake : mistakes) issues.push_back({"", mistake});
  if (!issues.empty()) throw BadInput("normbench", std::move(issues));
  return config;
}

Exit try_it(TryOptions& options) {
  const std::string text = pretty(read_wanted(options), 2) + "\n";
  if (options.show) show(text);
  if (!options.save.empty()) {
    write_file(options.save, text);
    say("Wrote {}\nNext: normbench run {}\n", shell_word(options.save), shell_word(options.save));
  }
  if (options.show || !options.save.empty()) return Exit::Fine;
  RunOptions& run = options.run;
  run.job.config.set.clear();  // the config has them already
  run.job.config.axis.clear();
  run.job.config.vary.clear();
  return run_new(run, {.file = "try.json",
                       .text = text,
                       .options = run.job,
                       .folder = fs::current_path().string()});
}

}  // namespace

Subcommand make_try() {
  const auto options = std::make_shared<TryOptions>();
  TryConfig& wanted = options->wanted;
  RunOptions& run = options->run;
  run.job.config.no_profile = true;
  const auto note = [options](Take take) { return noted(std::move(take), options->mistakes); };
  std::vector<Option> rows{
      {"STAGES", "",
       "Ops, or OP:FIELD=VALUE,…; \"vs\" between variants (default: step by step vs fused)",
       &options->stages, "", Option::Several},
      {"--images", "DIR", "Photographs to load: a folder, or a glob (default: random images)",
       &options->images},
      {"--batch", "N", "Images in a batch (default: 32)",
       note(whole(wanted.batch, 1, largest_extent))},
      {"--size", "H W", "Height and width of the images in a batch (default: 224 224)",
       &options->size, "", Option::Pair},
      {"--dtype", "NAMES", "Dtypes of the images in memory (default: uint8)",
       note(words_into(wanted.dtypes))},
      {"--layout", "NAMES", "Layouts of the images in memory (default: nchw; of photographs: nhwc)",
       note(words_into(wanted.layouts))},
      {"--out-dtype", "NAMES", "Dtypes of the normalised values (default: float32)",
       note(words_into(wanted.out_dtypes))},
      {"--threads", "NUMBERS", "Numbers of threads, or all (default: 1; with --images: all)",
       note(threads_into(wanted.threads))},
      {"--gpu", "", "Compare normalising on the CPU and on the GPU, too", &wanted.gpu},
      {"--seconds", "S", "Time for the rounds of a group (default: 4)",
       note({[&wanted](const std::string& name, const std::string& given) {
         wanted.seconds = read_number(name, given, 0.1, 1e6);
       }})}};
  for (Option& row : config_options(run.job.config))
    if (row.name == "--set" || row.name == "--axis" || row.name == "--vary")
      rows.push_back(std::move(row));
  rows.insert(rows.end(),
              {{"--show", "", "Print the config instead of running it", &options->show},
               {"--save", "FILE", "Write the config instead of running it", &options->save},
               {"--out", "DIR", "Folder to write to (default: results/try-TIME)", &run.out},
               format_option(run.format, "text, or json: stdout is the document"),
               quiet_option(run.quiet)});
  return {.options = std::move(rows),
          .run = [options] { return try_it(*options); },
          .help = "Several values, with commas between them, are compared with each other.",
          .given = &options->given};
}

}  // namespace normbench
