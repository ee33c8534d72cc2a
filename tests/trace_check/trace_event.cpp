#include "trace_check/trace_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

namespace normbench {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns the number after the first `"key":` in the event, as it is written, or "" if there is
/// none. Strings of the event cannot contain `"key":`, because quotes in strings are escaped.
std::string_view raw_number(std::string_view event, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\":", key);
  const auto at = event.find(quoted);
  if (at == std::string_view::npos) return {};
  const auto value = event.substr(at + quoted.size());
  return value.substr(0, value.find_first_of(",}"));
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

class Reading {
 public:
  Reading(std::string_view text, std::size_t line, std::vector<std::string>& mistakes)
      : text_(text), line_(line), mistakes_(mistakes) {}

  void mistake(const std::string& what) {
    mistakes_.push_back(fmt::format("line {}: {}", line_, what));
  }

  std::string word(const Json& event, const char* key) {
    const auto found = event.find(key);
    if (found != event.end() && found->is_string()) return found->get<std::string>();
    mistake(fmt::format("{} must be a string", key));
    return {};
  }

  /// Returns a process or track id. An id outside of 0 to 2^32-1 is a mistake, because viewers
  /// would change it.
  std::int64_t track_id(const Json& event, const char* key) {
    const auto found = event.find(key);
    const bool fits = found != event.end() && found->is_number_unsigned() &&
                      found->get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
    if (fits) return found->get<std::int64_t>();
    mistake(fmt::format("{} must be an integer from 0 to 2^32-1", key));
    return 0;
  }

  /// Returns the time `key` in ns. In the event, it is written in microseconds with three decimals.
  std::int64_t time_ns(const char* key) {
    const std::string_view raw = raw_number(text_, key);
    if (raw.starts_with('-') && raw.size() > 1) {
      mistake(fmt::format("{} is negative: {}", key, raw));
      return 0;
    }
    const auto point = raw.find('.');
    if (point == std::string_view::npos || raw.size() - point != 4 || raw.size() > 18 ||
        !is_digits(raw.substr(0, point)) || !is_digits(raw.substr(point + 1))) {
      mistake(fmt::format("{} must be microseconds with three decimals, got {}", key,
                          raw.empty() ? "nothing" : raw));
      return 0;
    }
    std::string digits(raw);
    digits.erase(point, 1);
    std::int64_t ns = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), ns);
    return ns;
  }

  std::int64_t natural(const Json& object, const char* key, std::int64_t low) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_number_integer() && found->get<std::int64_t>() >= low)
      return found->get<std::int64_t>();
    mistake(fmt::format("{} must be an integer of at least {}", key, low));
    return low;
  }

 private:
  std::string_view text_;
  std::size_t line_;
  std::vector<std::string>& mistakes_;
};

/// Checks metadata: the names of processes and tracks, and their sort indices.
void read_meta(const Json& args, const TraceEvent& event, Reading& reading) {
  if (event.name.ends_with("_sort_index"))
    reading.natural(args, "sort_index", 0);
  else if (event.name.ends_with("_name") && text_of(args, "name").empty())
    reading.mistake("args.name must be a text");
}

void read_work(const Json& args, TraceEvent& event, Reading& reading) {
  reading.natural(args, "stream", 1);  // HTA finds no iteration in stream 0
  event.correlation = reading.natural(args, "correlation", 0);
  const auto device = args.find("device");
  if (device == args.end() || *device != event.pid)
    reading.mistake("GPU work must be on the process of its device");
  if (event.category != "kernel") reading.natural(args, "bytes", 0);
}

void read_counter(const Json& args, Reading& reading) {
  const bool numbers =
      !args.empty() &&
      std::all_of(args.begin(), args.end(), [](const Json& value) { return value.is_number(); });
  if (!numbers) reading.mistake("a counter's args must be numbers");
}

void read_args(const Json& json, TraceEvent& event, Reading& reading) {
  const Json args = json.contains("args") ? json["args"] : Json::object();
  if (!args.is_object()) return reading.mistake("args must be an object");
  if (event.phase == 'M') read_meta(args, event, reading);
  if (event.phase == 'C') read_counter(args, reading);
  if (event.phase == 'i') event.loss = text_of(args, "loss");
  if (event.is_gpu_work()) read_work(args, event, reading);
  if (event.is_call()) event.correlation = reading.natural(args, "correlation", 0);
}

void read_fields(const Json& json, TraceEvent& event, Reading& reading) {
  event.name = reading.word(json, "name");
  event.pid = reading.track_id(json, "pid");
  event.tid = reading.track_id(json, "tid");
  if (event.phase != 'M') {
    event.ts = reading.time_ns("ts");
    event.category = reading.word(json, "cat");
  }
  if (event.phase == 'X') event.dur = reading.time_ns("dur");
  if (std::string_view("sfbe").find(event.phase) != std::string_view::npos)
    event.flow_id = reading.natural(json, "id", 0);
  if (event.phase == 'f' && text_of(json, "bp") != "e")
    reading.mistake("a flow's end needs \"bp\":\"e\"");
  if (event.phase == 'i' && text_of(json, "s") != "g")
    reading.mistake("an instant needs \"s\":\"g\" to be seen on all tracks");
  read_args(json, event, reading);
}

}  // namespace

bool TraceEvent::is_gpu_work() const {
  return phase == 'X' &&
         (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset");
}

bool TraceEvent::is_call() const {
  return phase == 'X' && (category == "cuda_runtime" || category == "cuda_driver");
}

std::optional<TraceEvent> read_event(std::string_view text, std::size_t line,
                                     std::vector<std::string>& mistakes) {
  const auto mistakes_before = mistakes.size();
  if (text.ends_with(',')) text.remove_suffix(1);
  Reading reading(text, line, mistakes);
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    reading.mistake("must hold exactly one event");
    return std::nullopt;
  }
  TraceEvent event;
  event.line = line;
  const std::string phase = text_of(json, "ph");
  if (phase.size() == 1 && std::string_view("XMsfiCbe").find(phase[0]) != std::string_view::npos) {
    event.phase = phase[0];
    read_fields(json, event, reading);
  } else {
    reading.mistake("ph must be one of X, M, s, f, i, C, b, e");
  }
  return mistakes.size() == mistakes_before ? std::optional(event) : std::nullopt;
}

}  // namespace normbench
