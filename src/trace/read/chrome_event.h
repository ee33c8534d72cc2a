/// One event of a Chrome trace that any tool may have written. ChromeEvent has only the members
/// that tables need.
#pragma once

#include <cstddef>

#include "trace/model.h"

namespace normbench {

struct ChromeEvent {
  std::size_t line = 0;
  std::string phase, category, name;
  std::int64_t pid = 0, tid = 0;
  std::string pid_text, tid_text;  // used instead of pid and tid if they are not numbers
  std::optional<std::int64_t> start_ns, duration_ns;
  std::string id;         // for an async event
  std::string scope;      // the scope of `id`
  bool local_id = false;  // `id` is valid only within the process `pid`

  // The members below are in `args`.
  std::uint64_t external_id = 0;                            // 0: none
  std::int64_t correlation = -1, stream = -1, device = -1;  // -1: none
  std::int64_t bytes = 0;
  std::int64_t allocated_bytes = 0;          // written by PyTorch for [memory]; negative: freed
  std::int64_t device_type = 0;              // written by PyTorch for [memory]; 0: the host
  std::int64_t dropped_events = 0;           // written by ONNX Runtime when its profile is full
  bool has_count = false, has_mean = false;  // written by clang for sums over events
  bool unfinished = false;                   // written by PyTorch: still open when profiling ended
  std::string source;                        // of the times: "cuda_event", or "" for records
  bool over_link = false;
  std::string shapes;  // of the inputs, as PyTorch prints them
  std::string label;   // written by normbench: TraceSlice::label
};

/// The meaning of a key in an event or in its `args`.
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

/// The three set functions store the value of a member in `event`. They ignore a value that is
/// invalid for the member.
void set_boolean(ChromeEvent& event, Member member, bool value);
/// `text` is the number as written in the file, so that times can be converted exactly.
void set_number(ChromeEvent& event, Member member, std::string_view text);
void set_text(ChromeEvent& event, Member member, std::string_view text);

/// Resets all members to their defaults. The strings keep their capacity for the next event.
void clear(ChromeEvent& event);

/// Returns the kind for a category of Kineto, the tracer of PyTorch. Returns Other for a category
/// that Kineto does not have.
TraceKind kind_of_category(std::string_view category);
/// Returns true for a category of Kineto that is a common word ("kernel"). Other tools may use such
/// a word with another meaning.
bool is_common_word(std::string_view category);
/// Returns the kind for a category that PyTorch used before 1.12. Returns Other for any other
/// category. Other tools use some of the same category names with another meaning.
TraceKind old_kind_of_category(std::string_view category);

/// Converts microseconds, given as text, to nanoseconds. The result is exact if the text has at
/// most three decimals and no exponent. Otherwise the result is rounded to the nearest integer.
/// Returns nothing if the text is not a number or the time is out of range.
std::optional<std::int64_t> ns_of_microseconds(std::string_view text);

}  // namespace normbench
