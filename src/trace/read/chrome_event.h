/// One event of a Chrome trace of any tool, with the members that tables need.
#pragma once

#include <cstddef>

#include "trace/model.h"

namespace normbench {

struct ChromeEvent {
  std::size_t line = 0;
  std::string phase, category, name;
  std::int64_t pid = 0, tid = 0;
  std::string pid_text, tid_text;  // for ids that are no numbers
  std::optional<std::int64_t> start_ns, duration_ns;
  std::string id;         // for an async event
  std::string scope;      // of the id
  bool local_id = false;  // the id is valid in its process only

  // The members below are in `args`.
  std::uint64_t external_id = 0;                            // 0: none
  std::int64_t correlation = -1, stream = -1, device = -1;  // -1: none
  std::int64_t bytes = 0;
  std::int64_t allocated_bytes = 0;          // written by PyTorch for [memory]; negative: freed
  std::int64_t device_type = 0;              // written by PyTorch for [memory]; 0: the host
  std::int64_t dropped_events = 0;           // written by ONNX Runtime when its profile is full
  bool has_count = false, has_mean = false;  // written by clang for sums of other events
  bool unfinished = false;                   // written by PyTorch: open when profiling stopped
  std::string source;                        // where the times are from; "": records of the work
  bool over_link = false;
  std::string shapes;  // of the inputs, as torch prints them
  std::string label;   // written by normbench if the name has a step's number
};

/// What a key means, in the event itself or in its `args`.
enum class Member {
  None,  // a key that is not needed
  Phase,
  Category,
  Name,
  Pid,
  Tid,
  Start,
  Duration,
  Args,
  Id,
  Id2,
  LocalId,
  Scope,
  AllocatedBytes,
  DeviceType,
  DroppedEvents,
  EventCount,
  EventMean,
  Finished,
  ExternalId,
  Correlation,
  Stream,
  Device,
  Bytes,
  Source,
  OverLink,
  Shapes,
  Label
};
Member member_of_event(std::string_view key);
Member member_of_args(std::string_view key);
Member member_of_id2(std::string_view key);

/// The set functions store the value of a member. A value that makes no sense for the member
/// changes nothing.
void set_boolean(ChromeEvent& event, Member member, bool value);
/// `text` is the number as it is written, so that times are exact.
void set_number(ChromeEvent& event, Member member, std::string_view text);
void set_text(ChromeEvent& event, Member member, std::string_view text);

/// Empties the event. It keeps its memory for the next one.
void clear(ChromeEvent& event);

/// Returns the kind of a category of Kineto, which PyTorch uses. Returns Other for any other
/// category.
TraceKind kind_of_category(std::string_view category);
/// Returns true for a category that other tools may use in another sense.
bool is_common_word(std::string_view category);
/// Returns the kind of a category of PyTorch before 1.12. Other tools use these words in another
/// sense.
TraceKind old_kind_of_category(std::string_view category);

/// Returns microseconds, given as text, in nanoseconds. The result is exact for at most three
/// decimals and no exponent, else rounded to nearest. Returns nothing if the text is no number, or
/// if the time is out of range.
std::optional<std::int64_t> ns_of_microseconds(std::string_view text);

}  // namespace normbench
