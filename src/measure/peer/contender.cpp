#include "measure/peer/contender.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/file.h"
#include "core/system_error.h"
#include "core/units.h"
#include "document/note.h"
#include "measure/contender.h"
#include "ops/array_file.h"
#include "plan/memory.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

constexpr const char* in_memory = "/dev/shm";
constexpr const char* processor_times = "/proc/stat";

/// Returns true if at least twice `bytes` are free in the folder. Other programs need space there,
/// too.
bool has_room(const fs::path& folder, std::int64_t bytes) {
  std::error_code unknown;
  const fs::space_info space = fs::space(folder, unknown);
  return !unknown && space.available / 2 >= static_cast<std::uintmax_t>(bytes);
}

/// Makes an empty folder with a unique name in `parent` and returns its path. On failure, returns
/// "" and sets errno.
std::string make_in(const fs::path& parent) {
  std::string name = (parent / fmt::format("normbench-peer-{}-XXXXXX", getpid())).string();
  return mkdtemp(name.data()) == nullptr ? "" : name;
}

PeerProcess::Duration duration(double seconds) {
  return std::chrono::duration_cast<PeerProcess::Duration>(std::chrono::duration<double>(seconds));
}

/// Returns the number of the GPU; 0 if there is none.
int device_number(const Backends& backends) {
  const Backend* const cuda = backends.at(Place::Cuda);
  return cuda == nullptr ? 0 : cuda->device();
}

/// Returns the least length of the warm-up in ns, as it is sent to the peer. If it is above 0, the
/// peer runs at least one iteration.
std::int64_t asked_warm_up_ns(const Case& planned, const TurnShape& shape) {
  if (!planned.uses_gpu()) return shape.warmup_ns;
  return shape.device_awake
             ? 1
             : std::max(shape.warmup_ns, static_cast<std::int64_t>(device_warm_up_ns));
}

/// Returns true if the user's own loader gives its first batch again and again.
bool is_cached(const Case& planned) {
  const auto* const batches = std::get_if<OwnBatches>(&planned.stages.front().op);
  return batches != nullptr && batches->cached;
}

std::string ms(std::int64_t ns) { return format_ms(static_cast<double>(ns)) + " ms"; }

}  // namespace

PeerFolder::PeerFolder(std::int64_t bytes) {
  if (has_room(in_memory, bytes)) path_ = make_in(in_memory);
  if (!path_.empty()) return;
  std::error_code unknown;
  const fs::path parent = fs::temp_directory_path(unknown);
  path_ = make_in(parent);
  if (path_.empty())
    throw std::runtime_error(fmt::format("no folder for a peer's arrays in {} or {}: {}", in_memory,
                                         parent.string(), system_error_text(errno)));
}

PeerFolder::~PeerFolder() { remove_folder(path_); }

PeerContender::PeerContender(const Case& planned, const PeerCommand& command,
                             const PeerLimits& limits, GroupMemory& memory, RunContext& context)
    : work_(planned),
      limits_(limits),
      memory_(memory),
      context_(context),
      process_(planned.peer, command, context.interrupted),
      cold_files_(planned) {
  ask({"hello", hello_request(), limits_.hello_seconds},
      [&](const std::string& line) { version_ = read_hello(line); });
}

PeerContender::~PeerContender() {
  if (failed_) return;
  try {
    process_.end(close_request(), duration(limits_.end_seconds));
  } catch (const std::exception&) {
    // If the peer has not ended, the destructor of process_ kills it.
  }
}

/// Sends a request and calls `read` with the line of the answer.
PeerProcess::Answer PeerContender::ask(const Request& request,
                                       const std::function<void(const std::string&)>& read) {
  const bool before = std::exchange(failed_, true);
  auto answer = process_.ask(request.name, request.line, duration(request.seconds));
  try {
    read(answer.line);
  } catch (const Invalid& mistake) {
    throw std::runtime_error(process_.told(mistake.what()));
  } catch (const CannotRunHere& reason) {
    failed_ = before;
    throw CannotRunHere(fmt::format("peer {}: {}", work_.peer, reason.what()));
  }
  failed_ = before;
  return answer;
}

std::vector<View> PeerContender::inputs(std::size_t copy) {
  const SourceCopies copies = memory_.inputs(work_);
  const std::byte* const first = copies.first + (copy < copies.count ? copy * copies.stride : 0);
  std::vector<View> views;
  for (std::size_t i = 0; i < work_.inputs.size(); ++i)
    views.push_back(
        {.data = const_cast<std::byte*>(first) + copies.offsets[i], .desc = work_.values[i].desc});
  if (copy < copies.count) return views;
  made_.clear();
  for (View& view : views) {
    std::vector<std::byte> host(static_cast<std::size_t>(view.desc.bytes()));
    context_.backends.owner(view.desc.memory).copy(host.data(), view.data, host.size());
    view.desc.memory = Memory::Pageable;
    auto& moved = made_.emplace_back(host.size());
    moved_on({.data = host.data(), .desc = view.desc}, moved.data(), copy);
    view.data = moved.data();
  }
  return views;
}

bool PeerContender::has_network() const {
  return std::ranges::any_of(work_.stages, [](const Stage& stage) { return is_network(stage.op); });
}

bool PeerContender::has_own_code() const {
  return std::ranges::any_of(work_.stages,
                             [](const Stage& stage) { return is_own_code(stage.op); });
}

namespace {

/// Returns true if the case decodes files or resizes uint8 images. The values are then rounded to
/// 8 bits on the way, which libraries do differently.
bool decodes_or_resizes_bytes(const Case& planned) {
  const Load* const load = planned.loader();
  if (load != nullptr && load->storage == Storage::Image) return true;
  return std::ranges::any_of(planned.stages, [](const Stage& stage) {
    return std::holds_alternative<Resize>(stage.op) &&
           stage.signature.out.front().dtype == DType::UInt8;
  });
}

}  // namespace

void PeerContender::prepare() {
  const PeerFolder folder(input_bytes(work_));
  std::vector<std::string> paths;
  for (const View& view : inputs(0)) {
    paths.push_back(folder.file(fmt::format("{}.npy", paths.size())));
    write_array(paths.back(), view, context_.backends);
  }
  const std::string files = write_file_list(folder);
  const std::size_t copies = memory_.inputs(work_).count;
  // The output of a network is compared with the outputs of other variants. So all copies of the
  // inputs must be equal.
  const bool unlike = !work_.inputs.empty() && !has_network();
  ask({"prepare",
       prepare_request(work_, copies, unlike, paths, files, device_number(context_.backends)),
       limits_.prepare_seconds},
      [&](const std::string& line) { ready_ = read_ready(line); });
  if (!unlike) ready_.unlike = 1;
  if (ready_.psnr_db > 0 && !decodes_or_resizes_bytes(work_))
    throw std::runtime_error(
        process_.told(" reports a \"psnr\", but it decodes no images and resizes none of uint8"));
}

/// Writes a JSON file with the names of the files that the case loads, in order. A request that
/// contained the names could be too long for one line. Returns the path of the JSON file; "" if the
/// case loads no files.
std::string PeerContender::write_file_list(const PeerFolder& folder) const {
  const Load* const load = work_.loader();
  if (load == nullptr) return "";
  std::string path = folder.file("files.json");
  try {
    write_file(path, Json(load->walk().files()).dump());
  } catch (const Json::type_error&) {
    throw CannotRunHere(
        "the name of a file is not UTF-8, so that it cannot be sent to a peer as JSON");
  }
  return path;
}

PeerTurn PeerContender::run(std::int64_t iterations, std::int64_t warmup_ns, std::int64_t first) {
  PeerTurn turn;
  last_item_ = first + iterations - 1;
  const double seconds = limits_.turn_seconds + static_cast<double>(warmup_ns) * 1e-9;
  const auto answer =
      ask({"run", run_request(iterations, warmup_ns, first), seconds},
          [&](const std::string& line) { turn = read_ran(line, work_.stages.size()); });
  for (const std::int64_t told : {turn.wall_ns, turn.device_ns})
    if (told > answer.took.count())
      throw std::runtime_error(process_.told(
          fmt::format(" reports {} for a turn that took {}", ms(told), ms(answer.took.count()))));
  if (turn.wall_ns <= 0)
    throw std::runtime_error(process_.told(fmt::format(" reports {} ns for a turn", turn.wall_ns)));
  return turn;
}

std::int64_t PeerContender::first_call() {
  cold_files_.drop();
  return run(1, 0).wall_ns;
}

namespace {

/// Returns a note with the names of the values that the peer rounds to the dtype of its output. The
/// error bounds are wider because of this rounding. Returns "" if the peer rounds none.
std::string rounds_text(const Rounds& rounds) {
  if (rounds.empty()) return "";
  Note note{.kind = Note::Kind::Allowance};
  for (const Narrow held : rounds) note.names.emplace_back(name_of(held));
  return sentence(note);
}

}  // namespace

bool PeerContender::has_own_loader() const { return is_own_loader(work_.stages.front().op); }

CheckOutcome PeerContender::ask_what_was_given() {
  Note note{.kind = Note::Kind::OwnCode};
  for (const Stage& stage : work_.stages)
    if (is_own_code(stage.op)) note.names.emplace_back(name_of(stage.op));
  CheckOutcome outcome{
      .result = {.ok = true, .held_to = HeldTo::Nothing}, .reason = "", .note = sentence(note)};
  // The peer has two further batches made, which takes at most ten seconds, to count the copies.
  constexpr double counting_seconds = 20;
  ask({"output", output_request({}), limits_.turn_seconds + counting_seconds},
      [&](const std::string& line) { outcome.given = read_given(line); });
  return outcome;
}

CheckOutcome PeerContender::check(const std::function<bool()>& is_over) {
  if (has_own_code()) return ask_what_was_given();
  // The outputs of networks are compared with one another for item 0 of the dataset. So if the
  // latest run ended with another item, the peer runs item 0 again.
  if (has_network() && work_.loader() != nullptr && last_item_ > 0) run(1, 0);
  CheckOutcome outcome = compare({}, is_over);
  if (ready_.unlike == 1 && !work_.inputs.empty() && outcome.note.empty() && !has_network())
    outcome.note = sentence({.kind = Note::Kind::SameInput, .names = {work_.peer}});
  return outcome;
}

std::optional<CheckOutcome> PeerContender::check_recent(std::mt19937_64& random) {
  if (has_network() || has_own_code()) return std::nullopt;
  CheckOutcome outcome = compare(drawn_image(work_, random));
  // Every second check also makes and checks one more call. Two successive calls show a fault that
  // occurs only in every second call. If the peer has a copy of the inputs that no turn uses, the
  // call runs on that copy.
  if (drawn_++ % 2 == 0 && outcome.result.ok) {
    const auto copies = static_cast<std::int64_t>(memory_.inputs(work_).count);
    if (ready_.unlike > copies)
      ask({"run", run_on_request(static_cast<std::size_t>(copies)), limits_.turn_seconds},
          [&](const std::string& line) { read_ran(line, work_.stages.size()); });
    else
      run(1, 0);
    last_item_ = 0;
    CheckOutcome next = compare(drawn_image(work_, random));
    next.result.add(outcome.result);
    outcome = std::move(next);
  }
  // The peer must be idle before the next turn, so that it does not disturb that turn.
  process_.settle(duration(limits_.settle_seconds));
  return outcome;
}

CheckOutcome PeerContender::compare(std::optional<ImageRange> only,
                                    const std::function<bool()>& is_over) {
  const PeerFolder folder(work_.output_bytes());
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < work_.outputs.size(); ++i)
    paths.push_back(folder.file(i == 0 ? "output.npy" : fmt::format("output{}.npy", i)));
  std::int64_t copy = 0;
  ask({"output", output_request(paths), limits_.turn_seconds},
      [&](const std::string& line) { copy = read_written(line); });
  if (ready_.unlike == 1) copy = 0;
  if (copy >= ready_.unlike)
    throw std::runtime_error(process_.told(fmt::format(
        " reports a result of copy {} of the input, but it has {}", copy, ready_.unlike)));
  try {
    std::vector<std::unique_ptr<ArrayFile>> files;
    std::vector<View> outputs;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      TensorDesc desc = work_.values[work_.outputs[i]].desc;
      desc.memory = Memory::Pageable;
      outputs.push_back(files.emplace_back(std::make_unique<ArrayFile>(paths[i], desc))->view());
    }
    Case held = work_;
    for (Stage& stage : held.stages)
      stage.op = with_filter(with_rounds(stage.op, ready_.rounds), ready_.filter);
    CheckOutcome outcome =
        check_output(held, inputs(static_cast<std::size_t>(copy)), outputs, context_.backends,
                     last_item_, ready_.psnr_db, only, is_over);
    if (outcome.note.empty()) outcome.note = rounds_text(ready_.rounds);
    return outcome;
  } catch (const Invalid& mistake) {
    throw std::runtime_error(process_.told(fmt::format(" wrote {}", mistake.what())));
  }
}

TurnShape PeerContender::shape_of_epochs(double clock_cost_ns) {
  const std::int64_t start_ns = context_.clock.now_ns();
  const LoaderTimes times = loader_times(ready_.epoch, [&](std::int64_t iterations) {
    return static_cast<double>(run(iterations, 0).wall_ns);
  });
  const std::int64_t end_ns = context_.clock.now_ns();
  process_.settle(duration(limits_.settle_seconds));
  const auto between_ns = static_cast<double>(context_.clock.now_ns() - end_ns);
  const double outside_ns =
      std::max(0.0, static_cast<double>(end_ns - start_ns) - times.spent_ns) / times.runs;
  return {.iterations =
              whole_epochs(iterations_per_turn(times.batch_ns, clock_cost_ns), ready_.epoch, times),
          .epoch = ready_.epoch,
          .marks = true,
          .iteration_ns = times.batch_ns,
          .beside_ns = times.start_ns + outside_ns + between_ns};
}

TurnShape PeerContender::shape_of_turns(double clock_cost_ns) {
  if (has_own_loader()) return shape_of_epochs(clock_cost_ns);
  const std::int64_t warmup_ns = asked_warm_up_ns(work_, {});
  // Times of the latest run. `turn_ns`: the whole request, including the warm-up. `timed_ns`: the
  // turn without the warm-up, as the peer reports it.
  double turn_ns = 0, timed_ns = 0;
  const double iteration_ns = iteration_in_burst_ns(context_.clock, [&](std::int64_t iterations) {
    const std::int64_t start_ns = context_.clock.now_ns();
    timed_ns = static_cast<double>(run(iterations, warmup_ns).wall_ns);
    turn_ns = static_cast<double>(context_.clock.now_ns() - start_ns);
    return timed_ns;
  });
  const std::int64_t start_ns = context_.clock.now_ns();
  process_.settle(duration(limits_.settle_seconds));
  cold_files_.drop();
  const auto between_ns = static_cast<double>(context_.clock.now_ns() - start_ns);
  // `marks` is always true, because a peer times its stages either in every turn or never. So it
  // takes no staged turns, which only time stages.
  const std::int64_t enough = std::max(iterations_per_turn(iteration_ns, clock_cost_ns),
                                       iterations_of_an_epoch(work_, iteration_ns));
  return {.iterations = std::min(enough, cold_files_.most_items()),
          .most_iterations = cold_files_.most_items(),
          .marks = true,
          .iteration_ns = iteration_ns,
          .beside_ns = std::max(0.0, turn_ns - timed_ns) + between_ns};
}

/// Returns the times of all stages. Returns an empty list if the peer does not report the times of
/// all stages. Also returns an empty list if the case uses a GPU, because the reported times are
/// then those of the host's calls.
std::vector<std::int64_t> PeerContender::stage_times(const PeerTurn& turn) {
  std::vector<std::int64_t> times;
  std::int64_t sum_ns = 0;
  for (const auto& ns : turn.stage_ns) {
    if (ns) times.push_back(*ns);
    sum_ns += std::min(ns.value_or(0), turn.wall_ns + 1);
  }
  if (sum_ns > turn.wall_ns)
    throw std::runtime_error(process_.told(
        fmt::format(" reports spans of {} in a turn of {}", ms(sum_ns), ms(turn.wall_ns))));
  return times.size() < turn.stage_ns.size() || work_.uses_gpu() ? std::vector<std::int64_t>()
                                                                 : times;
}

Turn PeerContender::take_turn(const TurnShape& shape, std::mt19937_64&) {
  cold_files_.drop();
  const std::vector<QueueDelay> delays = queue_delays(process_.tasks());
  const std::int64_t busy_ns = busy_processors_ns(processor_times);
  const std::int64_t asked_ns = context_.clock.now_ns();
  // With cold files (dropped from the page cache before the turn), there is no warm-up. A warm-up
  // would bring files into memory, and the workers of the peer would read further files ahead. The
  // user's own loader gets no warm-up either, because its workers would start once more.
  const bool is_warmed_up = !cold_files_.any() && (!has_own_loader() || is_cached(work_));
  const PeerTurn told =
      run(shape.iterations, is_warmed_up ? asked_warm_up_ns(work_, shape) : 0, shape.first);
  const std::int64_t whole_ns = context_.clock.now_ns() - asked_ns;
  auto delay_ns = longest_delay(delays, queue_delays(process_.tasks()), whole_ns);
  // The main process of the user's own loader also waits for a processor while its own workers use
  // the processors. So `delay_ns` is at most the processor time that other programs used.
  if (has_own_loader() && busy_ns > 0)
    delay_ns = std::min(delay_ns, time_of_others(busy_processors_ns(processor_times) - busy_ns,
                                                 told.cpu_ns + told.after_cpu_ns));
  Turn turn;
  turn.round.wall_ns = told.wall_ns;
  // It is not known when within `whole_ns` the peer waited for a processor. So the turn gets the
  // share of the wait that is equal to its share of `whole_ns`.
  if (whole_ns > 0)
    turn.round.queued_ns =
        std::llround(static_cast<double>(delay_ns) / static_cast<double>(whole_ns) *
                     static_cast<double>(told.wall_ns));
  turn.round.device_ns = told.device_ns;
  turn.round.cpu_ns = told.cpu_ns;
  turn.round.start_ns = std::max(asked_ns, context_.clock.now_ns() - told.wall_ns);
  turn.round.counters.minor_faults = told.minor_faults;
  turn.round.counters.major_faults = told.major_faults;
  turn.stage_ns = turn.calls_ns = stage_times(told);
  process_.settle(duration(limits_.settle_seconds));
  return turn;
}

}  // namespace normbench
