#include <cuda_profiler_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>

#include "backend/cuda/device.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"
#include "machine/numa.h"
#include "record/nvtx.h"

namespace normbench {
namespace cuda {
namespace {

/// Returns all kernel rows, sorted by op in the order of op_names(). The reference of each op is
/// its first row.
std::vector<Kernel> all_rows() {
  std::vector<Kernel> rows = reference_rows();
  for (const auto list : row_lists) rows.insert(rows.end(), list().begin(), list().end());
  const auto position = [ops = op_names()](const Kernel& kernel) {
    return std::ranges::find(ops, kernel.op) - ops.begin();
  };
  std::ranges::stable_sort(rows, {}, position);
  return rows;
}

/// Returns true if cuInit() in the driver's library finds no device. This also works with a driver
/// that is too old for the CUDA runtime. The runtime then reports cudaErrorInsufficientDriver,
/// whether or not there is a device.
bool driver_finds_none() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed
  auto* const init =
      library ? reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit")) : nullptr;
  return init != nullptr && static_cast<cudaError_t>(init(0)) == cudaErrorNoDevice;
}

/// Returns why there is no device at all. Otherwise returns std::nullopt and sets `devices` to the
/// number of devices.
std::optional<std::string> no_device(int& devices) {
  cudaError_t error = cudaGetDeviceCount(&devices);
  int driver = 0;
  if (error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess) {
    if (driver == 0) return "no NVIDIA driver";
    if (!driver_finds_none())
      return fmt::format("the NVIDIA driver is too old, it supports CUDA {}: {}",
                         version_text(driver), needed_driver());
    error = cudaErrorNoDevice;
  }
  if (error != cudaSuccess)
    return fmt::format("no CUDA device ({}: {})", cudaGetErrorName(error),
                       cudaGetErrorString(error));
  if (devices == 0) return "no CUDA device (cudaGetDeviceCount found none)";
  return std::nullopt;
}

void check_known(int device, int devices) {
  if (device >= 0 && device < devices) return;
  std::string known = "0";
  for (int other = 1; other < devices; ++other) known += fmt::format(", {}", other);
  throw Invalid(fmt::format("no CUDA device {} (this machine has {}: {}; choose with --device)",
                            device, devices, known));
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int device) : device_(device) {
    int devices = 0;
    unavailable_ = no_device(devices);
    if (unavailable_) return;
    check_known(device, devices);
    try_to([this] { look_up(); });
  }

  Place place() const override { return Place::Cuda; }
  std::optional<std::string> unavailable() const override { return unavailable_; }

  std::optional<std::string> ready() override {
    if (!unavailable_)
      std::call_once(start_once_, [this] {
        try_to([this] { start(); });
        is_ready_ = !unavailable_;
      });
    return unavailable_;
  }

  std::span<const Kernel> kernels() const override { return rows_; }

  std::unique_ptr<Queue> make_queue(int threads, Recorder* recorder) override {
    need_device();
    return std::make_unique<CudaQueue>(threads, recorder);
  }

  void enter_thread() override {
    if (is_ready_) check(cudaSetDevice(device_), "cudaSetDevice");
  }

  std::unique_ptr<Allocation> allocate(Memory memory, std::size_t bytes) override {
    need_device();
    return cuda::allocate(memory, bytes, device_);
  }

  std::unique_ptr<Allocation> allocate_fresh(OutputPolicy policy, Memory memory, std::size_t bytes,
                                             Queue& queue) override {
    if (policy != OutputPolicy::Fresh || memory != Memory::Device) return allocate(memory, bytes);
    need_device();
    std::call_once(pool_once_, [&] { pool_.emplace(device_); });
    return pool_->allocate(bytes, stream_of(queue));
  }

  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
    need_device();
    copy_memory(to, from, bytes);
  }

  void fill(std::byte* to, std::byte value, std::size_t bytes) override {
    need_device();
    fill_memory(to, value, bytes);
  }

  Json describe() override {
    if (unavailable_) return {};
    Json facts = describe_device(device_, nvml(), is_ready_);
    facts.update(host_memory_);
    return facts;
  }

  // This asks only NVML, which still answers after a kernel has failed and CUDA has become
  // unusable.
  Json condition() override { return unavailable_ ? Json() : condition_of(nvml()); }

  std::optional<DeviceState> state() override {
    return unavailable_ ? std::nullopt : nvml().state();
  }

  std::int64_t cache_bytes() const override { return l2_bytes_; }
  int device() const override { return device_; }
  std::optional<int> link_node() const override { return link_node_; }

  void start_capture() override {
    if (!ready()) check(cudaProfilerStart(), "cudaProfilerStart");
  }
  void stop_capture() override {
    if (!ready()) check(cudaProfilerStop(), "cudaProfilerStop");
  }

 private:
  /// Runs `work`. If it throws a CudaError, marks the device as unavailable.
  void try_to(const std::function<void()>& work) {
    try {
      work();
    } catch (const CudaError& error) {
      unavailable_ = fmt::format("CUDA device {} cannot be used: {}", device_, error.what());
    }
  }

  /// Makes the device current to this thread, which creates the context. Checks that this build has
  /// kernels for the device.
  void start() {
    check(cudaSetDevice(device_), fmt::format("cudaSetDevice({})", device_));
    check(load_empty(), "loading a kernel");
    nvtx::name_device(device_, fmt::format("normbench GPU {}", device_));
  }

  /// Reads facts about the device for which CUDA needs no context.
  void look_up() {
    check(cudaDeviceGetAttribute(&l2_bytes_, cudaDevAttrL2CacheSize, device_),
          "cudaDeviceGetAttribute(L2CacheSize)");
    pci_bus_id_ = pci_bus_id(device_);
    host_memory_ =
        place_host_memory(pci_bus_id_, "/", [](int node) { return NearNode(node).missing(); });
    const Json& node = host_memory_.at("numa_node");
    if (node.is_number() && topology().numa_nodes > 1) link_node_ = node.get<int>();
  }

  Nvml& nvml() {
    if (!nvml_) nvml_.emplace(pci_bus_id_);
    return *nvml_;
  }

  void need_device() {
    if (const auto why = ready()) throw std::runtime_error(*why);
  }

  const int device_;
  const std::vector<Kernel> rows_ = all_rows();
  std::optional<std::string> unavailable_;
  std::once_flag start_once_;
  bool is_ready_ = false;
  int l2_bytes_ = 0;
  std::string pci_bus_id_;
  Json host_memory_;
  std::optional<int> link_node_;
  std::optional<Nvml> nvml_;  // created at first use
  std::once_flag pool_once_;
  std::optional<Pool> pool_;  // created at first use
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options) {
  return std::make_unique<cuda::CudaBackend>(options.device);
}

}  // namespace normbench
