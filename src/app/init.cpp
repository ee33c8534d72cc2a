#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>

#include "app/commands.h"
#include "app/options.h"
#include "app/schema.h"
#include "core/file.h"
#include "ops/load.h"
#include "report/first_config.h"

namespace normbench {
namespace {
namespace fs = std::filesystem;

constexpr const char* kSchemaFile = "normbench.schema.json";

struct InitOptions {
  std::string file = "mine.jsonc", images;
  std::vector<std::string> size;
  FirstConfig wanted;
  std::vector<std::string> mistakes;  // in values of options, told with all others
};

/// The config's name: that of its file.
std::string name_from(const std::string& file) {
  std::string name = fs::path(file).stem().string();
  for (char& c : name)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-')) c = '-';
  name.erase(0, name.find_first_not_of('.'));
  return name.empty() ? "mine" : name.substr(0, 100);
}

/// `images` as a config in `folder` names it.
std::string path_from(const fs::path& folder, const std::string& images) {
  const fs::path near = fs::proximate(images, folder.empty() ? "." : folder);
  return near.string().starts_with("..") ? fs::absolute(images).string() : near.string();
}

/// The images that are asked for, as a config in `folder` names them; nothing after a mistake.
std::optional<FirstConfig::Images> find_images(const std::string& images, const fs::path& folder,
                                               std::vector<std::string>& mistakes) {
  Load load;
  load.path = fs::absolute(images).string();
  try {
    load.resolve({});
  } catch (const Invalid& mistake) {
    mistakes.push_back(fmt::format("--images {}: {}", shell_word(images), mistake.what()));
    return std::nullopt;
  }
  return FirstConfig::Images{.path = path_from(folder, images), .count = std::ssize(load.files)};
}

/// What the options ask for. Throws Invalid with all mistakes, a line each.
FirstConfig read_wanted(const InitOptions& options) {
  FirstConfig wanted = options.wanted;
  std::vector<std::string> mistakes = options.mistakes;
  const fs::path file = options.file;
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(file, unknown)))
    mistakes.push_back(fmt::format("{} is there already (name another file)", shell_word(file)));
  if (!is_float(wanted.dtype))
    mistakes.push_back(
        fmt::format("--dtype {}: normalised values are floats (float16, bfloat16 or "
                    "float32)",
                    name_of(wanted.dtype)));
  if (!options.size.empty())
    std::tie(wanted.height, wanted.width) = read_size(options.size, largest_extent, mistakes);
  wanted.name = name_from(options.file);
  if (!options.images.empty())
    wanted.images = find_images(options.images, file.parent_path(), mistakes);
  if (!mistakes.empty()) throw Invalid(fmt::format("{}", fmt::join(mistakes, "\nnormbench: ")));
  return wanted;
}

Exit init(const InitOptions& options) {
  const std::string text = first_config(read_wanted(options));
  const std::string schema = (fs::path(options.file).parent_path() / kSchemaFile).string();
  write_file(schema, schema_text());
  write_file(options.file, text);
  say("Wrote {} (for editors: {})\nNext: normbench run --config {}\n", shell_word(options.file),
      shell_word(schema), shell_word(options.file));
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
                  {"--size", "HEIGHT WIDTH", "Of the images in a batch (default: 224 224)",
                   &options->size, "", Option::Pair},
                  {"--dtype", "NAME", "Of the normalised values (default: float32)",
                   note(word_of<DType>(wanted.dtype))},
                  {"--gpu", "", "Ask where to normalise, too: here or on the GPU", &wanted.gpu}},
      .run = [options] { return init(*options); },
      .help = "Comments in the file say what there is to change."};
}

}  // namespace normbench
