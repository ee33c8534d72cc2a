/// Reads a Chrome trace of any tool, also torch's, for tables.
#pragma once

#include <iosfwd>

#include "trace/read/read_trace.h"

namespace normbench {

/// Reads {"traceEvents": […]} or […], event by event. Memory grows only by what tables need of
/// slices. `name` is the file's name, for messages.
/// "X", pairs of "B" and "E", and async pairs ("b" and "e", "S" and "F") become slices. Times are
/// JSON numbers, or strings with numbers. If the trace is not PyTorch's or normbench's, all slices
/// are ops. Events that cannot be used are left out, and a mark counts them. Lanes are sorted, but
/// nothing is clipped. Throws Invalid ("NAME: line 12, column 3: …") for text that is no trace or
/// is cut off.
ReadTrace read_chrome(std::istream& in, const std::string& name);

}  // namespace normbench
