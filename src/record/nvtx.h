/// The kinds of ranges (named spans of time on a thread), and the NVTX calls for them. Builds
/// without NVTX headers use nvtx_absent.cpp, which does nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/enums.h"

namespace normbench {

/// The kind of a range, which is also its NVTX category. Three kinds need an explanation:
/// - Part: a part of a stage's work, like the decoding of an image.
/// - Worker: the share of a stage's work that one thread of a team does. Rank 0 of the team has
///   only the range of the stage itself.
/// - Range: the stages inside a "range" of the config.
enum class RangeKind { Run, Point, Variant, Step, Stage, Part, Init, Warmup, Worker, Range, Image };
constexpr auto words(RangeKind) {
  return std::to_array<Word<RangeKind>>({{RangeKind::Run, "run"},
                                         {RangeKind::Point, "point"},
                                         {RangeKind::Variant, "variant"},
                                         {RangeKind::Step, "step"},
                                         {RangeKind::Stage, "stage"},
                                         {RangeKind::Part, "part"},
                                         {RangeKind::Init, "init"},
                                         {RangeKind::Warmup, "warmup"},
                                         {RangeKind::Worker, "worker"},
                                         {RangeKind::Range, "range"},
                                         {RangeKind::Image, "image"}});
}

}  // namespace normbench

namespace normbench::nvtx {

/// Returns true if a tool, such as Nsight Systems, receives the NVTX calls. The first NVTX call of
/// a process loads the tool.
bool attached();

/// Pushes a nested range on this thread, with the category and colour of its kind. If `bytes` is
/// above 0, the range has that number as its payload. The payload has the name "bytes" if both the
/// tool and the NVTX headers support payload schemas. Call push(), push_capture() and pop() only
/// while a tool is attached.
void push(RangeKind kind, std::string_view name, std::int64_t bytes);
/// Pushes a range named `capture`, at which a profiler can begin to capture. Its name is a
/// registered string, because nsys ignores a capture range whose name is not registered.
void push_capture();
void pop();

/// start() begins a range that may end on another thread and may overlap other ranges. end() ends
/// it. Call them only while a tool is attached.
std::uint64_t start(RangeKind kind, std::string_view name);
void end(std::uint64_t range);

/// The three functions below set the name that tools show for the calling thread, for a
/// cudaStream_t, and for the CUDA device `index`. Without an attached tool they do nothing.
void name_thread(std::string_view name);
void name_stream(void* stream, std::string_view name);
void name_device(int index, std::string_view name);

/// Returns why this build cannot make NVTX calls, or "" if it can.
std::string_view missing();

}  // namespace normbench::nvtx
