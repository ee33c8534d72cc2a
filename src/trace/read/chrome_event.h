/// One event of a Chrome trace, as any tool writes it, with the members that tables need.
#pragma once

#include <cstddef>

#include "trace/model.h"

namespace normbench {

struct ChromeEvent {
  std::size_t line = 0;
  std::string phase, category, name;
  std::int64_t pid = 0, tid = 0;
  std::string pid_text, tid_text;  // where those are no numbers
  std::optional<std::int64_t> start_ns, duration_ns;
  std::string id;         // of an async event
  std::string scope;      // of the id
  bool local_id = false;  // the id is its process's own

  // Of `args`.
  std::uint64_t external_id = 0;                            // 0: none
  std::int64_t correlation = -1, stream = -1, device = -1;  // -1: none
  std::int64_t bytes = 0;
  std::int64_t allocated_bytes = 0;          // PyTorch's, of a [memory] event; negative: freed
  std::int64_t device_type = 0;              // PyTorch's, of a [memory] event; 0: the host
  std::int64_t dropped_events = 0;           // ONNX Runtime's, of a profile that is full
  bool has_count = false, has_mean = false;  // clang's, of sums of other events
  bool unfinished = false;                   // PyTorch's, of what was open when it stopped
  std::string source;                        // of times, where they are not those of records
  bool over_link = false;
  std::string shapes;  // of the inputs, as torch prints them
  std::string label;   // normbench's, of a name with a step's number
};

/// What a key says, in the event itself or in its `args`.
enum class Member {
  None,  // nothing that is needed
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

/// Values that make no sense for a member leave it as it was.
void set_boolean(ChromeEvent& event, Member member, bool value);
/// `text` is the number as written: times are exact by it.
void set_number(ChromeEvent& event, Member member, std::string_view text);
void set_text(ChromeEvent& event, Member member, std::string_view text);

/// Empty, with the room that it had.
void clear(ChromeEvent& event);

/// Of Kineto's categories, in which PyTorch writes; Other for those without rows, and for others.
TraceKind kind_of_category(std::string_view category);
/// True where other tools may use the word for something else.
bool is_common_word(std::string_view category);
/// The same of PyTorch before 1.12, whose words other tools use for something else.
TraceKind old_kind_of_category(std::string_view category);

/// Nanoseconds of microseconds as text, exact when it has at most three decimals and no exponent,
/// else rounded to the nearest; nothing for what is no such number or too large.
std::optional<std::int64_t> ns_of_microseconds(std::string_view text);

}  // namespace normbench
