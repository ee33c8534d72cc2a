/// Reads a Chrome trace that any tool may have written, for tables.
#pragma once

#include <iosfwd>

#include "trace/read/read_trace.h"

namespace normbench {

/// Reads {"traceEvents": […]} or […], event by event. Keeps only what tables need. `name` is the
/// name of the file in messages.
/// - "X", pairs of "B" and "E", and async pairs ("b" and "e", "S" and "F") become slices. Times are
///   JSON numbers, or strings that contain numbers.
/// - If neither PyTorch nor normbench wrote the trace, all slices become ops.
/// - Events that cannot be used are left out. Marks tell how many.
/// - The slices of each lane are sorted, but not clipped.
/// Throws Invalid ("NAME: line 12, column 3: …") for text that is not a trace or is cut off.
ReadTrace read_chrome(std::istream& in, const std::string& name);

}  // namespace normbench
