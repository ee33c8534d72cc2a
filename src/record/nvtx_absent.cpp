#include "record/nvtx.h"

namespace normbench::nvtx {

bool attached() { return false; }
void push(RangeKind, std::string_view, std::int64_t) {}
void push_capture() {}
void pop() {}
std::uint64_t start(RangeKind, std::string_view) { return 0; }
void end(std::uint64_t) {}
void name_thread(std::string_view) {}
void name_stream(void*, std::string_view) {}
void name_device(int, std::string_view) {}
std::string_view missing() {
  return "built without NVTX headers (nvtx3/nvToolsExt.h, part of the CUDA Toolkit)";
}

}  // namespace normbench::nvtx
