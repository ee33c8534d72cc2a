/// The NVTX calls normbench makes; nvtx.cpp makes them, nvtx_absent.cpp does nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/range_kind.h"

namespace normbench::nvtx {

/// True when a tool receives the calls. The first NVTX call of a process loads the tool.
bool attached();

/// Pushes a nested range on this thread, with the kind's category and colour. The name is
/// registered once; bytes above 0 are a payload of the schema `bytes`, or a plain number for a tool
/// without schemas. This, push_capture and pop: only while attached.
void push(RangeKind kind, std::string_view name, std::int64_t bytes);
/// Pushes the range `capture`: a registered string, or nsys would not see where to start.
void push_capture();
void pop();

/// Name the calling thread; a CUDA stream (a cudaStream_t); a CUDA device by its index. They do
/// nothing while no tool is attached.
void name_thread(std::string_view name);
void name_stream(void* stream, std::string_view name);
void name_device(int index, std::string_view name);

/// Why ranges do not reach NVTX in this build, or "" when they do.
std::string_view missing();

}  // namespace normbench::nvtx
