/// The NVTX calls normbench makes; nvtx.cpp makes them, nvtx_absent.cpp does nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace normbench::nvtx {

/// Pushes a nested range on this thread; `category` is a RangeKind's number, bytes the payload.
void push(std::string_view name, std::uint32_t category, std::int64_t bytes);
void pop();
/// The registered range `capture`.
void begin_capture();
void end_capture();
/// Why ranges do not reach NVTX in this build, or "" when they do.
std::string_view missing();

}  // namespace normbench::nvtx
