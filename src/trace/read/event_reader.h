/// The events of a Chrome trace, one by one.
#pragma once

#include <istream>

#include "trace/read/chrome_event.h"

namespace normbench {

/// Reads {"traceEvents": […]}, with anything else before and after, or […] alone, and hands over
/// each event; memory does not grow with their number. Returns the document's `normbench`, null
/// where it has none. Throws Invalid ("line 12, column 3: …", without a place for what concerns the
/// whole) for what is no trace, or is cut off.
Json read_events(std::istream& in, const std::function<void(const ChromeEvent&)>& take);

}  // namespace normbench
