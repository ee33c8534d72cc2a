/// The kinds of ranges, and their NVTX calls. nvtx.cpp makes the calls; nvtx_absent.cpp, for builds
/// without NVTX headers, makes none.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/enums.h"

namespace normbench {

/// The kind of a range, which is also its NVTX category. Part: a part of a stage, on the thread
/// that runs this part. Worker: a thread's share of a stage, on a thread of the stage's team other
/// than the first. Range: stages that the config puts into a range.
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

/// True if a tool receives the calls. The first NVTX call of a process loads the tool.
bool attached();

/// Pushes a nested range on this thread, with the kind's category and colour. Each name is
/// registered once. If `bytes` is above 0, the range carries it as a payload: with the schema
/// `bytes`, or as a plain number if the tool or this build's NVTX headers have no schemas.
/// Call push(), push_capture() and pop() only while attached.
void push(RangeKind kind, std::string_view name, std::int64_t bytes);
/// Pushes the range `capture`, at which a profiler begins to capture. The range's name is a
/// registered string, since nsys recognises no other names there.
void push_capture();
void pop();

/// start() begins a range that may end on another thread, before or after other ranges. end() ends
/// it. Call both only while attached.
std::uint64_t start(RangeKind kind, std::string_view name);
void end(std::uint64_t range);

/// Name the calling thread, a CUDA stream (a cudaStream_t), or a CUDA device by its index. They do
/// nothing while no tool is attached.
void name_thread(std::string_view name);
void name_stream(void* stream, std::string_view name);
void name_device(int index, std::string_view name);

/// Returns why ranges do not reach NVTX in this build, or "" if they do.
std::string_view missing();

}  // namespace normbench::nvtx
