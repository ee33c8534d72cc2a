#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>

#include "app/commands.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/schema.h"
#include "core/file.h"
#include "core/units.h"
#include "ops/load.h"
#include "plan/schema.h"
#include "report/dataset_text.h"
#include "report/first_config.h"
#include "report/words.h"

namespace normbench {
namespace {
namespace fs = std::filesystem;

constexpr const char* kSchemaFile = "normbench.schema.json";

struct InitOptions {
  std::string file = "mine.jsonc", images;
  std::vector<std::string> size;
  FirstConfig wanted;
  std::vector<std::string> mistakes;  // in values of options; reported with all other mistakes
};

/// Returns the config's name, made from its file's name.
std::string name_from(const std::string& file) {
  std::string name = fs::path(file).stem().string();
  for (char& c : name)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-')) c = '-';
  const auto repeats =
      std::ranges::unique(name, [](char a, char b) { return a == '-' && b == '-'; });
  name.erase(repeats.begin(), repeats.end());
  name.erase(0, name.find_first_not_of(".-"));
  name.erase(name.find_last_not_of('-') + 1);
  return name.empty() ? "mine" : name.substr(0, 100);
}

/// Finds the images of --images. The path in the result is relative to `folder`, the config's
/// folder, if it lies in that folder, and absolute otherwise. Adds mistakes to `mistakes`, and sets
/// `said` to notes on the images. Returns nothing if the path is wrong.
std::optional<FirstConfig::Images> find_images(const std::string& images, const std::string& folder,
                                               std::vector<std::string>& mistakes,
                                               std::vector<std::string>& said) {
  Load load;
  load.path = fs::absolute(images).string();
  if (!is_utf8(load.path)) {
    mistakes.push_back("--images: the path is not UTF-8, which no config can hold (rename it)");
    return std::nullopt;
  }
  try {
    load.resolve({});
  } catch (const Invalid& mistake) {
    mistakes.push_back(fmt::format("--images {}: {}", shell_word(images), mistake.what()));
    return std::nullopt;
  }
  const std::vector<BrokenFiles> broken = broken_files(load);
  const std::int64_t count = std::ssize(load.files) - count_of(broken);
  if (count == 0)
    mistakes.push_back(fmt::format("--images {}: none of {} can be read: {}", shell_word(images),
                                   counted(std::ssize(load.files), "file"),
                                   fmt::join(broken_texts(broken), "; ")));
  said = beside_texts(load.beside);
  if (!broken.empty()) said.push_back(left_out_text(broken, std::ssize(load.files)));
  std::ranges::copy(remark_texts(remarked_files(load)), std::back_inserter(said));
  return FirstConfig::Images{.path = path_near(images, folder), .count = count};
}

std::vector<std::string> float_words() {
  std::vector<std::string> words;
  for (const DTypeRow& row : dtype_rows)
    if (is_float(row.value)) words.emplace_back(row.name);
  return words;
}

/// Returns a Take that reads a floating-point dtype.
Take float_word(DType& dtype) {
  const auto call = [&dtype](const std::string& name, const std::string& given) {
    const auto value = parse_word<DType>(given);
    if (!value || !is_float(*value))
      throw Invalid(unknown_of(name.substr(2), given, float_words()));
    dtype = *value;
  };
  return {.call = call, .words = float_words()};
}

bool is_there(const fs::path& file) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(file, unknown));
}

/// Returns the path of the schema's file, which is in the config's folder.
fs::path schema_beside(const fs::path& config) { return config.parent_path() / kSchemaFile; }

/// Returns the config that the options describe, and sets `said` to notes on the images. Throws
/// BadInput with all mistakes.
FirstConfig read_wanted(const InitOptions& options, std::vector<std::string>& said) {
  FirstConfig wanted = options.wanted;
  std::vector<std::string> mistakes = options.mistakes;
  const fs::path file = options.file, schema = schema_beside(file);
  if (file.filename() == kSchemaFile)
    mistakes.push_back(
        fmt::format("{} is the schema's name (name another file)", shell_word(file.string())));
  else if (is_there(file))
    mistakes.push_back(
        fmt::format("{} already exists (name another file)", shell_word(file.string())));
  if (!why_not_over(schema.string(), Written::Derived).empty())
    mistakes.push_back(fmt::format("{} already exists and is no schema of normbench (move it)",
                                   shell_word(schema.string())));
  if (!options.size.empty())
    std::tie(wanted.height, wanted.width) = read_size(options.size, largest_extent, mistakes);
  wanted.name = name_from(options.file);
  if (!options.images.empty())
    wanted.images = find_images(options.images, file.parent_path().string(), mistakes, said);
  if (!mistakes.empty()) {
    std::vector<Issue> issues;
    for (const std::string& mistake : mistakes) issues.push_back({"", mistake});
    throw BadInput("normbench", std::move(issues));
  }
  return wanted;
}

Exit init(const InitOptions& options) {
  std::vector<std::string> said;
  write_file(options.file, first_config(read_wanted(options, said)));
  for (const std::string& text : said)
    tell("normbench: {}: {}\n", shell_word(options.images), text);
  const std::string schema = schema_beside(options.file).string();
  write_file(schema, schema_text());
  const std::string file = options.file.starts_with('-') ? "./" + options.file : options.file;
  say("Wrote {} (for editors: {})\nNext: normbench run --config {}\n", shell_word(file),
      shell_word(schema), shell_word(file));
  return Exit::Fine;
}

}  // namespace

Subcommand make_init() {
  const auto options = std::make_shared<InitOptions>();
  FirstConfig& wanted = options->wanted;
  const auto note = [options](Take take) { return noted(std::move(take), options->mistakes); };
  return {
      .options = {{"FILE", "", "The config to write (default: mine.jsonc)", &options->file},
                  {"--images", "DIR", "Photographs: a folder, or a glob", &options->images},
                  {"--batch", "N", "Images in a batch (default: 32)",
                   note(whole(wanted.batch, 1, largest_extent))},
                  {"--size", "H W", "Height and width of the images in a batch (default: 224 224)",
                   &options->size, "", Option::Pair},
                  {"--dtype", "NAME", "Dtype of the normalised values (default: float32)",
                   note(float_word(wanted.dtype))},
                  {"--gpu", "", "Compare normalising on the CPU and on the GPU, too", &wanted.gpu}},
      .run = [options] { return init(*options); },
      .help = "Comments in the file say what you can change."};
}

}  // namespace normbench
