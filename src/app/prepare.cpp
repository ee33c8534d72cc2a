#include "dataset/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <optional>

#include "app/options.h"
#include "app/progress.h"
#include "app/terminal.h"
#include "core/units.h"
#include "dataset/dataset_folder.h"
#include "machine/environment.h"
#include "ops/images/image.h"
#include "ops/images/image_files.h"
#include "report/dataset_text.h"

namespace normbench {
namespace {

constexpr int kMostThreads = 4096;

struct PrepareSaid {
  std::string source, folder;
  std::optional<SaveFormat> storage;
  PixelFormat format = PixelFormat::Rgb;
  std::vector<std::string> size;
  std::optional<int> quality;
  std::optional<std::int64_t> shards;
  std::optional<int> threads;
  OnError on_error = OnError::Fail;
  bool quiet = false;
  std::vector<std::string> mistakes;  // in the values of options; reported with all other mistakes
};

/// Shows progress like "12 of 40 images, 3.4 images/s, about 8 s left": in one line that is
/// overwritten, or in a new line at each tenth of the images.
class PrepareProgress final : public PrepareObserver {
 public:
  explicit PrepareProgress(bool quiet) : line_(progress_style(quiet)) {}

  void started(std::size_t done, std::size_t all) override {
    before_ = done;
    all_ = all;
    if (done > 0 && line_.style() != ProgressStyle::Nothing)
      tell("{} of {} images are done already\n", done, all);
  }
  void image_done(std::size_t done) override {
    if (line_.is_due()) line_.show(text(done));
    if (line_.style() == ProgressStyle::Lines && done * 10 / all_ > (done - 1) * 10 / all_)
      tell("{}\n", text(done));
  }
  void broken() override { ++broken_; }
  void clear() { line_.clear(); }

 private:
  std::string text(std::size_t done) const {
    const double rate = static_cast<double>(done - before_) / std::max(line_.spent(), 1e-9);
    return fmt::format("{} of {} images{}, {} images/s, about {:.0f} s left", done, all_,
                       broken_ > 0 ? fmt::format(" ({} cannot be read)", broken_) : "",
                       format_rate(rate), std::ceil(static_cast<double>(all_ - done) / rate));
  }

  LiveLine line_;
  std::size_t before_ = 0, all_ = 0, broken_ = 0;
};

/// Returns the preparation that the options describe. Throws BadInput with all mistakes. Reports
/// which other files in the images' folders are left out.
Preparation read_preparation(const PrepareSaid& said) {
  Preparation preparation{.sources = {}, .folder = said.folder, .form = {}};
  DatasetForm& form = preparation.form;
  std::vector<std::string> mistakes = said.mistakes, beside;
  form.shards = said.shards;
  form.quality = said.quality;
  form.format = said.format;
  if (said.storage) form.storage = *said.storage;
  if (form.storage == SaveFormat::Jpeg && !form.quality) form.quality = Save().quality;
  if (!said.size.empty())
    std::tie(form.height, form.width) = read_size(said.size, most_pixels, mistakes);
  try {
    FoundFiles found = find_files("", said.source, endings_of(Storage::Image));
    preparation.sources = std::move(found.files);
    preparation.root = std::move(found.root);
    beside = beside_texts(found.beside);
  } catch (const Invalid& mistake) {
    mistakes.emplace_back(mistake.what());
  }
  if (said.storage)  // without a storage, other options cannot be checked
    std::ranges::copy(mistakes_before(preparation), std::back_inserter(mistakes));
  std::vector<Issue> issues;
  for (const std::string& text : mistakes) issues.push_back({"", text});
  if (!issues.empty()) throw BadInput("normbench", issues);
  for (const std::string& text : beside) tell("normbench: {}: {}\n", said.source, text);
  return preparation;
}

std::string images_text(std::int64_t images) {
  return fmt::format("{} image{}", format_count(images), images == 1 ? "" : "s");
}

/// Returns how to load the dataset: a command, or a member of a config if the files are no images.
std::string loading_command(const PrepareSaid& said, const Manifest& manifest) {
  if (said.storage == SaveFormat::Jpeg || said.storage == SaveFormat::Png)
    return fmt::format("normbench init --images {}", shell_word(said.folder));
  Json load{{"path", said.folder}, {"storage", name_of(said.storage.value())}};
  const DatasetForm& form = manifest.form;
  if (form.height && form.width) load["size"] = Json::array({*form.height, *form.width});
  if (form.format != PixelFormat::Rgb) load["pixel_format"] = name_of(form.format);
  return fmt::format("\"load\": {} in a config",
                     load.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::vector<BrokenFiles> kinds_of(std::span<const LeftOut> images) {
  std::vector<std::string> names, reasons;
  for (const LeftOut& image : images) {
    names.push_back(image.name);
    reasons.push_back(image.why);
  }
  return broken_of(names, reasons);
}

std::vector<RemarkedFiles> kinds_of(std::span<const SourceFile> sources) {
  std::vector<std::string> names;
  std::vector<std::vector<Remark>> remarks;
  for (const SourceFile& source : sources) {
    names.push_back(source.name);
    remarks.push_back(source.remarks);
  }
  return remarked_of(names, remarks);
}

/// Returns a line like "40 images in dataset: 5.6 MB read, 18.2 MB written (3.25x) in 11.8 s, 3.4
/// images/s", then a line for each reason why images were left out, and for each remark.
std::string summary(const std::string& folder, const Manifest& manifest) {
  const auto bytes = static_cast<double>(manifest.bytes);
  const auto source_bytes = static_cast<double>(manifest.source_bytes);
  std::string text = fmt::format(
      "{} in {}: {} read, {} written ({}x) in {} s, {} images/s\n", images_text(manifest.images),
      on_one_line(folder), format_bytes(source_bytes), format_bytes(bytes),
      format_significant(bytes / source_bytes, 3), format_significant(manifest.seconds, 3),
      format_rate(static_cast<double>(manifest.images) / manifest.seconds));
  for (const std::string& some : broken_texts(kinds_of(manifest.left_out)))
    text += fmt::format("Left out: {}\n", on_one_line(some));
  for (const std::string& remark :
       remark_texts(kinds_of(manifest.sources), std::ssize(manifest.sources)))
    text += on_one_line(remark) + "\n";
  return text;
}

void tell_broken(const Prepared& prepared, std::size_t all) {
  const std::size_t count = prepared.broken.size();
  tell("normbench: {} of {} images cannot be read: {}\nnormbench: {}\n", format_count(count),
       format_count(all),
       fmt::format("{}", fmt::join(broken_texts(kinds_of(prepared.broken)), "; ")),
       count == all ? "no image is left"
                    : "all other files are done; repair these, or leave them out with "
                      "--on-error skip, and give "
                      "the same command again");
}

Exit prepare_dataset(const PrepareSaid& said) {
  const Preparation preparation = read_preparation(said);
  const PrepareOptions options{.threads = said.threads.value_or(available_threads()),
                               .on_error = said.on_error,
                               .interrupted = &watch_for_interrupts()};
  PrepareProgress progress(said.quiet);
  const Prepared prepared = prepare(preparation, options, progress);
  progress.clear();
  switch (prepared.outcome) {
    case Prepared::Outcome::Finished:
      show(summary(said.folder, prepared.manifest));
      suggest(said.quiet, loading_command(said, prepared.manifest));
      return Exit::Fine;
    case Prepared::Outcome::WasThere:
      show(summary(said.folder, prepared.manifest) + "Nothing to do: it is there already\n");
      return Exit::Fine;
    case Prepared::Outcome::Interrupted:
      say("Interrupted: {} of {} are done{}; continue with the same command\n", prepared.done,
          images_text(std::ssize(preparation.sources)),
          preparation.form.shards ? " (a shard counts when it is whole)" : "");
      return Exit::Interrupted;
    case Prepared::Outcome::Broken:
      tell_broken(prepared, preparation.sources.size());
      return Exit::Failed;
  }
  return Exit::Failed;
}

}  // namespace

Subcommand make_prepare() {
  const auto said = std::make_shared<PrepareSaid>();
  const auto note = [said](Take take) { return noted(std::move(take), said->mistakes); };
  return {
      .options = {{"SRC", "", "Images: a folder, a file or a glob", &said->source, "",
                   Option::Required},
                  {"DST", "", "The dataset's own folder", &said->folder, "", Option::Required},
                  {"--storage", "FORM", "jpeg, png, raw (uint8 height x width x 3) or npy",
                   note(word_of<SaveFormat>(said->storage)), "", Option::Required},
                  {"--size", "H W", "Resize all images to this height and width, antialiased",
                   &said->size, "", Option::Pair},
                  {"--pixel-format", "WORD",
                   "Of raw and npy: rgb (default), or planes, such as ycbcr420",
                   note(word_of<PixelFormat>(said->format))},
                  {"--quality", "Q", "Of jpeg, 1 to 100 as libjpeg counts it (default: 95)",
                   note(whole(said->quality, 1, 100))},
                  {"--shards", "N", "Put images of raw or npy into N files (default: a file each)",
                   note(whole(said->shards, 1))},
                  {"--threads", "N", "Images that are worked on at once (default: all CPUs)",
                   note(whole(said->threads, 1, kMostThreads))},
                  {"--on-error", "WORD", "Images that cannot be read: fail (default) or skip",
                   note(word_of<OnError>(said->on_error))},
                  quiet_option(said->quiet)},
      .run = [said] { return prepare_dataset(*said); },
      .help =
          "DST gets manifest.json when it is finished. An interrupted or killed preparation goes "
          "on with the same command, from the last whole file on: one of --shards 1 from the "
          "start. The bytes do not depend on --threads."};
}

}  // namespace normbench
