/// Controls the fake CUPTI library of fake_cupti.cpp, by an environment variable and by functions
/// that a fake CUDA runtime calls.
///
/// The library reads FAKE_CUPTI_MODE at every call. With the value MODE@TEXT, a library whose path
/// contains TEXT is in mode MODE, and every other library is in mode "works". The modes:
///   (unset), works  records are delivered
///   unusable        cuptiSubscribe returns 999, as without a driver
///   taken           cuptiSubscribe returns 39; cuptiSubscribe_v2 also names the holder
///   taken_unnamed   cuptiSubscribe returns 39 and names no holder
///   too_new         cuptiSubscribe returns 15, as with a driver older than the library
///   cuda12          records and version are those of CUDA 12 instead of CUDA 13.0
///   no_version      cuptiGetVersion returns 999
///   old             the version is 18, of CUDA 11.8
///   no_clock        the library refuses the timestamp callback and uses a clock of its own
///   forbidden       cuptiActivityEnable returns 35 for memory sets
///   no_flush        cuptiActivityFlushAll returns 999
///   crashes         cuptiActivityFlushAll raises SIGSEGV
///   hangs           cuptiActivityFlushAll does not return
///
/// A fake runtime reports its work by the functions below. A program without a fake runtime gets
/// device records, too: if nothing is reported between the push and the pop of an external id, the
/// library invents one launch and one kernel.
#pragma once

#include <dlfcn.h>

#include <cstdint>

namespace normbench {

/// One kernel, copy or memory set of a device. Times are in ns of CLOCK_MONOTONIC.
struct FakeCuptiWork {
  enum Kind : std::uint32_t { Kernel, Copy, Set };

  Kind kind = Kernel;
  std::uint32_t correlation = 0;  // correlation id of the call that submitted the work
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t stream = 7;
  const char* kernel = nullptr;  // mangled name; only the pointer is copied
  std::uint32_t grid = 1, block = 1;
  std::uint64_t bytes = 0;                  // bytes copied or set
  std::uint8_t copy = 0, from = 0, to = 0;  // CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind
  std::uint32_t graph = 0;                  // id of the graph that the work belongs to; 0: none
};

/// Functions that only the fake library has. All pointers are null if the library is not loaded.
struct FakeCupti {
  /// Reports that this thread called the runtime function with the CUPTI callback id `cbid`.
  /// Returns the correlation id of the call.
  std::uint32_t (*call)(std::uint32_t cbid, std::uint64_t start_ns, std::uint64_t end_ns) = nullptr;
  void (*work)(const FakeCuptiWork*) = nullptr;
  /// Reports that this thread waited for the device. `type` is a CUpti_ActivitySynchronizationType.
  void (*sync)(std::uint32_t type, std::uint32_t correlation, std::uint32_t stream,
               std::uint64_t start_ns, std::uint64_t end_ns) = nullptr;
  /// Reports that `records` records were lost.
  void (*drop)(std::uint32_t records) = nullptr;
  /// Returns a log of the calls of CUPTI, one per line, like "cuptiActivityEnable 10".
  const char* (*log)() = nullptr;
  void (*reset)() = nullptr;

  /// Looks up the functions of `library`, which is a path or a name that the dynamic linker can
  /// find. Does not load the library.
  static FakeCupti find(const char* library = "libcupti.so.13") {
    FakeCupti fake;
    void* const loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    if (loaded == nullptr) return fake;
    look_up(loaded, "fake_cupti_call", fake.call);
    look_up(loaded, "fake_cupti_work", fake.work);
    look_up(loaded, "fake_cupti_sync", fake.sync);
    look_up(loaded, "fake_cupti_drop", fake.drop);
    look_up(loaded, "fake_cupti_log", fake.log);
    look_up(loaded, "fake_cupti_reset", fake.reset);
    dlclose(loaded);
    return fake;
  }

 private:
  template <class Function>
  static void look_up(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
  }
};

}  // namespace normbench
