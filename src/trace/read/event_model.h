/// Events of a trace file as a model for tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/read/chrome_event.h"
#include "trace/model.h"

namespace normbench {

/// Keeps slices of torch's categories. Where there are none of these, the trace is another tool's
/// and all its slices are those of ops.
class EventModel {
 public:
  void add(const ChromeEvent& event);

  /// The model with its lanes in order, and a mark for each kind of event that could not be used.
  /// `about` is what the file's writer said of it (null: nothing), its losses among this; else they
  /// are counted. Call once.
  TraceModel take(const Json& about);

 private:
  /// Events of one kind that could not be used.
  struct Unused {
    std::int64_t count = 0;
    std::size_t first_line = 0;
  };

  void add_complete(const ChromeEvent& event);
  void open(const ChromeEvent& event);
  void close(const ChromeEvent& event);
  void add_meta(const ChromeEvent& event);
  void add_slice(const ChromeEvent& event, TraceKind kind, std::int64_t end_ns);
  static void note(Unused& unused, std::size_t line);
  void mark_skew();
  void add_mark(const Unused& unused, std::string_view what);

  std::int64_t number_of(std::int64_t id, const std::string& text);
  std::size_t lane_of(const ChromeEvent& event);
  TraceProcess& process_of(std::int64_t pid);
  std::int32_t number_of_details(const DeviceDetails& details);
  bool is_wanted(TraceKind kind);
  void settle_others();

  using Place = std::pair<std::int64_t, std::int64_t>;  // pid, tid
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

}  // namespace normbench
