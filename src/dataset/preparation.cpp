#include "dataset/preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json.h"
#include "core/units.h"
#include "ops/images/encode.h"
#include "ops/images/image.h"
#include "ops/images/image_files.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

bool holds_pixels(SaveFormat storage) {
  return storage == SaveFormat::Raw || storage == SaveFormat::Npy;
}

std::string_view extension_of(SaveFormat storage) {
  return storage == SaveFormat::Jpeg ? "jpg" : name_of(storage);
}

/// Returns the name of a source's file in a dataset with one file per source.
std::string output_of(const Preparation& preparation, const std::string& source) {
  const fs::path name = preparation.name_of(source);
  return (name.parent_path() / name.stem()).string() +
         fmt::format(".{}", extension_of(preparation.form.storage));
}

void add_form_mistakes(const Preparation& preparation, std::vector<std::string>& mistakes) {
  const DatasetForm& form = preparation.form;
  const auto add = [&](std::string text) { mistakes.push_back(std::move(text)); };
  if (form.quality && form.storage != SaveFormat::Jpeg)
    add("--quality: is for --storage jpeg only");
  if (form.storage == SaveFormat::Raw && !form.height)
    add("--storage raw: needs --size H W, since the files do not store their shape");
  if (form.format != PixelFormat::Rgb && !holds_pixels(form.storage))
    add(fmt::format("--pixel-format {}: is for --storage raw and npy only", name_of(form.format)));
  if (form.format != PixelFormat::Rgb && form.storage == SaveFormat::Npy && !form.height)
    add(fmt::format("--pixel-format {}: needs --size H W, since the files do not store their shape",
                    name_of(form.format)));
  if (form.shards && !holds_pixels(form.storage))
    add(fmt::format("--shards: is for --storage raw and npy only; {} stores a file for each image",
                    name_of(form.storage)));
  if (form.shards && holds_pixels(form.storage) && !form.height)
    add("--shards: needs --size H W, since a shard's images have one size");
  if (form.shards && !preparation.sources.empty() && *form.shards > std::ssize(preparation.sources))
    add(fmt::format("--shards {}: there {}", *form.shards,
                    preparation.sources.size() == 1
                        ? "is only 1 image"
                        : fmt::format("are only {} images", preparation.sources.size())));
  if (form.height && *form.height > most_pixels / *form.width)
    add(fmt::format("--size {} {}: are too many pixels (at most {} in all)", *form.height,
                    *form.width, most_pixels));
  if (form.storage == SaveFormat::Jpeg && form.height &&
      std::max(*form.height, *form.width) > longest_jpeg_side)
    add(fmt::format("--size {} {}: a jpeg has at most {} pixels a side", *form.height, *form.width,
                    longest_jpeg_side));
}

/// Adds the first three texts of `all` to `mistakes`. If there are more, adds one text with the
/// number of the others.
void add_few(std::vector<std::string>& mistakes, std::vector<std::string> all,
             std::string_view are_what) {
  constexpr std::size_t most = 3;
  const std::size_t more = all.size() - std::min(all.size(), most);
  all.resize(all.size() - more);
  mistakes.insert(mistakes.end(), all.begin(), all.end());
  if (more > 0) mistakes.push_back(fmt::format("{} more {}", format_count(more), are_what));
}

/// Adds mistakes if two sources would become the same output file, if an output file would have the
/// name of a folder, or if a folder would have the name of a file that every dataset needs.
void add_output_mistakes(const Preparation& preparation, std::vector<std::string>& mistakes) {
  std::map<std::string, std::string> by_output;
  std::set<std::string> folders;
  std::vector<std::string> same, both;
  for (const std::string& source : preparation.sources) {
    const std::string output = output_of(preparation, source);
    const auto [other, fresh] = by_output.try_emplace(output, source);
    if (!fresh)
      same.push_back(fmt::format("{} and {} have the same name without the extension (rename one)",
                                 other->second, source));
    for (std::size_t end = output.find('/'); end != output.npos; end = output.find('/', end + 1))
      folders.insert(output.substr(0, end));
  }
  for (const std::string& folder : folders)
    if (const auto file = by_output.find(folder); file != by_output.end())
      both.push_back(fmt::format("{} would become {}, which is the name of a folder (rename one)",
                                 file->second, folder));
  for (const std::string& own : {manifest_path(""), unfinished_path("")})
    if (folders.contains(own))
      mistakes.push_back(
          fmt::format("{}{}: has the name of a file that the dataset needs (rename it)",
                      preparation.root, own));
  add_few(mistakes, std::move(same), "pairs of images have the same name without the extension");
  add_few(mistakes, std::move(both), "images would become files with the names of folders");
}

/// Adds mistakes for sources whose names cannot be stored in a manifest.
void add_name_mistakes(const Preparation& preparation, std::vector<std::string>& mistakes) {
  std::vector<std::string> unnamed;
  for (const std::string& source : preparation.sources)
    if (!is_utf8(source))
      unnamed.push_back(fmt::format("{}: its name is not UTF-8 (rename it)", source));
  add_few(mistakes, std::move(unnamed), "images are not named in UTF-8");
}

void add_place_mistakes(const Preparation& preparation, std::vector<std::string>& mistakes) {
  std::error_code unknown;
  fs::path folder = fs::weakly_canonical(fs::absolute(preparation.folder), unknown);
  if (!folder.has_filename()) folder = folder.parent_path();
  const fs::path root = fs::weakly_canonical(
      fs::absolute(preparation.root.empty() ? "." : preparation.root), unknown);
  for (const std::string& source : preparation.sources) {
    const fs::path path = fs::absolute(source);
    if (lies_in(fs::weakly_canonical(path.parent_path(), unknown), folder) ||
        lies_in(fs::weakly_canonical(path, unknown), folder))
      return mistakes.push_back(
          fmt::format("{}: lies in {}, which is for the dataset (give another folder)", source,
                      preparation.folder));
  }
  const bool has_classes = std::ranges::any_of(preparation.sources, [&](const std::string& source) {
    return !class_of(preparation.name_of(source)).empty();
  });
  if (has_classes && lies_in(folder, root.has_filename() ? root : root.parent_path()))
    mistakes.push_back(
        fmt::format("{}: lies in {}, whose folders are classes (give another folder)",
                    preparation.folder, preparation.root));
}

std::vector<std::string> without(std::vector<std::string> names, std::vector<std::string> others) {
  std::ranges::sort(names);
  std::ranges::sort(others);
  std::vector<std::string> left;
  std::ranges::set_difference(names, others, std::back_inserter(left));
  return left;
}

}  // namespace

std::vector<std::string> mistakes_of(const Preparation& preparation) {
  std::vector<std::string> mistakes;
  add_form_mistakes(preparation, mistakes);
  if (!preparation.form.shards) add_output_mistakes(preparation, mistakes);
  add_name_mistakes(preparation, mistakes);
  add_place_mistakes(preparation, mistakes);
  return mistakes;
}

std::vector<Output> outputs_of(const Preparation& preparation) {
  const DatasetForm& form = preparation.form;
  const std::size_t images = preparation.sources.size();
  const std::size_t count = form.shards ? static_cast<std::size_t>(*form.shards) : images;
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = images * i / count;
    outputs.push_back({.name = form.shards ? fmt::format("shard-{:04}-of-{:04}.{}", i, count,
                                                         extension_of(form.storage))
                                           : output_of(preparation, preparation.sources[i]),
                       .first = first,
                       .count = images * (i + 1) / count - first});
  }
  return outputs;
}

std::vector<std::string> differences(const DatasetForm& was, const DatasetForm& is,
                                     const std::vector<std::string>& were,
                                     const std::vector<std::string>& are) {
  std::vector<std::string> all;
  const Json old_form = to_json(was), new_form = to_json(is);
  const auto said = [](const Json& value) {
    return value.is_null() ? std::string("not given")
                           : (value.is_string() ? value.get<std::string>() : value.dump());
  };
  Json both = new_form;
  both.update(old_form);
  for (const auto& [key, value] : both.items()) {
    const Json none = key == "pixel_format" ? Json(name_of(PixelFormat::Rgb)) : Json();
    const Json before = old_form.value(key, none), now = new_form.value(key, none);
    if (before != now) all.push_back(fmt::format("{} was {}, is {}", key, said(before), said(now)));
  }
  if (const auto gone = without(were, are); !gone.empty())
    all.push_back(fmt::format("no longer among the images: {}", listed_few(gone)));
  if (const auto fresh = without(are, were); !fresh.empty())
    all.push_back(fmt::format("not in the dataset: {}", listed_few(fresh)));
  return all;
}

}  // namespace normbench
