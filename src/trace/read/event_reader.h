/// Reads the events of a Chrome trace, one by one.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <istream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/enums.h"
#include "core/json.h"
#include "trace/read/chrome_event.h"

namespace normbench {

/// Faults in a trace that do not stop it from being read. They are counted.
enum class Leniency { OpenArray, ExtraComma, NotANumber, NotUnicode, DeepArgs };
constexpr std::size_t leniencies = 5;

/// The data in a trace file that is not in its events, and the faults of the file.
struct TraceFacts {
  /// How often a fault occurs, and the line of its first occurrence. `first_line` is 0 if the count
  /// is 0.
  struct Count {
    std::int64_t count = 0;
    std::size_t first_line = 0;

    void add(std::size_t line) { first_line = count++ == 0 ? line : std::min(first_line, line); }
  };

  Json about;                         // the member `normbench` of the file; null: none
  bool profiles_memory = false;       // PyTorch's `profile_memory` was set
  bool has_schema_number = false;     // `schemaVersion` is a number, as PyTorch writes
  std::vector<std::string> warnings;  // first WARNINGs and ERRORs of PyTorch's tracer
  std::array<Count, leniencies> lenient{};

  void note(Leniency what, std::size_t line) { lenient[static_cast<std::size_t>(what)].add(line); }
};

/// Reads {"traceEvents": [...]} with any other members, or only [...]. Calls `take` with each
/// event. The memory that it needs does not grow with the number of events.
/// These faults are counted and tolerated: an array of events without its end, a comma before a
/// closing bracket, NaN and infinity, text that is not UTF-8, and deeply nested args. Throws
/// Invalid for text that is not a trace or is cut off. The message begins with a place ("line 12,
/// column 3: ..."), unless it is about the whole file.
TraceFacts read_events(std::istream& in, const std::function<void(const ChromeEvent&)>& take);

}  // namespace normbench
