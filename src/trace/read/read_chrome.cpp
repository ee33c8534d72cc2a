#include "trace/read/read_chrome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/issue.h"
#include "core/saturated.h"
#include "core/units.h"
#include "trace/losses.h"
#include "trace/read/chrome_event.h"
#include "trace/read/event_reader.h"

namespace normbench {
namespace {

/// Pids and tids that are texts get numbers from this one on. They are above the numbers of all
/// threads and devices.
constexpr std::int64_t first_text_id = std::int64_t{1} << 62;

constexpr std::int64_t us = 1000;  // in nanoseconds

bool is_over_link(std::string_view name) {
  return name.find("HtoD") != std::string_view::npos || name.find("DtoH") != std::string_view::npos;
}

/// Returns true for PyTorch's ranges of collective operations (such as all-reduce). Such a range
/// begins on one thread and ends on another. Its name starts with the name of one of PyTorch's
/// communication backends.
bool is_collective(std::string_view name) {
  constexpr auto backends =
      std::to_array<std::string_view>({"gloo:", "nccl:", "mpi:", "ucc:", "xccl:"});
  return std::ranges::any_of(backends,
                             [&](std::string_view backend) { return name.starts_with(backend); });
}

/// Returns the name without the duration that Paddle writes after it, as in "mean[9.314 us]". Cuts
/// the name only if the text in brackets equals `duration_ns`, up to rounding.
std::string_view without_duration(std::string_view name, std::int64_t duration_ns) {
  const auto open = name.rfind('[');
  if (!name.ends_with(']') || open == std::string_view::npos || open == 0) return name;
  const std::string_view text = name.substr(open + 1, name.size() - open - 2);
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return name;
  const std::string_view unit = text.substr(blank + 1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + blank, value);
  if (error != std::errc() || end != text.data() + blank) return name;
  const double ns = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9;
  const bool is_unit = unit == "ns" || unit == "us" || unit == "ms" || unit == "s";
  const double rounding = 0.00051 * ns + 0.5;  // the name has three decimals
  return is_unit && std::abs(value * ns - static_cast<double>(duration_ns)) <= rounding
             ? name.substr(0, open)
             : name;
}

/// Returns the losses in `about`, the object that normbench wrote about its own trace. A loss that
/// is missing there is 0.
TraceLosses losses_said(const Json& about) {
  TraceLosses losses;
  const Json said = about.value("losses", Json::object());
  for (const LossField& field : loss_fields())
    if (const auto found = said.find(std::string(field.name));
        found != said.end() && found->is_number_integer())
      losses.*field.value = found->get<std::int64_t>();
  return losses;
}

bool has_slice(const ReadTrace& trace, bool (*wanted)(TraceKind)) {
  for (const ReadLane& lane : trace.lanes)
    for (const TraceSlice& slice : lane.slices)
      if (wanted(slice.kind)) return true;
  return false;
}

/// Returns the warning about a fault that is tolerated.
std::string_view sentence(Leniency what) {
  switch (what) {
    case Leniency::OpenArray:
      return "the array of events has no end: its writer may have been killed";
    case Leniency::ExtraComma:
      return "not JSON: a comma before ] or }";
    case Leniency::NotANumber:
      return "not JSON: NaN or infinity for a number";
    case Leniency::NotUnicode:
      return "not JSON: text that is no Unicode, shown as \uFFFD";
    case Leniency::DeepArgs:
      return "args nested deeper than 64 levels, which no table needs";
  }
  return "";
}

/// Collects slices. After the last event, it selects those that are shown in tables. If PyTorch or
/// normbench wrote the trace, it selects the slices with PyTorch's categories. Otherwise it selects
/// all slices, and they become ops.
class EventModel {
 public:
  void add(const ChromeEvent& event) {
    switch (event.phase.size() == 1 ? event.phase[0] : '\0') {
      case 'X':
        return add_complete(event);
      case 'B':
        return open(event);
      case 'E':
        return close(event);
      case 'b':
      case 'S':
        return open_async(event);
      case 'e':
      case 'F':
        return close_async(event);
      case 'i':
      case 'I':
        return add_memory(event);
      default:
        return;  // counters, flows, objects and other events without a duration
    }
  }

  /// Returns the trace with sorted lanes, and with a mark for each kind of event that could not be
  /// used. Call this once.
  ReadTrace take(const TraceFacts& facts) {
    for (ReadLane& lane : trace_.lanes) lane.slices.finish();
    settle_kinds(facts);
    settle_times();
    trace_.profiles_memory = facts.profiles_memory;
    std::erase_if(trace_.lanes, [](const ReadLane& lane) { return lane.slices.empty(); });
    for (ReadLane& lane : trace_.lanes) lane.slices.put_in_order();
    if (facts.about.is_object()) {
      trace_.about = facts.about;
      trace_.losses = losses_said(facts.about);
    } else {
      count_losses();
      mark_left_out();
      mark_unknown_names();
      mark_crossings();
    }
    mark_facts(facts);
    mark_unused();
    return std::move(trace_);
  }

 private:
  using Count = TraceFacts::Count;

  struct Category {
    std::string name;
    TraceKind kind, old_kind;
    Count slices;
  };
  struct Place {
    std::int64_t pid = 0, tid = 0;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const {
      return mixed(mixed(hash_seed(), static_cast<std::uint64_t>(place.pid)),
                   static_cast<std::uint64_t>(place.tid));
    }
  };
  /// A slice whose begin event was read, and whose end is not yet known.
  struct Begun {
    TraceSlice slice;
    bool has_start = false;
    std::size_t category = 0, lane = 0, line = 0;
  };

  /// The open async slices with one id. Each slice has a number. Later slices have larger numbers.
  /// `begun` maps a name to its open slices. `order` has the names and numbers of the slices in the
  /// order in which they began. It may still contain slices that have ended.
  struct AsyncId {
    std::unordered_map<std::string_view, std::vector<std::pair<std::uint64_t, Begun>>> begun;
    std::vector<std::pair<std::string_view, std::uint64_t>> order;
  };

  // --- slices

  void add_complete(const ChromeEvent& event) {
    if (event.name == "profile_truncated" && event.dropped_events > 0) {
      dropped_ = saturated_sum(dropped_, event.dropped_events);
      return;
    }
    if (event.has_count && event.has_mean && event.name.starts_with("Total "))
      return sums_.add(event.line);
    Begun begun = begin(event);
    if (!event.start_ns || !event.duration_ns) return without_times_.add(event.line);
    if (*event.duration_ns < 0) return negative_.add(event.line);
    if (begun.lane < open_.size())
      begun.slice.depth = static_cast<std::uint32_t>(open_[begun.lane].size());
    finish(begun, *event.start_ns + *event.duration_ns);
  }

  void open(const ChromeEvent& event) {
    Begun begun = begin(event);
    if (!may_open(event.line)) return;
    open_.resize(std::max(open_.size(), begun.lane + 1));
    begun.slice.depth = static_cast<std::uint32_t>(open_[begun.lane].size());
    open_[begun.lane].push_back(std::move(begun));
  }

  /// If fewer than `most_open` slices are open, counts one more open slice and returns true.
  /// Otherwise counts the event as left out and returns false.
  bool may_open(std::size_t line) {
    if (open_now_ >= most_open) {
      too_many_open_.add(line);
      return false;
    }
    ++open_now_;
    return true;
  }

  /// Closes the latest open slice with the name of the event. Searches only the latest
  /// `most_looked_at` open slices. If the event has no name, or the search finds none, closes the
  /// latest open slice. Slices that began after the closed slice stay open until an event closes
  /// them.
  void close(const ChromeEvent& event) {
    const std::size_t lane = lane_of(event);
    if (lane >= open_.size() || open_[lane].empty()) return never_opened_.add(event.line);
    std::vector<Begun>& open = open_[lane];
    constexpr std::size_t most_looked_at = 100;
    std::size_t at = open.size() - 1;
    if (!event.name.empty() && open[at].slice.name != event.name)
      for (std::size_t i = 0; i < std::min(open.size(), most_looked_at); ++i)
        if (open[open.size() - 1 - i].slice.name == event.name) {
          at = open.size() - 1 - i;
          break;
        }
    const Begun begun = std::move(open[at]);
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
    --open_now_;
    finish(begun, event.start_ns);
  }

  /// Returns a key that is the same for the begin event and the end event of an async slice.
  static std::string async_key(const ChromeEvent& event) {
    const bool old = event.phase == "S" || event.phase == "F";
    std::string key =
        fmt::format("{}\n{}\n{}\n{}", old ? 'S' : 'b', event.category, event.scope, event.id);
    if (event.local_id) key += fmt::format("\n{}\n{}", event.pid, event.pid_text);
    return key;
  }

  void open_async(const ChromeEvent& event) {
    if (!may_open(event.line)) return;
    Begun begun = begin(event);
    begun.slice.async = true;
    AsyncId& id = open_async_[async_key(event)];
    id.order.emplace_back(begun.slice.name, ++last_async_);
    id.begun[begun.slice.name].emplace_back(last_async_, std::move(begun));
  }

  /// Closes the latest open slice with the id and name of the event. If the event has no name,
  /// closes the latest open slice with its id.
  void close_async(const ChromeEvent& event) {
    const auto found = open_async_.find(async_key(event));
    if (found == open_async_.end()) return async_never_opened_.add(event.line);
    AsyncId& id = found->second;
    std::string_view name = event.name;
    while (event.name.empty() && !id.order.empty()) {
      const auto [latest, number] = id.order.back();
      const auto same = id.begun.find(latest);
      name = latest;
      if (same != id.begun.end() && same->second.back().first == number) break;
      id.order.pop_back();  // the slice has ended
    }
    const auto named = id.begun.find(name);
    if (named == id.begun.end()) return async_never_opened_.add(event.line);
    finish(named->second.back().second, event.start_ns);
    named->second.pop_back();
    --open_now_;
    if (named->second.empty()) id.begun.erase(named);
    if (id.begun.empty()) open_async_.erase(found);
  }

  /// Returns the slice that `event` begins, without an end.
  Begun begin(const ChromeEvent& event) {
    Begun begun{.slice = {},
                .has_start = event.start_ns.has_value(),
                .category = category_of(event.category),
                .lane = lane_of(event),
                .line = event.line};
    TraceSlice& slice = begun.slice;
    const Category& category = categories_[begun.category];
    slice.start_ns = event.start_ns.value_or(0);
    slice.name = trace_.table->name(without_duration(event.name, event.duration_ns.value_or(-1)));
    slice.kind = category.kind;
    // PyTorch counts a range as async if it is a collective operation, or if it was still open when
    // the profile stopped.
    slice.async =
        slice.kind == TraceKind::UserAnnotation && (event.unfinished || is_collective(slice.name));
    slice.bytes = event.bytes;
    slice.external_id = event.external_id;
    // CUPTI's correlations start at 1, so 0 means none.
    slice.correlation = event.correlation > 0 ? event.correlation : -1;
    if (!event.shapes.empty()) slice.shapes = trace_.table->name(event.shapes);
    if (!event.label.empty()) slice.label = trace_.table->name(event.label);
    has_external_id_ |= event.external_id != 0;
    has_operator_ |= category.old_kind == TraceKind::CpuOp;
    has_common_ |= category.kind != TraceKind::Other;
    has_profiler_span_ |= event.category == "Trace" && event.name.starts_with("PyTorch Profiler");
    has_device_work_ |= is_gpu_work(kind_of(category)) && event.device >= 0 && event.stream >= 0 &&
                        event.correlation >= 0;
    const TraceKind kind = kind_of(category);
    if (is_on_gpu(kind))
      slice.details = number_of_details(
          {.device = event.device >= 0 ? event.device : trace_.lanes[begun.lane].pid,
           .stream = event.stream,
           .over_link =
               event.over_link || (kind == TraceKind::GpuMemcpy && is_over_link(slice.name)),
           .from_marks = kind == TraceKind::GpuUserAnnotation && event.source == "cuda_event"});
    return begun;
  }

  /// Returns the kind that the slices of a category have if PyTorch wrote the file.
  static TraceKind kind_of(const Category& category) {
    return category.kind == TraceKind::Other ? category.old_kind : category.kind;
  }

  /// Returns true for the kinds that have no rows: waits for streams, and the shares of worker
  /// threads in a stage. The time of these shares is in the row of the stage.
  static bool is_hidden(TraceKind kind) {
    return kind == TraceKind::CudaSync || kind == TraceKind::CpuThread;
  }

  /// Stores the slice with the end `end_ns`, if the slice is valid. Does not store it if it is
  /// already certain that no table shows it.
  void finish(const Begun& begun, std::optional<std::int64_t> end_ns) {
    if (!begun.has_start || !end_ns) return without_times_.add(begun.line);
    if (*end_ns < begun.slice.start_ns) return negative_.add(begun.line);
    Category& category = categories_[begun.category];
    category.slices.add(begun.line);
    if (category.kind == TraceKind::UserAnnotation && begun.slice.name == "unknown")
      ++unknown_names_;
    has_known_ |= category.kind != TraceKind::Other && !is_common_word(category.name);
    const bool unknown = category.kind == TraceKind::Other && category.old_kind == TraceKind::Other;
    const bool hidden = is_hidden(category.kind);
    if (has_known_ && (hidden || unknown)) return;
    if (begun.slice.start_ns == 0) at_zero_.add(begun.line);
    TraceSlice slice = begun.slice;
    slice.end_ns = *end_ns;
    trace_.lanes[begun.lane].slices.push_back(slice, static_cast<std::uint16_t>(begun.category));
  }

  // --- other events

  void add_memory(const ChromeEvent& event) {
    if (event.name != "[memory]" || event.allocated_bytes == 0) return;
    if (!event.start_ns) return without_times_.add(event.line);
    trace_.memory.push_back({.ns = *event.start_ns,
                             .bytes = event.allocated_bytes,
                             .on_device = event.device_type != 0});
  }

  // --- numbers for pids and tids that are texts; indices of lanes and categories

  std::int64_t number_of(std::int64_t id, const std::string& text) {
    if (text.empty()) return id;
    const auto next = first_text_id + static_cast<std::int64_t>(ids_.size());
    return ids_.try_emplace(text, next).first->second;
  }

  std::size_t lane_of(const ChromeEvent& event) {
    const Place place{number_of(event.pid, event.pid_text), number_of(event.tid, event.tid_text)};
    if (place == last_place_ && !trace_.lanes.empty()) return last_lane_;
    const auto [found, is_new] = lanes_.try_emplace(place, trace_.lanes.size());
    if (is_new)
      trace_.lanes.push_back(
          {.pid = place.pid, .tid = place.tid, .slices = PackedSlices(trace_.table)});
    last_place_ = place;
    last_lane_ = found->second;
    return last_lane_;
  }

  std::size_t category_of(const std::string& name) {
    if (categories_[last_category_].name == name) return last_category_;
    const auto found = numbers_of_categories_.find(name);
    if (found != numbers_of_categories_.end()) return last_category_ = found->second;
    const Category category{.name = name,
                            .kind = kind_of_category(name),
                            .old_kind = old_kind_of_category(name),
                            .slices = {}};
    // If there are `most_categories` categories already, all slices of a new unknown category
    // belong to category 0, "others".
    const bool known = category.kind != TraceKind::Other || category.old_kind != TraceKind::Other;
    if (categories_.size() >= most_categories && !known) return 0;
    last_category_ = categories_.size();
    numbers_of_categories_.emplace(name, last_category_);
    categories_.push_back(category);
    return last_category_;
  }

  std::int32_t number_of_details(const DeviceDetails& details) {
    const auto [found, is_new] = details_.try_emplace(
        {details.device, details.stream, details.over_link, details.from_marks},
        static_cast<std::int32_t>(trace_.details.size()));
    if (is_new) trace_.details.push_back(details);
    return found->second;
  }

  // --- at the end

  /// Returns true if PyTorch (or normbench) wrote the file. Other tools also use two sorts of
  /// PyTorch's categories: common words such as "kernel", and the categories of PyTorch before
  /// 1.12, some of which Paddle and ONNX Runtime use. A category of these two sorts counts as a
  /// sign of PyTorch only if the file also has a schema number or external ids.
  bool is_of_pytorch(const TraceFacts& facts) const {
    const bool signed_by_it = facts.has_schema_number || has_external_id_;
    return has_known_ || has_device_work_ || has_profiler_span_ ||
           ((has_operator_ || has_common_) && signed_by_it);
  }

  void settle_kinds(const TraceFacts& facts) {
    of_pytorch_ = is_of_pytorch(facts);
    trace_.nesting.shared_once = !of_pytorch_;
    std::vector<TraceKind> kinds;
    for (const Category& category : categories_) {
      const TraceKind kind = of_pytorch_ ? kind_of(category) : TraceKind::CpuOp;
      trace_.table->set_kind(static_cast<std::uint16_t>(kinds.size()), kind);
      kinds.push_back(kind);
    }
    const auto is_shown = [&](std::int64_t, std::uint16_t category) {
      return kinds[category] != TraceKind::Other && !is_hidden(kinds[category]);
    };
    if (!of_pytorch_) return;
    for (ReadLane& lane : trace_.lanes) lane.slices.keep_if(is_shown);
  }

  /// Removes the slices that start at 0, if 0 seems to stand for a missing time: at most half of
  /// all slices start at 0, and all others start at a time of one year or more. Also sets
  /// `start_error_ns` and `whole_times_`.
  void settle_times() {
    constexpr std::int64_t year = 365 * 86'400'000'000'000;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t at_zero = 0, others = 0;
    bool whole_starts = true, whole_ends = true;
    for (const ReadLane& lane : trace_.lanes)
      for (const TraceSlice& slice : lane.slices) {
        if (slice.start_ns == 0) {
          ++at_zero;
          continue;
        }
        first = std::min(first, slice.start_ns);
        ++others;
        whole_starts &= slice.start_ns % us == 0;
        whole_ends &= slice.end_ns % us == 0;
      }
    if (whole_starts && !whole_ends) trace_.nesting.start_error_ns = us - 1;
    whole_times_ = whole_starts && whole_ends;
    at_zero_.count = first >= year && others >= at_zero ? at_zero : 0;
    if (at_zero_.count == 0) return;
    for (ReadLane& lane : trace_.lanes)
      lane.slices.keep_if([](std::int64_t start_ns, std::uint16_t) { return start_ns != 0; });
  }

  /// Counts launches as finish_model() does. But finish_model() also moves work that starts before
  /// its call, and counts this work in `before_launch`. Here the work is not moved and not counted.
  /// A mark reports it instead.
  void count_losses() {
    trace_.losses.dropped = dropped_;
    if (!has_slice(trace_, is_call) || !has_slice(trace_, is_gpu_work)) return;
    const EarlyWork early = count_launches(trace_.lanes, trace_.losses);
    if (early.pieces > 0)
      mark(fmt::format(
          "{} of device work {} before the call, by {} us at most: the clocks of host and "
          "device differ",
          counted(early.pieces, "piece"), early.pieces == 1 ? "begins" : "begin",
          format_significant(static_cast<double>(early.most_ns) / 1000, 3)));
  }

  /// If PyTorch wrote the file, adds a mark about slices of unknown categories, because they have
  /// no rows.
  void mark_left_out() {
    if (!of_pytorch_) return;
    Count all;
    std::vector<std::string> names;
    for (const Category& category : categories_) {
      const bool shown = category.kind != TraceKind::Other || category.old_kind != TraceKind::Other;
      if (shown || category.slices.count == 0 || category.name == "Trace") continue;
      if (all.count == 0 || category.slices.first_line < all.first_line)
        all.first_line = category.slices.first_line;
      all.count += category.slices.count;
      names.push_back(category.name.empty() ? "\"\"" : on_one_line(category.name));
    }
    if (categories_[0].slices.count > 0) std::ranges::rotate(names, names.begin() + 1);
    constexpr std::size_t most = 5;
    const std::size_t more = names.size() - std::min(names.size(), most);
    names.resize(names.size() - more);
    mark(all, "slice",
         fmt::format("no rows for {} {}{}", names.size() == 1 ? "category" : "categories",
                     fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
  }

  /// Adds a mark about ranges that are named "unknown". PyTorch writes only names of ASCII
  /// characters without control characters, and writes "unknown" instead of any other name.
  void mark_unknown_names() {
    if (of_pytorch_ && unknown_names_ > 0)
      mark(fmt::format(
          "{} named \"unknown\": PyTorch writes this for names that it cannot write, so "
          "different ones share a row",
          counted(unknown_names_, "range")));
  }

  /// Adds a mark if slices of a thread begin inside another slice and end after it. Slices that end
  /// later by at most the error of the times are not counted.
  void mark_crossings() {
    std::int64_t crossings = 0, most_ns = 0;
    std::string_view first;
    std::vector<std::int64_t> open;  // the ends of the open slices
    for (const ReadLane& lane : trace_.lanes) {
      open.clear();
      for (const TraceSlice& slice : lane.slices) {
        if (is_on_gpu(slice.kind) || slice.async || slice.kind == TraceKind::PythonFunction)
          continue;
        while (!open.empty() && open.back() <= slice.start_ns) open.pop_back();
        std::int64_t crossed_ns = 0;
        for (; !open.empty() && slice.end_ns > open.back(); open.pop_back())
          crossed_ns = std::max(crossed_ns,
                                std::min(slice.end_ns - open.back(), open.back() - slice.start_ns));
        if (crossed_ns > (whole_times_ ? us : trace_.nesting.start_error_ns)) {
          if (crossings++ == 0) first = slice.name;
          most_ns = std::max(most_ns, crossed_ns);
        }
        if (open.empty() || slice.end_ns != open.back()) open.push_back(slice.end_ns);
      }
    }
    if (crossings > 0)
      mark(
          fmt::format("{} {} within another one of the thread and {} after it, by {} us at most "
                      "({} is the first): {} the time that they share",
                      counted(crossings, "slice"), crossings == 1 ? "begins" : "begin",
                      crossings == 1 ? "ends" : "end",
                      format_significant(static_cast<double>(most_ns) / 1000, 3),
                      on_one_line(first), of_pytorch_ ? "both count" : "the later one has"));
  }

  void mark_facts(const TraceFacts& facts) {
    for (const std::string& warning : facts.warnings)
      mark("its profiler warned: " + on_one_line(warning));
    for (std::size_t i = 0; i < facts.lenient.size(); ++i)
      if (const auto& [count, line] = facts.lenient[i]; count > 0)
        mark(fmt::format("{} (line {}{})", sentence(static_cast<Leniency>(i)), line,
                         count > 1 ? fmt::format(", and {} more", count - 1) : ""));
  }

  void mark_unused() {
    Count async_never_closed, never_closed;
    for (const auto& [key, id] : open_async_)
      for (const auto& [name, begun] : id.begun)
        for (const auto& [number, one] : begun) async_never_closed.add(one.line);
    for (const std::vector<Begun>& begun : open_)
      for (const Begun& one : begun) never_closed.add(one.line);
    mark(without_times_, "slice", "no ts or dur, or one that is no time in microseconds");
    mark(negative_, "slice", "the end is before the beginning");
    mark(at_zero_, "slice", "ts is 0, and years later in the others");
    mark(sums_, "\"Total …\" slice", "a sum of others is no work");
    mark(never_closed, "\"B\" event", "no \"E\" closes it");
    mark(never_opened_, "\"E\" event", "no \"B\" opens it");
    mark(async_never_closed, "begin of an async range", "nothing ends it");
    mark(too_many_open_, "begin of a slice", "more than 200,000 are open");
    mark(async_never_opened_, "end of an async range", "nothing begins it");
  }

  /// Adds a mark like "2 slices left out: no ts or dur (line 7 is the first)", if the count is not
  /// 0.
  void mark(const Count& count, const std::string& noun, std::string_view why) {
    if (count.count == 0) return;
    const auto space = noun.find(' ');
    const bool of_something = noun.find(" of ") != noun.npos;
    const std::string counted_noun =
        of_something ? counted(count.count, noun.substr(0, space)) + noun.substr(space)
                     : counted(count.count, noun);
    mark(fmt::format("{} left out: {} (line {}{})", counted_noun, why, count.first_line,
                     count.count > 1 ? " is the first" : ""));
  }
  void mark(std::string sentence) {
    trace_.marks.push_back({.ns = 0, .name = std::move(sentence)});
  }

  static constexpr std::size_t most_categories = 1000, most_open = 200'000;

  ReadTrace trace_;
  std::unordered_map<Place, std::size_t, PlaceHash> lanes_;
  Place last_place_{};
  std::size_t last_lane_ = 0;
  std::map<std::string, std::int64_t, std::less<>> ids_;  // for pids and tids that are texts
  std::map<std::tuple<std::int64_t, std::int64_t, bool, bool>, std::int32_t> details_;

  // Category 0 is for slices whose category did not get a number.
  std::vector<Category> categories_{
      {.name = "others", .kind = TraceKind::Other, .old_kind = TraceKind::Other, .slices = {}}};
  std::unordered_map<std::string, std::size_t> numbers_of_categories_;
  std::size_t last_category_ = 0;

  std::vector<std::vector<Begun>> open_;  // the open "B" events, by lane
  std::unordered_map<std::string, AsyncId> open_async_;
  std::uint64_t last_async_ = 0;

  // Signs from which is_of_pytorch() tells whether PyTorch wrote the file.
  bool has_known_ = false, has_common_ = false, has_operator_ = false, has_external_id_ = false;
  bool has_profiler_span_ = false, has_device_work_ = false;
  bool of_pytorch_ = false;
  bool whole_times_ = false;  // starts and ends are whole microseconds

  std::int64_t dropped_ = 0, unknown_names_ = 0;
  Count without_times_, negative_, at_zero_, sums_;
  Count never_opened_, async_never_opened_, too_many_open_;
  std::size_t open_now_ = 0;
};

}  // namespace

ReadTrace read_chrome(std::istream& in, const std::string& name) {
  EventModel model;
  TraceFacts facts;
  try {
    facts = read_events(in, [&](const ChromeEvent& event) { model.add(event); });
  } catch (const Invalid& invalid) {
    throw Invalid(fmt::format("{}: {}", name, invalid.what()));
  }
  return model.take(facts);
}

}  // namespace normbench
