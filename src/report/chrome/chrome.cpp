#include "report/chrome/chrome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"
#include "report/chrome/text_writer.h"

namespace normbench {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Where the file ends: what starts from `ns` on is not in it.
struct Cut {
  std::int64_t ns = kNever;
  std::int64_t slices = 0;  // that are not

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

/// The run's start, or what was there before it: times in the file are never negative.
std::int64_t base_of(const TraceModel& model) {
  std::int64_t base_ns = model.base_ns;
  for (const TraceLane& lane : model.lanes)
    if (!lane.slices.empty()) base_ns = std::min(base_ns, lane.slices.front().start_ns);
  for (const TraceMark& mark : model.marks) base_ns = std::min(base_ns, mark.ns);
  return base_ns;
}

/// A host's process and thread, for what belongs to none.
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

/// Opens the file, up to the bracket of "traceEvents"; `base_wall_ns` is the wall clock at ts 0.
/// The rank has a space after its colon, which HolisticTraceAnalysis looks for; no other key may
/// look like it, so values are written without spaces.
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

std::string_view category(TraceKind kind) {
  static constexpr auto table = words(TraceKind{});
  return table[static_cast<std::size_t>(kind)].name;
}

/// "args" with its braces and commas: open only when there is something to say.
class Args {
 public:
  explicit Args(TextWriter& text) : text_(text) {}

  template <class Value>
  void add(std::string_view key, const Value& value) {
    (*this)(key) << value;
  }
  /// For a value that the caller writes.
  TextWriter& operator()(std::string_view key) {
    text_ << (open_ ? std::string_view(",\"") : std::string_view(",\"args\":{\"")) << key << "\":";
    open_ = true;
    return text_;
  }
  void close() {
    if (open_) text_ << "}";
  }

 private:
  TextWriter& text_;
  bool open_ = false;
};

void add_external_id(const TraceSlice& slice, Args& args) {
  if (slice.external_id != 0) args.add("External id", static_cast<std::int64_t>(slice.external_id));
}

/// Shapes are printed as JSON is; what is none is text.
std::string json_shapes(std::string_view shapes) {
  return Json::accept(shapes) ? std::string(shapes) : json_string(shapes);
}

void put_triple(const std::array<std::int64_t, 3>& sizes, TextWriter& text) {
  text << "[" << sizes[0] << "," << sizes[1] << "," << sizes[2] << "]";
}

std::int64_t product(const std::array<std::int64_t, 3>& sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

std::int64_t processors_of(const Json& all, std::int64_t device) {
  for (const Json& properties : all)
    if (properties.value("id", std::int64_t{-1}) == device)
      return properties.value("numSms", std::int64_t{0});
  return 0;
}

void add_launch(const LaunchShape& launch, std::int64_t processors, Args& args) {
  args.add("registers per thread", launch.registers_per_thread);
  args.add("shared memory", launch.shared_bytes);
  if (processors > 0) {
    constexpr double warp = 32;
    const double blocks =
        static_cast<double>(product(launch.grid)) / static_cast<double>(processors);
    args.add("blocks per SM", blocks);
    args.add("warps per SM", blocks * static_cast<double>(product(launch.block)) / warp);
  }
  put_triple(launch.grid, args("grid"));
  put_triple(launch.block, args("block"));
}

void add_transfer(const TraceSlice& slice, Args& args) {
  args.add("bytes", slice.bytes);
  if (const std::int64_t ns = slice.end_ns - slice.start_ns; ns > 0)
    args.add("memory bandwidth (GB/s)", static_cast<double>(slice.bytes) / static_cast<double>(ns));
}

void add_work(const TraceSlice& slice, const DeviceDetails& details, std::int64_t processors,
              Args& args) {
  add_external_id(slice, args);
  if (slice.kind == TraceKind::Kernel) args.add("queued", std::int64_t{0});
  args.add("device", details.device);
  args.add("context", details.context);
  args.add("stream", details.stream);
  args.add("correlation", slice.correlation);
  if (slice.kind != TraceKind::Kernel) add_transfer(slice, args);
  if (details.launch) add_launch(*details.launch, processors, args);
  if (details.graph == 0) return;
  args.add("graph id", details.graph);
  args.add("graph node id", details.graph_node);
}

/// No stream: readers take whatever has one for work of that stream.
void add_annotation(const TraceSlice& slice, const DeviceDetails* details, Args& args) {
  add_external_id(slice, args);
  if (details == nullptr || !details->from_marks) return;
  args.add("source", std::string_view("\"cuda_event\""));
  if (details->over_link) args.add("over_link", std::string_view("true"));
  args.add("bytes", slice.bytes);
}

/// The same holds for waits.
void add_sync(const TraceSlice& slice, const DeviceDetails* details, std::string_view name,
              Args& args) {
  args.add("cuda_sync_kind", name);
  if (details != nullptr) {
    args.add("wait_on_stream", details->stream);
    args.add("device", details->device);
    args.add("context", details->context);
  }
  args.add("stream", std::int64_t{-1});
  if (slice.correlation >= 0) args.add("correlation", slice.correlation);
}

void add_host(const TraceSlice& slice, Args& args) {
  add_external_id(slice, args);
  if (slice.correlation >= 0) args.add("correlation", slice.correlation);
  if (!slice.shapes.empty()) args.add("Input Dims", std::string_view(json_shapes(slice.shapes)));
  if (slice.bytes > 0) args.add("bytes", slice.bytes);
}

/// Starts the next event on a line of its own.
class EventLines {
 public:
  explicit EventLines(TextWriter& text) : text_(text) {}

  TextWriter& next() {
    text_ << (first_ ? std::string_view("\n") : std::string_view(",\n"));
    first_ = false;
    return text_;
  }

 private:
  TextWriter& text_;
  bool first_ = true;
};

/// Writes the slices of one lane; args are those of torch's traces.
class SliceWriter {
 public:
  SliceWriter(const TraceModel& model, std::int64_t base_ns, EventLines& lines)
      : model_(model), base_ns_(base_ns), lines_(lines) {}

  void enter(const TraceLane& lane) {
    track_ = fmt::format(",\"pid\":{},\"tid\":{},\"ts\":", lane.pid, lane.tid);
    processors_ = processors_of(model_.device_properties, lane.pid);
  }
  void write(const TraceSlice& slice) {
    const std::string_view name = names_.json_string(slice.name);
    TextWriter& text = lines_.next();
    text << R"({"ph":"X","cat":")" << category(slice.kind) << R"(","name":)" << name << track_;
    text.put_time(slice.start_ns - base_ns_) << ",\"dur\":";
    text.put_time(slice.end_ns - slice.start_ns);
    const DeviceDetails* const details = model_.details_of(slice);
    Args args(text);
    if (is_gpu_work(slice.kind) && details != nullptr)
      add_work(slice, *details, processors_, args);
    else if (slice.kind == TraceKind::GpuUserAnnotation)
      add_annotation(slice, details, args);
    else if (slice.kind == TraceKind::CudaSync)
      add_sync(slice, details, name, args);
    else
      add_host(slice, args);
    args.close();
    text << "}";
  }

 private:
  const TraceModel& model_;
  std::int64_t base_ns_;
  EventLines& lines_;
  JsonNames names_;
  std::string track_;            // the keys that all slices of the lane share
  std::int64_t processors_ = 0;  // of the lane's device; 0: unknown
};

class EventWriter {
 public:
  EventWriter(const TraceModel& model, const Cut& cut, std::int64_t base_ns, TextWriter& text)
      : model_(model), cut_(cut), base_ns_(base_ns), text_(text), lines_(text) {}

  void write() {
    write_processes();
    write_lane_names();
    write_slices();
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

  /// Viewers bind an end to the slice that it lies in ("bp": "e").
  void write_flow(const TraceFlow& flow) {
    lines_.next() << R"({"ph":"s","id":)" << flow.id << ",\"pid\":" << flow.from_pid
                  << ",\"tid\":" << flow.from_tid << ",\"ts\":";
    text_.put_time(flow.from_ns - base_ns_) << R"(,"cat":"ac2g","name":"ac2g"})";
    lines_.next() << R"({"ph":"f","id":)" << flow.id << ",\"pid\":" << flow.to_pid
                  << ",\"tid\":" << flow.to_tid << ",\"ts\":";
    text_.put_time(flow.to_ns - base_ns_) << R"(,"cat":"ac2g","name":"ac2g","bp":"e"})";
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
