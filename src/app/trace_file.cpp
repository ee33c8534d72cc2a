#include "app/trace_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/issue.h"
#include "core/units.h"
#include "report/chrome/gzip.h"
#include "trace/read/read_chrome.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

std::string file_of(const std::string& path) {
  std::error_code unknown;
  if (!fs::is_directory(path, unknown)) return path;
  for (const char* name : {"trace.json", "trace.json.gz"})
    if (fs::exists(fs::path(path) / name, unknown)) return (fs::path(path) / name).string();
  throw Invalid(fmt::format(
      "{}: no trace.json in this folder (give a trace, or the folder of a run that was profiled)",
      path));
}

TraceModel read_stream(std::istream& in, const std::string& file) {
  if (!is_gzip(in)) return read_chrome(in, file);
  return read_chrome(*gunzip_from(in), file);
}

std::optional<DeviceTimes> device_times_of(const Json& about) {
  std::optional<DeviceTimes> source;
  for (const Json& said : about.value("device_times", Json::array())) {
    const auto one = said.is_string() ? parse_word<DeviceTimes>(said.get_ref<const std::string&>())
                                      : std::nullopt;
    if (one) source = source && source != one ? DeviceTimes::Mixed : *one;
  }
  return source;
}

}  // namespace

OpenTrace open_trace(const std::string& path) {
  OpenTrace trace;
  trace.file = file_of(path);
  std::ifstream in(trace.file, std::ios::binary);
  if (!in)
    throw Invalid(fmt::format("{}: {}", trace.file,
                              errno == ENOENT
                                  ? "no such file (check the path)"
                                  : fmt::format("cannot be read: {}", std::strerror(errno))));
  trace.model = read_stream(in, trace.file);
  for (const TraceMark& mark : trace.model.marks) trace.warnings.push_back(mark.name);
  if (trace.model.losses.cut_off > 0)
    trace.warnings.push_back(
        fmt::format("its end is missing: {} slices were cut off when it was written",
                    format_count(trace.model.losses.cut_off)));
  const Json about = trace.model.metadata.value("normbench", Json::object());
  trace.device_times = device_times_of(about);
  if (const auto error = about.find("clock_error_ns");
      error != about.end() && error->is_number_integer())
    trace.clock_error_ns = error->get<std::int64_t>();
  return trace;
}

}  // namespace normbench
