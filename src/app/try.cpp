#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
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
  bool show = false, profile = false;
  TryConfig wanted;
  RunOptions run;
  std::vector<std::string> mistakes;  // in option values; read_wanted() throws them
  Given given;
};

/// Returns the Take (the reader of an option's value) of an option that takes words of the enum E,
/// separated by commas.
template <class E>
Take words_into(std::vector<E>& values) {
  const auto call = [&values](const std::string& name, const std::string& given) {
    values.clear();
    for (const std::string& word : split_values(given)) {
      E value{};
      word_of<E>(value)(name, word);
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
  };
  return {.call = call, .words = all_words<E>()};
}

/// Returns the Take (the reader of an option's value) of an option that takes whole numbers from 1
/// to `most`, separated by commas. If `takes_all` is true, the word "all" is also allowed, and is
/// stored as a string.
Take numbers_into(Json& numbers, std::int64_t most, bool takes_all) {
  const auto call = [&numbers, most, takes_all](const std::string& name, const std::string& given) {
    numbers = Json::array();
    for (const std::string& word : split_values(given)) {
      const Json number =
          takes_all && word == "all" ? Json(word) : Json(read_whole(name, word, 1, most));
      if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
        numbers.push_back(number);
    }
  };
  return {call};
}

/// Returns the command line without options like --out that do not change what is measured. This
/// text becomes the question of the experiment in the config.
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

/// Finds the image files that --images names. If --batch is not given, a batch has 32 images, or
/// one image per file if there are fewer than 32 files.
void find_images(TryOptions& options) {
  if (options.images.empty()) return;
  Load load;
  load.path = fs::absolute(options.images).string();
  try {
    load.resolve({});
    options.wanted.images = load.path;
    if (!options.given.contains("--batch"))
      options.wanted.batches = Json::array({std::min<std::int64_t>(32, std::ssize(load.files))});
  } catch (const Invalid& mistake) {
    options.mistakes.push_back(
        fmt::format("--images {}: {}", shell_word(options.images), mistake.what()));
  }
}

/// --out-dtype and --out-layout set members of a stage `normalize`. If one of them is given, adds a
/// mistake for each variant (list of stages) without such a stage.
void check_normalized(const TryConfig& wanted, std::vector<std::string>& mistakes) {
  const auto check = [&](bool is_given, std::string_view option, std::string_view instead) {
    for (const auto& [name, stages] : wanted.variants)
      if (is_given && !runs(stages, "normalize"))
        mistakes.push_back(
            fmt::format("{} is that of normalize, which \"{}\" does not have (write {})", option,
                        name, instead));
  };
  check(!wanted.out_dtypes.empty(), "--out-dtype", "cast:to=float16");
  check(!wanted.out_layouts.empty(), "--out-layout", "layout:to=nhwc");
}

/// With --images, a variant that begins with neither `load` nor `source` gets a `load` stage in
/// front. So "normalize" and "load normalize" are the same. Adds a mistake for each variant that is
/// the same as an earlier one.
void check_loaders(const TryConfig& wanted, std::vector<std::string>& mistakes) {
  const auto after_load = [](Json stages) {
    const bool is_plain = !stages.empty() && (stages.front() == Load::name ||
                                              stages.front() == Json{{"op", Load::name}});
    if (is_plain) stages.erase(0);
    return stages;
  };
  if (wanted.images.empty()) return;
  for (std::size_t i = 1; i < wanted.variants.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [name, stages] = wanted.variants[i];
      const auto& [other, its] = wanted.variants[j];
      if (name == other || after_load(stages) != after_load(its)) continue;
      mistakes.push_back(
          fmt::format("\"{}\" is the same as \"{}\": with --images each variant loads the "
                      "photographs (one that begins with source has random images in memory "
                      "instead)",
                      name, other));
    }
}

/// Returns true if a variant has a stage `resize` after its `load` stage, which has already resized
/// or cropped the images.
bool resizes_twice(const TryConfig& wanted) {
  return !wanted.images.empty() && std::ranges::any_of(wanted.variants, [](const auto& variant) {
    return runs(variant.second, "resize") && !runs(variant.second, "source");
  });
}

/// Returns true if the `load` stage of a variant crops images without resizing them first.
bool crops_alone(const TryConfig& wanted) {
  return std::ranges::any_of(wanted.variants, [](const auto& variant) {
    return std::ranges::any_of(variant.second, [](const Json& stage) {
      return stage.is_object() && value_at(stage, "/op") == Load::name &&
             value_at(stage, "/fit") == "crop" && !stage.contains("shorter");
    });
  });
}

/// Adds a mistake for each option with a value that is not UTF-8.
void check_texts(const TryOptions& options, std::vector<std::string>& mistakes) {
  for (const auto& [name, values] : options.given)
    if (!std::ranges::all_of(values, is_utf8))
      mistakes.push_back(name + ": is not UTF-8, which a config has to be");
}

/// Returns the config that the options describe. Throws BadInput with all mistakes.
Json read_wanted(TryOptions& options) {
  TryConfig& wanted = options.wanted;
  std::vector<std::string>& mistakes = options.mistakes;
  if (!options.size.empty())
    std::tie(wanted.height, wanted.width) = read_size(options.size, largest_extent, mistakes);
  wanted.variants = variants_of(options.stages, mistakes);
  check_texts(options, mistakes);
  check_normalized(wanted, mistakes);
  if (!options.images.empty() && !wanted.dtypes.empty())
    mistakes.emplace_back("--dtype: photographs are uint8 (leave it out, or --images)");
  find_images(options);
  check_loaders(wanted, mistakes);
  if (wanted.threads.is_null() && !options.images.empty()) wanted.threads = Json::array({"all"});
  wanted.question = question_of(options);
  std::error_code unknown;
  if (!options.save.empty() && fs::exists(fs::symlink_status(options.save, unknown)))
    mistakes.push_back(
        fmt::format("{} already exists (name another file)", shell_word(options.save)));
  std::vector<Issue> issues;
  for (const std::string& mistake : mistakes) issues.push_back({"", mistake});
  if (!issues.empty()) throw BadInput("normbench", std::move(issues));
  return try_config(wanted);
}

/// Maps JSON pointers into the config of read_wanted() to the option or stage word of the command
/// line that describes the value there. For instance, the pointer
/// "/experiments/0/variants/resize normalize/0" is mapped to the word "resize".
std::map<std::string, std::string> words_by_pointer(const TryOptions& options) {
  std::map<std::string, std::string> words;
  for (const char* const start : {"load", "source"})
    for (const auto& [field, option] : {std::pair("path", "--images"),
                                        std::pair("batch", "--batch"), std::pair("size", "--size")})
      words[fmt::format("/experiments/0/{}/{}", start, field)] = option;
  words["/experiments/0/source"] = "--batch, --size";
  auto word = options.stages.begin();
  for (const auto& [name, stages] : options.wanted.variants) {
    for (std::size_t i = 0; i < stages.size() && word != options.stages.end(); ++i)
      words[fmt::format("/experiments/0/variants/{}/{}", pointer_token(name), i)] = *word++;
    if (word != options.stages.end()) ++word;  // skips "vs"
  }
  return words;
}

/// Replaces the JSON pointer of each issue by the option or stage word of the command line, because
/// the user wrote the command line and has not seen the config.
void name_words(const TryOptions& options, std::vector<Issue>& issues) {
  for (const auto& [pointer, word] : words_by_pointer(options))
    for (Issue& issue : issues) {
      if (issue.pointer == pointer && !issue.text.starts_with("no \""))
        issue = {"", fmt::format("{}: {}", word, issue.text)};
      else if (issue.pointer == pointer)
        issue = {"", fmt::format("{}: {} (a field is written OP:FIELD=VALUE; normbench list ops OP "
                                 "names them)",
                                 word, issue.text)};
      else if (issue.pointer.starts_with(pointer + "/"))
        issue = {"", fmt::format("{}: {}: {}", word, issue.pointer.substr(pointer.size() + 1),
                                 issue.text)};
    }
}

Exit try_it(TryOptions& options) {
  RunOptions& run = options.run;
  run.job.config.no_profile = !options.profile;
  Job job{.file = "normbench try",
          .text = pretty(read_wanted(options), 2) + "\n",
          .options = run.job,
          .folder = fs::current_path().string()};
  for (const std::string& text : left_out_of(options.wanted)) tell("normbench: {}\n", text);
  if (resizes_twice(options.wanted))
    tell("normbench: load resizes the images itself (--size): resize works on its result\n");
  if (crops_alone(options.wanted))
    tell(
        "normbench: fit=crop cuts --size from the image in its full size (shorter=256 resizes the "
        "shorter side to 256 before)\n");
  if (!options.show && options.save.empty()) return run_new(run, std::move(job));
  const Backends backends = make_backends(run.job.backend);
  const std::string text = pretty(make_plan(job, backends).config, 2) + "\n";
  if (options.show) show(text);
  if (options.save.empty()) return Exit::Fine;
  write_file(options.save, text);
  tell("normbench: wrote {}\n", shell_word(options.save));
  suggest(run.quiet, "normbench run " + shell_word(options.save));
  return Exit::Fine;
}

}  // namespace

Subcommand make_try() {
  const auto options = std::make_shared<TryOptions>();
  TryConfig& wanted = options->wanted;
  RunOptions& run = options->run;
  const auto note = [options](Take take) { return noted(std::move(take), options->mistakes); };
  std::vector<Option> rows{
      {"STAGES", "",
       "Ops, or OP:FIELD=VALUE,…; \"vs\" between variants (default: step by step vs fused; with "
       "--images also decode small, load:kernel=scaled, which decodes JPEGs at a smaller size)",
       &options->stages, "", Option::Several},
      {"--images", "DIR", "Photographs to load: a folder, or a glob (default: random images)",
       &options->images},
      {"--batch", "NUMBERS", "Images in a batch (default: 32); several are swept",
       note(numbers_into(wanted.batches, largest_extent, false))},
      {"--size", "H W", "Height and width of the images in a batch (default: 224 224)",
       &options->size, "", Option::Pair},
      {"--dtype", "NAMES", "Dtypes of the images in memory (default: uint8)",
       note(words_into(wanted.dtypes))},
      {"--layout", "NAMES", "Layouts of the images in memory (default: nchw; of photographs: nhwc)",
       note(words_into(wanted.layouts))},
      {"--out-dtype", "NAMES", "Dtypes of the normalised values (default: float32)",
       note(words_into(wanted.out_dtypes))},
      {"--out-layout", "NAMES",
       "Layouts of the normalised values (default: the images'; of photographs: nchw)",
       note(words_into(wanted.out_layouts))},
      {"--threads", "NUMBERS", "Numbers of threads, or all (default: 1; with --images: all)",
       note(numbers_into(wanted.threads, 1024, true))},
      {"--gpu", "", "Compare normalising on the CPU and on the GPU, too", &wanted.gpu},
      {"--profile", "", "Profile the variants, too: what takes the time within their stages",
       &options->profile},
      {"--seconds", "S",
       "Time for the rounds of a group, max_seconds_per_group (default: 4; a sweep of batches "
       "shares it). At least 12 rounds are measured, however long they take",
       note({[&wanted](const std::string& name, const std::string& given) {
         wanted.seconds = read_number(name, given, 0.1, 1e6);
       }})}};
  for (Option& row : config_options(run.job.config))
    if (row.name == "--set" || row.name == "--axis" || row.name == "--vary" || row.name == "--fit")
      rows.push_back(std::move(row));
  rows.insert(rows.end(),
              {{"--show", "", "Print the config instead of running it", &options->show},
               {"--save", "FILE", "Write the config instead of running it", &options->save},
               {"--out", "DIR", "Folder to write to (default: results/try-TIME)", &run.out},
               format_option(run.format, "text, or json: stdout is the document"),
               quiet_option(run.quiet)});
  return {.options = std::move(rows),
          .run =
              [options] {
                try {
                  return try_it(*options);
                } catch (BadInput& bad) {
                  name_words(*options, bad.issues);
                  if (std::ranges::all_of(bad.issues, &std::string::empty, &Issue::pointer))
                    throw BadInput("normbench", std::move(bad.issues));
                  throw BadInput(bad.file, std::move(bad.issues));
                }
              },
          .help =
              "Several values, with commas between them, are compared with each other. normbench "
              "list ops names the ops, and normbench list ops OP the fields of one: "
              "resize:size=[224,224]. A loader: --images DIR load normalize vs load:kernel=scaled "
              "normalize; against images in memory: --images DIR load normalize vs source "
              "normalize.",
          .given = &options->given};
}

}  // namespace normbench
