#include "trace/chrome.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <unordered_map>

#include "trace/lanes.h"

namespace normbench {
namespace {

std::string escaped(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Device slices are ranges between marks, and not the kernels that a GPU's own records would give.
std::string_view category(const Slice& slice) {
  if (slice.place != Place::Cpu) return "gpu_user_annotation";
  return slice.kind == RangeKind::Stage ? "cpu_op" : "user_annotation";
}

/// Collects text and hands it to the stream in large pieces.
class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {}
  ~Writer() { flush(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Room for the next event, on a line of its own.
  fmt::appender next_event() {
    if (text_.size() > flush_bytes) flush();
    text_.append(first_ ? std::string_view("\n") : std::string_view(",\n"));
    first_ = false;
    return text();
  }

  fmt::appender text() { return fmt::appender(text_); }

  /// A name as JSON; names are few, so each is escaped once.
  const std::string& name(std::string_view name) {
    const auto found = names_.find(name);
    return found != names_.end() ? found->second
                                 : names_.emplace(name, escaped(name)).first->second;
  }

 private:
  static constexpr std::size_t flush_bytes = 1 << 20;

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  fmt::memory_buffer text_;
  bool first_ = true;
  std::unordered_map<std::string_view, std::string> names_;
};

/// The keys before the events. The rank has a space after its colon, which HTA's reader needs; no
/// other key may look like it, so the rest is written without.
void write_head(const Trace& trace, std::int64_t base_wall_ns, Writer& writer) {
  fmt::format_to(writer.text(),
                 "{{\n\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ms\",\n"
                 "\"baseTimeNanoseconds\": {},\n\"distributedInfo\": {{\"rank\": 0}},\n",
                 base_wall_ns);
  const std::set<std::string> taken{"schemaVersion", "displayTimeUnit", "baseTimeNanoseconds",
                                    "distributedInfo", "traceEvents"};
  for (const auto& [key, value] : trace.metadata.items())
    if (!taken.contains(key))
      fmt::format_to(writer.text(), "{}: {},\n", escaped(key),
                     value.dump(-1, ' ', false, Json::error_handler_t::replace));
  fmt::format_to(writer.text(), "\"traceEvents\": [");
}

void write_meta(Writer& writer, std::string_view what, std::int64_t pid, std::int64_t tid,
                std::string_view key, const std::string& value) {
  fmt::format_to(writer.next_event(),
                 R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", what, pid, tid,
                 key, value);
}

void write_names(const Trace& trace, const std::vector<TraceLane>& lanes, Writer& writer) {
  std::set<std::int64_t> named;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto& [pid, tid, name, slices] = lanes[i];
    if (named.insert(pid).second) {
      write_meta(writer, "process_name", pid, 0, "name", escaped(trace.process_name));
      write_meta(writer, "process_sort_index", pid, 0, "sort_index", std::to_string(named.size()));
    }
    write_meta(writer, "thread_name", pid, tid, "name", escaped(name));
    write_meta(writer, "thread_sort_index", pid, tid, "sort_index", std::to_string(i));
  }
}

void write_lane(const TraceLane& lane, std::int64_t base_ns, Writer& writer) {
  for (const Slice& slice : lane.slices) {
    const std::int64_t ts = slice.start_ns - base_ns;
    const std::int64_t dur = slice.end_ns - slice.start_ns;
    const std::string& name = writer.name(slice.name);
    fmt::format_to(
        writer.next_event(),
        FMT_COMPILE(
            R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{}.{:03},"dur":{}.{:03})"),
        category(slice), name, lane.pid, lane.tid, ts / 1000, ts % 1000, dur / 1000, dur % 1000);
    if (slice.place != Place::Cpu)
      fmt::format_to(writer.text(), FMT_COMPILE(R"(,"args":{{"source":"cuda_event","bytes":{}}})"),
                     slice.bytes);
    else if (slice.bytes > 0)
      fmt::format_to(writer.text(), FMT_COMPILE(R"(,"args":{{"bytes":{}}})"), slice.bytes);
    fmt::format_to(writer.text(), FMT_COMPILE("}}"));
  }
}

}  // namespace

void write_chrome(const Trace& trace, std::ostream& out) {
  const std::vector<TraceLane> lanes = nested_lanes(trace.lanes);
  // A slice from before the run's start moves the base; times are never negative.
  std::int64_t base_ns = trace.base_ns;
  for (const TraceLane& lane : lanes) base_ns = std::min(base_ns, lane.slices.front().start_ns);

  Writer writer(out);
  write_head(trace, trace.base_wall_ns - (trace.base_ns - base_ns), writer);
  write_names(trace, lanes, writer);
  for (const TraceLane& lane : lanes) write_lane(lane, base_ns, writer);
  fmt::format_to(writer.text(), "\n]}}\n");
}

}  // namespace normbench
