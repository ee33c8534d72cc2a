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
#include "core/file.h"
#include "core/issue.h"
#include "dataset/checksum.h"
#include "dataset/converter.h"
#include "dataset/output_file.h"
#include "dataset/preparation_journal.h"
#include "machine/environment.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

// ---- what is in the folder

std::string in_folder(const Preparation& preparation, const std::string& name) {
  return (fs::path(preparation.folder) / name).string();
}

bool is_begun(const Preparation& preparation) {
  return LineFile::begun(PreparationJournal::path_in(preparation.folder));
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// Names in the folder that are no part of this preparation; before it has begun, all but an empty
/// journal.
std::vector<std::string> foreign_names(const Preparation& preparation,
                                       std::span<const Output> outputs) {
  std::set<std::string, std::less<>> own{
      fs::path(PreparationJournal::path_in(preparation.folder)).filename().string()};
  if (!outputs.empty()) own.insert(fs::path(manifest_path("")).filename().string());
  for (const Output& output : outputs) own.insert(output.name);
  std::vector<std::string> foreign;
  for (const std::string& name : names_in(preparation.folder))
    if (!own.contains(name) && !own.contains(WholeFile::named_beside(name)))
      foreign.push_back(name);
  return foreign;
}

std::string foreign_text(const std::string& folder, const std::vector<std::string>& names) {
  return fmt::format("{} holds other files: {} (give a new or an empty folder)", folder,
                     listed_few(names));
}

void remove_unfinished(const Preparation& preparation) {
  std::error_code ignored;
  for (const std::string& name : names_in(preparation.folder))
    if (!WholeFile::named_beside(name).empty()) fs::remove(in_folder(preparation, name), ignored);
}

// ---- what was there before

[[noreturn]] void throw_changed(const std::vector<std::string>& paths, const std::string& folder) {
  throw std::runtime_error(fmt::format(
      "changed since the preparation of {} began: {} (what is finished stays; remove the folder to "
      "start again)",
      folder, listed_few(paths)));
}

/// Throws what prepare() throws where a finished dataset is not the one that is asked for.
void check_finished(const Preparation& preparation, const Manifest& manifest) {
  std::vector<std::string> were, are, changed;
  for (const SourceFile& source : manifest.sources) were.push_back(source.name);
  for (const LeftOut& image : manifest.left_out) were.push_back(image.name);
  std::map<std::string, std::int64_t> bytes;
  for (const SourceFile& source : manifest.sources) bytes[source.name] = source.bytes;
  for (const std::string& path : preparation.sources) {
    are.push_back(name_of_source(path));
    const auto known = bytes.find(are.back());
    if (known != bytes.end() && known->second != state_of_source(path).bytes)
      changed.push_back(path);
  }
  std::vector<Issue> issues;
  for (const std::string& text : differences(manifest.form, preparation.form, were, are))
    issues.push_back({"", "holds another dataset: " + text});
  if (!issues.empty()) throw BadInput(preparation.folder, issues);
  if (!changed.empty()) throw_changed(changed, preparation.folder);
  std::error_code error;
  for (const DatasetFile& file : manifest.files) {
    const std::string path = in_folder(preparation, file.name);
    if (fs::file_size(path, error) != static_cast<std::uintmax_t>(file.bytes) || error)
      throw std::runtime_error(fmt::format(
          "{}: is not as it was written (remove {} to make it again)", path, preparation.folder));
  }
}

/// Sources may only change where they could not be read: they were repaired.
void check_sources(const Preparation& preparation, PreparationJournal& journal) {
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < preparation.sources.size(); ++i) {
    const SourceState state = state_of_source(preparation.sources[i]);
    if (state == journal.states()[i]) continue;
    if (journal.broken().contains(i))
      journal.set_state(i, state);
    else
      changed.push_back(preparation.sources[i]);
  }
  if (!changed.empty()) throw_changed(changed, preparation.folder);
}

PreparationJournal open_journal(const Preparation& preparation, std::span<const Output> outputs) {
  if (!is_begun(preparation)) return PreparationJournal::create(preparation);
  PreparationJournal journal = PreparationJournal::resume(preparation);
  if (const auto foreign = foreign_names(preparation, outputs); !foreign.empty())
    throw BadInput("normbench", {{"", foreign_text(preparation.folder, foreign)}});
  check_sources(preparation, journal);
  remove_unfinished(preparation);
  return journal;
}

bool is_whole(const Preparation& preparation, const FinishedFile& finished) {
  const auto sum = checksum_of(in_folder(preparation, finished.file.name));
  return sum && sum->bytes == finished.file.bytes && sum->crc32 == finished.file.crc32;
}

// ---- the work

/// A source and where it goes: `place` in an output counts from 0.
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

  /// False when it was interrupted.
  bool run();

  std::size_t done() const { return done_; }
  const std::map<std::size_t, std::string>& broken() const { return broken_; }  // by source
  /// Spent so far, with what was spent before.
  double seconds() const {
    return seconds_before_ +
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
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
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  std::vector<Item> items_;
  std::map<std::string, std::uint32_t> known_crcs_;  // of sources whose file must be made again
  std::mutex mutex_;                                 // of all below
  std::size_t next_ = 0, done_ = 0;
  bool stopped_ = false;
  std::map<std::size_t, std::shared_ptr<OutputFile>> open_;  // by output
  std::map<std::size_t, std::string> broken_;
};

/// A file that does without broken images is none where they are to be told.
bool Work::needs(const Output& output) const {
  const auto found = journal_.files().find(output.name);
  if (found == journal_.files().end()) return true;
  const FinishedFile& finished = found->second;
  return (options_.on_error == OnError::Fail && !finished.left_out.empty()) ||
         !is_whole(preparation_, finished);
}

/// False when it was interrupted: files that are there are read.
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
  const std::unique_ptr<Backend> cpu = make_cpu_backend();
  const auto threads = std::min<std::int64_t>(options_.threads, std::ssize(items_));
  if (threads > 0)
    on_team(static_cast<int>(threads), [&](int, int) {
      try {
        work(*cpu);
      } catch (...) {
        stop();
        throw;
      }
    });
  return next_ == items_.size();
}

/// The next source, in order: whoever waits in an output file waits for what was claimed before.
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
  std::error_code gone;
  if (!fs::exists(path, gone) || state_of_source(path) != journal_.states()[source])
    throw_changed({path}, preparation_.folder);
}

Piece Work::read(std::size_t source, Converter& converter, std::vector<std::uint8_t>& bytes) const {
  const std::string& path = preparation_.sources[source];
  Piece piece{.source = {.name = name_of_source(path)}};
  check_unchanged(source);
  try {
    read_file(path, bytes);
    piece.source.bytes = std::ssize(bytes);
    piece.source.crc32 = crc32_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    piece.content = converter.convert(bytes);
    piece.source.psnr_db = converter.psnr_db();
  } catch (const std::runtime_error& error) {
    piece.broken = error.what();
  }
  check_unchanged(source);
  const auto known = known_crcs_.find(piece.source.name);
  const bool was_read = piece.source.bytes > 0;
  if (was_read && known != known_crcs_.end() && known->second != piece.source.crc32)
    throw_changed({path}, preparation_.folder);
  return piece;
}

void Work::finish(const Claimed& claimed, const Piece& piece,
                  const std::optional<FinishedFile>& finished) {
  const std::lock_guard lock(mutex_);
  if (stopped_ && !finished) return;  // its file gave up on it
  const Output& output = outputs_[claimed.item.output];
  if (!piece.broken.empty()) {
    const std::size_t source = output.first + claimed.item.place;
    broken_[source] = piece.broken;
    journal_.add_broken(source);
    observer_.broken(preparation_.sources[source], piece.broken);
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

// ---- the end

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
    if (found == journal.files().end()) {  // of one image, which is broken
      manifest.left_out.push_back(
          {name_of_source(preparation.sources[output.first]), work.broken().at(output.first)});
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

Prepared result_of(const Preparation& preparation, const PrepareOptions& options,
                   std::span<const Output> outputs, PreparationJournal& journal, const Work& work,
                   bool complete) {
  Prepared prepared{.outcome = Prepared::Outcome::Interrupted, .done = work.done(), .broken = {}};
  for (const auto& [source, why] : work.broken())
    prepared.broken.push_back({name_of_source(preparation.sources[source]), why});
  if (!complete) return prepared;
  prepared.outcome = Prepared::Outcome::Broken;
  if (options.on_error == OnError::Fail && !prepared.broken.empty()) return prepared;
  prepared.manifest = manifest_of(preparation, outputs, journal, work);
  if (prepared.manifest.images == 0) return prepared;
  prepared.outcome = Prepared::Outcome::Finished;
  write_manifest(preparation.folder, prepared.manifest);
  journal.remove();
  return prepared;
}

}  // namespace

std::vector<std::string> mistakes_before(const Preparation& preparation) {
  std::vector<std::string> mistakes = mistakes_of(preparation);
  std::error_code unknown;
  if (!is_begun(preparation) && !fs::exists(manifest_path(preparation.folder), unknown))
    if (const auto foreign = foreign_names(preparation, {}); !foreign.empty())
      mistakes.push_back(foreign_text(preparation.folder, foreign));
  return mistakes;
}

Prepared prepare(const Preparation& preparation, const PrepareOptions& options,
                 PrepareObserver& observer) {
  if (const auto mistakes = mistakes_before(preparation); !mistakes.empty())
    throw Invalid(fmt::format("{}", fmt::join(mistakes, "; ")));
  if (auto manifest = read_manifest(preparation.folder)) {
    check_finished(preparation, *manifest);
    if (is_begun(preparation)) PreparationJournal::resume(preparation).remove();  // killed there
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
