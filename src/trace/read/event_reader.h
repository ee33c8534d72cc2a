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

/// Faults in a trace that do not stop it from being read.
enum class Leniency { OpenArray, ExtraComma, NotANumber, NotUnicode, DeepArgs };
constexpr std::size_t leniencies = 5;

/// The facts in a trace file besides its events.
struct TraceFacts {
  /// How often a fault happened, and the line of the first one.
  struct Count {
    std::int64_t count = 0;
    std::size_t first_line = 0;

    void add(std::size_t line) { first_line = count++ == 0 ? line : std::min(first_line, line); }
  };

  Json about;                         // the document's `normbench`; null: none
  bool profiles_memory = false;       // PyTorch's `profile_memory` was set
  bool has_schema_number = false;     // `schemaVersion` is a number, as PyTorch writes
  std::vector<std::string> warnings;  // the first WARNINGs and ERRORs of Kineto
  std::array<Count, leniencies> lenient{};

  void note(Leniency what, std::size_t line) { lenient[static_cast<std::size_t>(what)].add(line); }
};

/// Reads {"traceEvents": […]} with any other members, or only […]. Gives each event to `take`.
/// Memory does not grow with the number of events.
/// It accepts and counts faults that writers of traces leave: an array without its end, a comma
/// before an end, NaN and infinity, names that are not UTF-8. Throws Invalid for text that is no
/// trace, or is cut off. The message is "line 12, column 3: …", or without a place if it is about
/// the whole file.
TraceFacts read_events(std::istream& in, const std::function<void(const ChromeEvent&)>& take);

}  // namespace normbench
