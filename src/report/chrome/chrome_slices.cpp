#include "report/chrome/chrome_slices.h"

#include <fmt/format.h>

namespace normbench {
namespace {

std::string_view category(TraceKind kind) {
  static constexpr auto table = words(TraceKind{});
  return table[static_cast<std::size_t>(kind)].name;
}

/// Writes the member "args" of an event, with its braces and commas. Writes nothing if no arg is
/// added.
class Args {
 public:
  explicit Args(TextWriter& text) : text_(text) {}

  template <class Value>
  void add(std::string_view key, const Value& value) {
    (*this)(key) << value;
  }
  /// Writes a key. The caller then writes the value to the returned writer.
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

/// Returns input shapes as they are if they are valid JSON, else as a JSON string.
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

/// Adds the label of a stage. The label is the same in all iterations, so tables that are made from
/// the file have one row for each label.
void add_label(const TraceSlice& slice, Args& args) {
  if (!slice.label.empty()) args.add("normbench label", std::string_view(json_string(slice.label)));
}

/// Adds the args of an annotation: a range that is shown on a stream of the GPU. It gets no arg
/// "stream", because programs that read the trace would then take the annotation for device work.
void add_annotation(const TraceSlice& slice, const DeviceDetails* details, Args& args) {
  add_external_id(slice, args);
  add_label(slice, args);
  if (details == nullptr || !details->from_marks) return;
  args.add("source", std::string_view("\"cuda_event\""));
  if (details->over_link) args.add("over_link", std::string_view("true"));
  args.add("bytes", slice.bytes);
}

/// Adds the args of a slice in which the host waits for the GPU. Its "stream" is -1. With any other
/// number, programs that read the trace would count the wait as work on that stream.
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
  add_label(slice, args);
  if (!slice.shapes.empty()) args.add("Input Dims", std::string_view(json_shapes(slice.shapes)));
  if (slice.bytes > 0) args.add("bytes", slice.bytes);
}

}  // namespace

void SliceWriter::enter(const TraceLane& lane) {
  track_ = fmt::format(",\"pid\":{},\"tid\":{},\"ts\":", lane.pid, lane.tid);
  processors_ = processors_of(model_.device_properties, lane.pid);
}

void SliceWriter::write(const TraceSlice& slice) {
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

}  // namespace normbench
