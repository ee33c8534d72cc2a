#include "dataset/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include "backend/cpu/team.h"
#include "core/issue.h"
#include "dataset/checksum.h"
#include "dataset/converter.h"
#include "dataset/dataset_folder.h"
#include "dataset/output_file.h"
#include "dataset/preparation_journal.h"
#include "machine/environment.h"

namespace normbench {
namespace {

/// A source image to convert. It becomes image number `place` (from 0) of the output file with
/// index `output`.
struct Item {
  std::size_t output, place;
};

class Work {
 public:
  Work(const Preparation& preparation, const PrepareOptions& options, PrepareObserver& observer,
       PreparationJournal& journal, const std::vector<Output>& outputs)
      : preparation_(preparation),
        options_(options),
        observer_(observer),
        journal_(journal),
        outputs_(outputs),
        seconds_before_(journal.seconds()) {}

  /// Makes all missing files. Returns false if it was interrupted.
  bool run();

  /// Returns the broken images by index of the source.
  const std::map<std::size_t, LeftOut>& broken() const { return broken_; }
  /// Returns the seconds of work so far, including those of earlier calls of prepare(). Neither the
  /// check of finished files nor psnr_db() is counted.
  double seconds() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const double looking = static_cast<double>(looking_ns_) * 1e-9 / threads_;
    return seconds_before_ + spent.count() - looking;
  }

 private:
  struct Claimed {
    Item item;
    std::shared_ptr<OutputFile> file;
  };

  bool is_interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }
  bool needs(const Output& output) const;
  bool find_items();
  std::optional<Claimed> claim();
  void work(Backend& backend);
  Piece read(std::size_t source, Converter& converter, std::vector<std::uint8_t>& bytes) const;
  void check_unchanged(std::size_t source) const;
  void finish(const Claimed& claimed, const Piece& piece,
              const std::optional<FinishedFile>& finished);
  void stop();

  const Preparation& preparation_;
  const PrepareOptions& options_;
  PrepareObserver& observer_;
  PreparationJournal& journal_;
  const std::vector<Output>& outputs_;
  const double seconds_before_;
  std::chrono::steady_clock::time_point start_;
  int threads_ = 1;

  mutable std::atomic<std::int64_t> looking_ns_ = 0;  // time of psnr_db(), summed over all threads
  std::vector<Item> items_;
  std::map<std::string, std::uint32_t> known_crcs_;  // of sources of files to make again, by name
  std::mutex mutex_;                                 // guards all members below
  std::size_t next_ = 0, done_ = 0;
  bool stopped_ = false;
  std::map<std::size_t, std::shared_ptr<OutputFile>> open_;  // key: index of the output
  std::map<std::size_t, LeftOut> broken_;
};

/// Returns true if the output file must be made: it is missing, is not whole, or leaves out broken
/// images. Broken images are read again, because they may have been repaired. If they are still
/// broken, they are reported again.
bool Work::needs(const Output& output) const {
  const auto found = journal_.files().find(output.name);
  if (found == journal_.files().end()) return true;
  const FinishedFile& finished = found->second;
  return !finished.left_out.empty() || !is_whole(preparation_, finished);
}

/// Fills `items_` with all sources of the output files for which needs() is true. This reads all
/// finished files. Returns false if the work was interrupted.
bool Work::find_items() {
  for (std::size_t output = 0; output < outputs_.size(); ++output) {
    if (is_interrupted()) return false;
    if (!needs(outputs_[output])) {
      done_ += outputs_[output].count;
      continue;
    }
    for (std::size_t place = 0; place < outputs_[output].count; ++place)
      items_.push_back({output, place});
    const auto found = journal_.files().find(outputs_[output].name);
    if (found == journal_.files().end()) continue;
    for (const SourceFile& source : found->second.sources) known_crcs_[source.name] = source.crc32;
    journal_.forget(outputs_[output].name);
  }
  return true;
}

bool Work::run() {
  if (!find_items()) return false;
  observer_.started(done_, preparation_.sources.size());
  start_ = std::chrono::steady_clock::now();
  const std::unique_ptr<Backend> cpu = make_cpu_backend();
  threads_ = static_cast<int>(
      std::clamp<std::int64_t>(std::ssize(items_), 1, std::max(1, options_.threads)));
  if (!items_.empty())
    on_team(threads_, [&](int, int) {
      try {
        work(*cpu);
      } catch (...) {
        stop();
        throw;
      }
    });
  return next_ == items_.size();
}

/// Takes the next item. Returns std::nullopt if there is none or the work was stopped. Items must
/// be taken in order, because a thread that adds an image to a file waits for the images before it.
std::optional<Work::Claimed> Work::claim() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || is_interrupted() || next_ == items_.size()) return std::nullopt;
  const Item item = items_[next_++];
  std::shared_ptr<OutputFile>& file = open_[item.output];
  if (!file)
    file = std::make_shared<OutputFile>(outputs_[item.output], preparation_,
                                        options_.on_error == OnError::Skip);
  return Claimed{item, file};
}

void Work::work(Backend& backend) {
  Converter converter(preparation_.form, backend.make_queue(1, nullptr));
  std::vector<std::uint8_t> bytes;
  while (const auto claimed = claim()) {
    const Item& item = claimed->item;
    const Piece piece = read(outputs_[item.output].first + item.place, converter, bytes);
    finish(*claimed, piece, claimed->file->add(item.place, piece));
  }
}

void Work::check_unchanged(std::size_t source) const {
  const std::string& path = preparation_.sources[source];
  if (state_of_source(path) != journal_.states()[source])
    throw_changed({path}, preparation_.folder);
}

Piece Work::read(std::size_t source, Converter& converter, std::vector<std::uint8_t>& bytes) const {
  const std::string& path = preparation_.sources[source];
  Piece piece{
      .source = {.name = preparation_.name_of(path), .bytes = journal_.states()[source].bytes}};
  bool was_read = false;
  check_unchanged(source);
  try {
    read_file(path, bytes);
    was_read = true;
    piece.source.crc32 = crc32_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    piece.content = converter.convert(bytes);
    piece.source.remarks = converter.remarks();
    const auto start = std::chrono::steady_clock::now();
    piece.source.psnr_db = converter.psnr_db();
    looking_ns_ += (std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1);
  } catch (const std::runtime_error& error) {
    piece.broken = error.what();
  }
  check_unchanged(source);
  const auto known = known_crcs_.find(piece.source.name);
  if (was_read && known != known_crcs_.end() && known->second != piece.source.crc32)
    throw_changed({path}, preparation_.folder);
  return piece;
}

void Work::finish(const Claimed& claimed, const Piece& piece,
                  const std::optional<FinishedFile>& finished) {
  const std::lock_guard lock(mutex_);
  if (stopped_ && !finished) return;  // stop() abandoned the image's output file
  const Output& output = outputs_[claimed.item.output];
  if (!piece.broken.empty()) {
    const std::size_t source = output.first + claimed.item.place;
    broken_[source] = {piece.source.name, piece.source.bytes, piece.broken};
    journal_.add_broken(source);
    observer_.broken();
  }
  if (finished) journal_.add_file(*finished, seconds());
  if (claimed.item.place + 1 == output.count) open_.erase(claimed.item.output);
  observer_.image_done(++done_);
}

void Work::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const auto& [output, file] : open_) file->stop();
}

Manifest manifest_of(const Preparation& preparation, std::span<const Output> outputs,
                     const PreparationJournal& journal, const Work& work) {
  const Json made_by = tool();
  Manifest manifest{.tool = made_by.at("name").get<std::string>(),
                    .version = made_by.at("version").get<std::string>(),
                    .form = preparation.form,
                    .seconds = work.seconds(),
                    .files = {},
                    .sources = {}};
  for (const Output& output : outputs) {
    const auto found = journal.files().find(output.name);
    if (found == journal.files().end()) {  // a file of one image, which is broken
      manifest.left_out.push_back(work.broken().at(output.first));
      continue;
    }
    const FinishedFile& finished = found->second;
    manifest.images += finished.file.images;
    manifest.bytes += finished.file.bytes;
    manifest.files.push_back(finished.file);
    std::ranges::copy(finished.sources, std::back_inserter(manifest.sources));
    std::ranges::copy(finished.left_out, std::back_inserter(manifest.left_out));
  }
  for (const SourceFile& source : manifest.sources) manifest.source_bytes += source.bytes;
  return manifest;
}

/// Syncs the subfolders of the dataset (one for each class of images), so that the names of the
/// files in them survive a power failure. Writing the manifest syncs the dataset's own folder.
void sync_folders(const std::string& dataset, std::span<const Output> outputs) {
  std::set<std::filesystem::path> folders;
  for (const Output& output : outputs)
    for (auto folder = std::filesystem::path(output.name).parent_path(); !folder.empty();
         folder = folder.parent_path())
      folders.insert(folder);
  for (const auto& folder : folders) sync_folder((dataset / folder).string());
}

/// Returns the number of images in finished files.
std::size_t done_of(std::span<const Output> outputs, const PreparationJournal& journal) {
  std::size_t done = 0;
  for (const Output& output : outputs)
    if (journal.files().contains(output.name)) done += output.count;
  return done;
}

Prepared result_of(const Preparation& preparation, const PrepareOptions& options,
                   std::span<const Output> outputs, PreparationJournal& journal, const Work& work,
                   bool complete) {
  Prepared prepared{
      .outcome = Prepared::Outcome::Interrupted, .done = done_of(outputs, journal), .broken = {}};
  for (const auto& [source, image] : work.broken()) prepared.broken.push_back(image);
  if (!complete) return prepared;
  prepared.outcome = Prepared::Outcome::Broken;
  if (options.on_error == OnError::Fail && !prepared.broken.empty()) return prepared;
  prepared.manifest = manifest_of(preparation, outputs, journal, work);
  if (prepared.manifest.images == 0) return prepared;
  prepared.outcome = Prepared::Outcome::Finished;
  sync_folders(preparation.folder, outputs);
  write_manifest(preparation.folder, prepared.manifest);
  journal.remove();
  return prepared;
}

}  // namespace

Prepared prepare(const Preparation& preparation, const PrepareOptions& options,
                 PrepareObserver& observer) {
  if (const auto mistakes = mistakes_before(preparation); !mistakes.empty())
    throw Invalid(fmt::format("{}", fmt::join(mistakes, "; ")));
  if (auto manifest = read_manifest(preparation.folder)) {
    check_finished(preparation, *manifest);
    // A journal is left if the process that finished the dataset was killed before it removed the
    // journal.
    if (is_begun(preparation)) PreparationJournal::resume(preparation).remove();
    return {.outcome = Prepared::Outcome::WasThere, .manifest = *std::move(manifest), .broken = {}};
  }
  create_folder(preparation.folder);
  const std::vector<Output> outputs = outputs_of(preparation);
  PreparationJournal journal = open_journal(preparation, outputs);
  Work work(preparation, options, observer, journal, outputs);
  const bool complete = work.run();
  return result_of(preparation, options, outputs, journal, work, complete);
}

}  // namespace normbench
