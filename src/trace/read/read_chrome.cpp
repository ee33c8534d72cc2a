#include "trace/read/read_chrome.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/issue.h"
#include "trace/losses.h"
#include "trace/read/chrome_event.h"
#include "trace/read/event_reader.h"

namespace normbench {
namespace {

/// Ids of places that the file names by texts start here, beyond any thread's or device's number.
constexpr std::int64_t first_text_id = std::int64_t{1} << 62;

bool parent_first(const TraceSlice& a, const TraceSlice& b) {
  return std::tuple(a.start_ns, -a.end_ns, a.depth) < std::tuple(b.start_ns, -b.end_ns, b.depth);
}

/// Pairs of begin and end nest by their order in the file, which their depth keeps. Of other slices
/// with the same times the later one is the parent where the file has slices as they end, and the
/// earlier one elsewhere.
void put_in_order(std::vector<TraceSlice>& slices) {
  if (std::ranges::is_sorted(slices, parent_first)) return;
  if (std::ranges::is_sorted(slices, {}, &TraceSlice::end_ns)) std::ranges::reverse(slices);
  std::ranges::stable_sort(slices, parent_first);
}

bool is_over_link(std::string_view name) {
  return name.find("HtoD") != std::string_view::npos || name.find("DtoH") != std::string_view::npos;
}

/// The losses that normbench wrote of its own trace; 0 for those that it did not.
TraceLosses losses_said(const Json& about) {
  TraceLosses losses;
  const Json said = about.value("losses", Json::object());
  for (const LossField& field : loss_fields())
    if (const auto found = said.find(std::string(field.name));
        found != said.end() && found->is_number_integer())
      losses.*field.value = found->get<std::int64_t>();
  return losses;
}

bool has_slice(const TraceModel& model, bool (*wanted)(TraceKind)) {
  return std::ranges::any_of(model.lanes, [&](const TraceLane& lane) {
    return std::ranges::any_of(lane.slices, wanted, &TraceSlice::kind);
  });
}

/// Keeps slices of torch's categories. Where there are none of these, the trace is another tool's
/// and all its slices are those of ops.
class EventModel {
 public:
  void add(const ChromeEvent& event) {
    if (event.phase == "X")
      add_slice(event, event.start_ns && event.duration_ns
                           ? std::optional(*event.start_ns + *event.duration_ns)
                           : std::nullopt);
    else if (event.phase == "B")
      open(event);
    else if (event.phase == "E")
      close(event);
    else if (event.phase == "M")
      add_meta(event);
  }

  /// The model with its lanes in order, and a mark for each kind of event that could not be used.
  /// `about` is what the file's writer said of it (null: nothing), its losses among this; else they
  /// are counted. Call once.
  TraceModel take(const Json& about) {
    for (const std::vector<ChromeEvent>& opened : open_)
      for (const ChromeEvent& event : opened) note(never_closed_, event.line);
    settle_others();
    for (TraceLane& lane : model_.lanes) put_in_order(lane.slices);
    if (about.is_object()) {
      model_.metadata["normbench"] = about;
      model_.losses = losses_said(about);
    } else {
      count_losses();
    }
    mark(without_times_, "slices left out: no ts or dur, or a negative dur");
    mark(never_closed_, "\"B\" events left out: no \"E\" closes them");
    mark(never_opened_, "\"E\" events left out: no \"B\" opens them");
    return std::move(model_);
  }

 private:
  /// Events of one kind that could not be used.
  struct Unused {
    std::int64_t count = 0;
    std::size_t first_line = 0;
  };
  using Place = std::pair<std::int64_t, std::int64_t>;  // pid, tid

  void open(const ChromeEvent& event) {
    const std::size_t lane = lane_of(event);
    open_.resize(std::max(open_.size(), lane + 1));
    open_[lane].push_back(event);
  }

  void close(const ChromeEvent& event) {
    const std::size_t lane = lane_of(event);
    if (lane >= open_.size() || open_[lane].empty()) return note(never_opened_, event.line);
    const ChromeEvent opened = std::move(open_[lane].back());
    open_[lane].pop_back();
    add_slice(opened, event.start_ns, static_cast<std::uint32_t>(open_[lane].size()));
  }

  void add_slice(const ChromeEvent& event, std::optional<std::int64_t> end_ns,
                 std::uint32_t depth = 0) {
    const std::optional<TraceKind> kind = kind_of_category(event.category);
    has_known_ |= kind != TraceKind::Other;
    if (!kind || (kind == TraceKind::Other && has_known_)) return;
    if (!event.start_ns || !end_ns || *end_ns < *event.start_ns)
      return note(without_times_, event.line);
    TraceLane& lane = model_.lanes[lane_of(event)];
    TraceSlice& slice = lane.slices.emplace_back();
    slice.start_ns = *event.start_ns;
    slice.end_ns = *end_ns;
    slice.name = model_.name(event.name);
    slice.kind = *kind;
    slice.depth = depth;
    slice.bytes = event.bytes;
    slice.external_id = event.external_id;
    slice.correlation = event.correlation;
    if (!event.shapes.empty()) slice.shapes = model_.name(event.shapes);
    if (!event.label.empty()) slice.label = model_.name(event.label);
    if (!is_on_gpu(*kind)) return;
    process_of(lane.pid).is_device = true;
    slice.details = number_of_details(
        {.device = event.device >= 0 ? event.device : lane.pid,
         .stream = event.stream,
         .over_link = event.over_link || (kind == TraceKind::GpuMemcpy && is_over_link(slice.name)),
         .from_marks = kind == TraceKind::GpuUserAnnotation && event.source == "cuda_event"});
  }

  void add_meta(const ChromeEvent& event) {
    const std::int64_t pid = number_of(event.pid, event.pid_text);
    if (event.name == "process_name") process_of(pid).name = event.arg_name;
    if (event.name == "process_labels") process_of(pid).labels = event.labels;
    if (event.name == "process_sort_index") process_of(pid).sort_index = event.sort_index;
    if (event.name == "thread_name") model_.lanes[lane_of(event)].name = event.arg_name;
  }

  std::int64_t number_of(std::int64_t id, const std::string& text) {
    if (text.empty()) return id;
    const auto next = first_text_id + static_cast<std::int64_t>(ids_.size());
    return ids_.try_emplace(text, next).first->second;
  }

  std::size_t lane_of(const ChromeEvent& event) {
    const Place place(number_of(event.pid, event.pid_text), number_of(event.tid, event.tid_text));
    if (place == last_place_ && !model_.lanes.empty()) return last_lane_;
    const auto [found, is_new] = lanes_.try_emplace(place, model_.lanes.size());
    if (is_new) model_.lanes.push_back({.pid = place.first, .tid = place.second, .name = ""});
    last_place_ = place;
    last_lane_ = found->second;
    return last_lane_;
  }

  TraceProcess& process_of(std::int64_t pid) {
    const auto found = std::ranges::find(model_.processes, pid, &TraceProcess::pid);
    if (found != model_.processes.end()) return *found;
    return model_.processes.emplace_back(TraceProcess{.pid = pid, .name = "", .labels = ""});
  }

  std::int32_t number_of_details(const DeviceDetails& details) {
    const auto [found, is_new] = details_.try_emplace(
        {details.device, details.stream, details.over_link, details.from_marks},
        static_cast<std::int32_t>(model_.details.size()));
    if (is_new) model_.details.push_back(details);
    return found->second;
  }

  void settle_others() {
    for (TraceLane& lane : model_.lanes) {
      if (has_known_)
        std::erase_if(lane.slices, [](const TraceSlice& s) { return s.kind == TraceKind::Other; });
      for (TraceSlice& slice : lane.slices)
        if (slice.kind == TraceKind::Other) slice.kind = TraceKind::CpuOp;
    }
    std::erase_if(model_.lanes, [](const TraceLane& lane) { return lane.slices.empty(); });
  }

  /// As finish_model() does. Work that begins before its call is not moved, so it is no loss.
  void count_losses() {
    if (!has_slice(model_, is_call) || !has_slice(model_, is_gpu_work)) return;
    const EarlyWork early = count_launches(model_.lanes, model_.lanes, model_.losses);
    if (early.pieces > 0)
      mark(
          fmt::format("{} pieces of device work begin before their call, by {} ns at most: the "
                      "clocks of host and device differ",
                      early.pieces, early.most_ns));
  }

  static void note(Unused& unused, std::size_t line) {
    if (unused.count++ == 0) unused.first_line = line;
  }
  void mark(const Unused& unused, std::string_view what) {
    if (unused.count > 0)
      mark(fmt::format("{} {} (the first on line {})", unused.count, what, unused.first_line));
  }
  void mark(std::string sentence) {
    model_.marks.push_back({.ns = 0, .name = std::move(sentence)});
  }

  TraceModel model_;
  std::map<Place, std::size_t> lanes_;
  Place last_place_{};
  std::size_t last_lane_ = 0;
  std::vector<std::vector<ChromeEvent>> open_;            // "B" events, by lane
  std::map<std::string, std::int64_t, std::less<>> ids_;  // of pids and tids that are texts
  std::map<std::tuple<std::int64_t, std::int64_t, bool, bool>, std::int32_t> details_;
  bool has_known_ = false;
  Unused without_times_, never_closed_, never_opened_;
};

}  // namespace

TraceModel read_chrome(std::istream& in, const std::string& name) {
  EventModel model;
  Json about;
  try {
    about = read_events(in, [&](const ChromeEvent& event) { model.add(event); });
  } catch (const Invalid& invalid) {
    throw Invalid(fmt::format("{}: {}", name, invalid.what()));
  }
  return model.take(about);
}

}  // namespace normbench
