#include "trace/read/read_chrome.h"

#include <fmt/format.h>

#include "core/issue.h"
#include "trace/read/event_model.h"
#include "trace/read/event_reader.h"

namespace normbench {

TraceModel read_chrome(std::istream& in, const std::string& name) {
  EventModel model;
  Json about;
  try {
    about = read_events(in, [&](const ChromeEvent& event) { model.add(event); });
  } catch (const Invalid& invalid) {
    throw Invalid(fmt::format("{}: {}", name, invalid.what()));
  }
  return model.take(about);
}

}  // namespace normbench
