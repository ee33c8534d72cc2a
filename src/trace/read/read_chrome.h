/// Reads a Chrome trace that any tool may have written. Tables are made from the result.
#pragma once

#include <iosfwd>

#include "trace/read/read_trace.h"

namespace normbench {

/// Reads {"traceEvents": [...]} or [...], event by event. Stores only what tables need. `name` is
/// the name of the file in messages.
/// - "X" events, pairs of "B" and "E", and async pairs ("b" and "e", "S" and "F") become slices.
///   Times may be JSON numbers, or strings that contain numbers.
/// - If neither PyTorch nor normbench wrote the trace, all slices become ops.
/// - Events that cannot be used are left out. Marks say how many.
/// - The slices of each lane are sorted, but not clipped.
/// Throws Invalid ("NAME: line 12, column 3: ...") for text that is not a trace or is cut off.
ReadTrace read_chrome(std::istream& in, const std::string& name);

}  // namespace normbench
