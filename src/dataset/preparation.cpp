#include "dataset/preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "ops/images/encode.h"
#include "ops/images/image.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

bool holds_pixels(SaveFormat storage) {
  return storage == SaveFormat::Raw || storage == SaveFormat::Npy;
}

std::string_view extension_of(SaveFormat storage) {
  return storage == SaveFormat::Jpeg ? "jpg" : name_of(storage);
}

void add_form_mistakes(const Preparation& preparation, std::vector<std::string>& mistakes) {
  const DatasetForm& form = preparation.form;
  const auto add = [&](std::string text) { mistakes.push_back(std::move(text)); };
  if (form.quality && form.storage != SaveFormat::Jpeg) add("--quality: goes with --storage jpeg");
  if (form.storage == SaveFormat::Raw && !form.height)
    add("--storage raw: needs --size H W, since the files do not say their shape");
  if (form.shards && !holds_pixels(form.storage))
    add(fmt::format("--shards: goes with --storage raw and npy; a {} is a file for each image",
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

bool is_utf8(const std::string& text) try {
  return !Json(text).dump().empty();
} catch (const Json::type_error&) {
  return false;
}

/// Sources that would become the same file, or that a manifest cannot tell apart or name.
void add_name_mistakes(const Preparation& preparation, std::vector<std::string>& mistakes) {
  const bool by_stem = !preparation.form.shards;
  std::map<std::string, std::string> by_name;
  for (const std::string& source : preparation.sources) {
    const std::string name = by_stem ? fs::path(source).stem().string() : name_of_source(source);
    const auto [other, fresh] = by_name.try_emplace(name, source);
    if (!fresh)
      mistakes.push_back(fmt::format("{} and {} have the same name{} (rename one)", other->second,
                                     source, by_stem ? " without its end" : ""));
    if (!is_utf8(source))
      mistakes.push_back(fmt::format("{}: is not named in UTF-8 (rename it)", source));
  }
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

void add_place_mistakes(const Preparation& preparation, std::vector<std::string>& mistakes) {
  std::error_code unknown;
  fs::path folder = fs::weakly_canonical(fs::absolute(preparation.folder), unknown);
  if (!folder.has_filename()) folder = folder.parent_path();
  for (const std::string& source : preparation.sources) {
    const fs::path path = fs::absolute(source);
    if (lies_in(fs::weakly_canonical(path.parent_path(), unknown), folder) ||
        lies_in(fs::weakly_canonical(path, unknown), folder))
      return mistakes.push_back(
          fmt::format("{}: lies in {}, which is for the dataset (give another folder)", source,
                      preparation.folder));
  }
}

std::vector<std::string> without(std::vector<std::string> names, std::vector<std::string> others) {
  std::ranges::sort(names);
  std::ranges::sort(others);
  std::vector<std::string> left;
  std::ranges::set_difference(names, others, std::back_inserter(left));
  return left;
}

}  // namespace

std::string listed_few(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  const std::size_t shown = std::min(names.size(), most);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

std::vector<std::string> mistakes_of(const Preparation& preparation) {
  std::vector<std::string> mistakes;
  add_form_mistakes(preparation, mistakes);
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
    const std::string stem = form.shards ? fmt::format("shard-{:04}-of-{:04}", i, count)
                                         : fs::path(preparation.sources[i]).stem().string();
    outputs.push_back({.name = fmt::format("{}.{}", stem, extension_of(form.storage)),
                       .first = first,
                       .count = images * (i + 1) / count - first});
  }
  return outputs;
}

std::string name_of_source(const std::string& path) { return fs::path(path).filename().string(); }

std::vector<std::string> differences(const DatasetForm& was, const DatasetForm& is,
                                     const std::vector<std::string>& were,
                                     const std::vector<std::string>& are) {
  std::vector<std::string> all;
  const Json old_form = to_json(was), new_form = to_json(is);
  const auto said = [](const Json& value) {
    return value.is_null() ? std::string("not given")
                           : (value.is_string() ? value.get<std::string>() : value.dump());
  };
  for (const auto& [key, value] : old_form.items())
    if (value != new_form.at(key))
      all.push_back(fmt::format("{} was {}, is {}", key, said(value), said(new_form.at(key))));
  if (const auto gone = without(were, are); !gone.empty())
    all.push_back(fmt::format("no longer among the images: {}", listed_few(gone)));
  if (const auto fresh = without(are, were); !fresh.empty())
    all.push_back(fmt::format("not among its images: {}", listed_few(fresh)));
  return all;
}

}  // namespace normbench
