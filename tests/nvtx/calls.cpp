/// Makes every NVTX call that normbench makes. tests/app/nvtx_headers_test.py builds it with
/// different NVTX headers, and compares what a tool sees.
#include <cstdint>
#include <string>

#include "record/nvtx.h"

int main() {
  using namespace normbench;
  nvtx::name_thread("the only thread");
  nvtx::name_device(1, "a device");
  nvtx::name_stream(reinterpret_cast<void*>(std::uintptr_t{64}), "a stream");
  if (!nvtx::attached()) return 1;
  nvtx::push_capture();
  for (const auto& [kind, name] : words(RangeKind{}))
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40}) {
      nvtx::push(kind, std::string(name) + " \"quoted\" \u00fc", bytes);
      nvtx::end(nvtx::start(kind, "item"));
      nvtx::pop();
    }
  nvtx::pop();
  return 0;
}
