#include "report/chrome/chrome.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <utility>

#include "core/units.h"
#include "report/chrome/chrome_slices.h"
#include "report/chrome/text_writer.h"

namespace normbench {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Where the file is cut off: slices that start at `ns` or later are left out.
struct Cut {
  std::int64_t ns = kNever;
  std::int64_t slices = 0;  // number of slices that are left out

  bool keeps(std::int64_t start_ns) const { return start_ns < ns; }
};

Cut cut_after(const TraceModel& model, std::int64_t most) {
  if (most < 0) return {};
  std::vector<std::int64_t> starts;
  for (const TraceLane& lane : model.lanes)
    for (const TraceSlice& slice : lane.slices) starts.push_back(slice.start_ns);
  if (starts.size() <= static_cast<std::size_t>(most)) return {};
  const auto first_out = starts.begin() + most;
  std::ranges::nth_element(starts, first_out);
  Cut cut{.ns = *first_out};
  cut.slices = std::ranges::count_if(starts, [&](std::int64_t ns) { return !cut.keeps(ns); });
  return cut;
}

/// Returns the start of the run, or the time of the first event if that is earlier. Times in the
/// file count from there, so that none of them is negative.
std::int64_t base_of(const TraceModel& model) {
  std::int64_t base_ns = model.base_ns;
  for (const TraceLane& lane : model.lanes)
    if (!lane.slices.empty()) base_ns = std::min(base_ns, lane.slices.front().start_ns);
  for (const TraceItem& item : model.items) base_ns = std::min(base_ns, item.start_ns);
  for (const TraceMark& mark : model.marks) base_ns = std::min(base_ns, mark.ns);
  return base_ns;
}

/// Returns the pid and tid of a host process, for events that belong to no thread. Returns zeros if
/// there is none.
std::pair<std::int64_t, std::int64_t> host_track(const TraceModel& model) {
  for (const TraceProcess& process : model.processes)
    if (!process.is_device) return {process.pid, process.pid};
  return {0, 0};
}

constexpr auto kOwnKeys = std::to_array<std::string_view>(
    {"schemaVersion", "deviceProperties", "normbench", "distributedInfo", "displayTimeUnit",
     "baseTimeNanoseconds", "traceEvents"});

Json about(const TraceModel& model, const TraceLosses& losses) {
  Json about = model.metadata.value("normbench", Json::object());
  for (const LossField& field : loss_fields())
    about["losses"][std::string(field.name)] = losses.*field.value;
  return about;
}

/// Writes the beginning of the file, up to and including the "[" of "traceEvents". `base_wall_ns`
/// is the wall-clock time at "ts" 0.
///
/// The key "rank" has a space after its colon, because HolisticTraceAnalysis searches for the key
/// with this space. All other values are written without spaces after colons, so that the search
/// finds no "rank" in them.
void write_head(const TraceModel& model, const TraceLosses& losses, std::int64_t base_wall_ns,
                TextWriter& text) {
  text << "{\n\"schemaVersion\": 1,\n\"deviceProperties\": " << json_line(model.device_properties)
       << ",\n";
  for (const auto& [key, value] : model.metadata.items())
    if (std::ranges::find(kOwnKeys, key) == kOwnKeys.end())
      text << json_string(key) << ": " << json_line(value) << ",\n";
  text << "\"normbench\": " << json_line(about(model, losses))
       << ",\n\"distributedInfo\": {\"rank\": 0},\n\"displayTimeUnit\": \"ms\",\n"
       << "\"baseTimeNanoseconds\": " << base_wall_ns << ",\n\"traceEvents\": [";
}

class EventWriter {
 public:
  EventWriter(const TraceModel& model, const Cut& cut, std::int64_t base_ns, TextWriter& text)
      : model_(model), cut_(cut), base_ns_(base_ns), text_(text), lines_(text) {}

  void write() {
    write_processes();
    write_lane_names();
    write_slices();
    for (const TraceItem& item : model_.items)
      if (cut_.keeps(item.start_ns)) write_item(item);
    for (const TraceFlow& flow : model_.flows)
      if (cut_.keeps(flow.to_ns)) write_flow(flow);
    for (const TraceCounter& counter : model_.counters) write_counter(counter);
    for (const TraceMark& mark : model_.marks) write_mark(mark.ns, mark.name, mark.args);
    if (cut_.slices > 0)
      write_mark(cut_.ns,
                 fmt::format("cut off here: {} later slices are not in this file",
                             format_count(cut_.slices)),
                 {{"loss", "cut_off"}});
  }

 private:
  void write_meta(std::string_view what, std::int64_t pid, std::int64_t tid, std::string_view key,
                  std::string_view value) {
    lines_.next() << R"({"ph":"M","name":")" << what << R"(","pid":)" << pid << ",\"tid\":" << tid
                  << ",\"args\":{\"" << key << "\":" << value << "}}";
  }

  void write_processes() {
    for (const TraceProcess& process : model_.processes) {
      write_meta("process_name", process.pid, 0, "name", json_string(process.name));
      write_meta("process_labels", process.pid, 0, "labels", json_string(process.labels));
      write_meta("process_sort_index", process.pid, 0, "sort_index",
                 std::to_string(process.sort_index));
    }
  }

  void write_lane_names() {
    for (std::size_t i = 0; i < model_.lanes.size(); ++i) {
      const TraceLane& lane = model_.lanes[i];
      write_meta("thread_name", lane.pid, lane.tid, "name", json_string(lane.name));
      write_meta("thread_sort_index", lane.pid, lane.tid, "sort_index", std::to_string(i));
    }
  }

  void write_slices() {
    SliceWriter writer(model_, base_ns_, lines_);
    for (const TraceLane& lane : model_.lanes) {
      writer.enter(lane);
      for (const TraceSlice& slice : lane.slices)
        if (cut_.keeps(slice.start_ns)) writer.write(slice);
    }
  }

  /// Writes an item of a pipeline as an async event. Viewers draw async events that overlap on
  /// separate lines.
  void write_item(const TraceItem& item) {
    const std::string name = json_string(item.name);
    for (const auto& [phase, ns] : {std::pair("b", item.start_ns), std::pair("e", item.end_ns)}) {
      lines_.next() << R"({"ph":")" << std::string_view(phase) << R"(","id":)" << item.id
                    << ",\"pid\":" << item.pid << ",\"tid\":" << item.pid << ",\"ts\":";
      text_.put_time(ns - base_ns_) << R"(,"cat":"item","name":)" << name << "}";
    }
  }

  /// Writes an arrow between two slices. With "bp": "e", viewers attach the end of the arrow to the
  /// slice around it.
  void write_flow(const TraceFlow& flow) {
    const std::string_view name = flow.kind == TraceFlow::Kind::Launch
                                      ? R"(,"cat":"ac2g","name":"ac2g")"
                                      : R"(,"cat":"item","name":"item")";
    lines_.next() << R"({"ph":"s","id":)" << flow.id << ",\"pid\":" << flow.from_pid
                  << ",\"tid\":" << flow.from_tid << ",\"ts\":";
    text_.put_time(flow.from_ns - base_ns_) << name << "}";
    lines_.next() << R"({"ph":"f","id":)" << flow.id << ",\"pid\":" << flow.to_pid
                  << ",\"tid\":" << flow.to_tid << ",\"ts\":";
    text_.put_time(flow.to_ns - base_ns_) << name << R"(,"bp":"e"})";
  }

  void write_counter(const TraceCounter& counter) {
    const std::string name = json_string(counter.name), unit = json_string(counter.unit);
    for (const TraceCounter::Sample& sample : counter.samples) {
      if (!cut_.keeps(sample.ns)) continue;
      lines_.next() << R"({"ph":"C","cat":"counter","name":)" << name << ",\"pid\":" << counter.pid
                    << ",\"tid\":0,\"ts\":";
      text_.put_time(sample.ns - base_ns_) << ",\"args\":{" << unit << ":" << sample.value << "}}";
    }
  }

  void write_mark(std::int64_t ns, const std::string& name, const Json& args) {
    const auto [pid, tid] = host_track(model_);
    lines_.next() << R"({"ph":"i","s":"g","cat":"loss","name":)" << json_string(name)
                  << ",\"pid\":" << pid << ",\"tid\":" << tid << ",\"ts\":";
    text_.put_time(ns - base_ns_) << ",\"args\":" << json_line(args) << "}";
  }

  const TraceModel& model_;
  const Cut& cut_;
  std::int64_t base_ns_;
  TextWriter& text_;
  EventLines lines_;
};

}  // namespace

void write_chrome(const TraceModel& model, std::ostream& out, const ChromeOptions& options) {
  const Cut cut = cut_after(model, options.max_events);
  TraceLosses losses = model.losses;
  losses.cut_off += cut.slices;
  const std::int64_t base_ns = base_of(model);
  TextWriter text(out);
  write_head(model, losses, model.base_wall_ns - (model.base_ns - base_ns), text);
  EventWriter(model, cut, base_ns, text).write();
  text << "\n]}\n";
  text.flush();
}

}  // namespace normbench
