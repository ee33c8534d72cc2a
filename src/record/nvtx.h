/// The kinds of ranges, and the NVTX calls for them. Builds without NVTX headers use
/// nvtx_absent.cpp, which does nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/enums.h"

namespace normbench {

/// The kind of a range, which is also its NVTX category. Part: a part of the work of a stage.
/// Worker: the share of a stage that one further thread of its team does. Range: stages inside a
/// range of the config.
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

/// Returns true if a tool receives the calls. The first NVTX call of a process loads the tool.
bool attached();

/// Pushes a nested range on this thread, with the category and colour of its kind. If `bytes` is
/// above 0, the range carries that number as a payload: named "bytes", or without a name if the
/// tool or the NVTX headers have no payload schemas. Call push(), push_capture() and pop() only
/// while attached.
void push(RangeKind kind, std::string_view name, std::int64_t bytes);
/// Pushes the range `capture`, which tells a profiler to start capturing. Its name is a registered
/// string, because nsys ignores other names here.
void push_capture();
void pop();

/// start() begins a range that may end on another thread and overlap other ranges; end() ends it.
/// Call both only while attached.
std::uint64_t start(RangeKind kind, std::string_view name);
void end(std::uint64_t range);

/// Name the calling thread, a cudaStream_t, or the CUDA device `index`. Do nothing while no tool is
/// attached.
void name_thread(std::string_view name);
void name_stream(void* stream, std::string_view name);
void name_device(int index, std::string_view name);

/// Returns why this build cannot make NVTX calls; "" if it can.
std::string_view missing();

}  // namespace normbench::nvtx
