#include "trace/read/event_kind.h"

namespace normbench {
namespace {

struct Category {
  std::string_view name;
  std::optional<TraceKind> kind;
};

// Waits for a stream are no work of it, and threads of a stage are not the stage. The last ones are
// those of torch before 1.12.
constexpr Category categories[] = {{"cpu_op", TraceKind::CpuOp},
                                   {"user_annotation", TraceKind::UserAnnotation},
                                   {"cuda_runtime", TraceKind::CudaRuntime},
                                   {"cuda_driver", TraceKind::CudaDriver},
                                   {"kernel", TraceKind::Kernel},
                                   {"gpu_memcpy", TraceKind::GpuMemcpy},
                                   {"gpu_memset", TraceKind::GpuMemset},
                                   {"gpu_user_annotation", TraceKind::GpuUserAnnotation},
                                   {"overhead", TraceKind::Overhead},
                                   {"python_function", {}},
                                   {"cpu_thread", {}},
                                   {"cuda_sync", {}},
                                   {"Trace", {}},
                                   {"Operator", TraceKind::CpuOp},
                                   {"Runtime", TraceKind::CudaRuntime},
                                   {"Kernel", TraceKind::Kernel},
                                   {"Memcpy", TraceKind::GpuMemcpy},
                                   {"Memset", TraceKind::GpuMemset}};

}  // namespace

std::optional<TraceKind> kind_of_category(std::string_view category) {
  for (const auto& [name, kind] : categories)
    if (name == category) return kind;
  return TraceKind::Other;
}

}  // namespace normbench
