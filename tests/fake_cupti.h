/// What the fake CUPTI library of fake_cupti.cpp understands, and what a fake CUDA runtime may tell
/// it.
///
/// FAKE_CUPTI_MODE, read at every call; MODE@TEXT is for libraries with TEXT in their path:
///   (unset), works  records are handed over
///   unusable        cuptiSubscribe gives 999, as without a driver
///   taken           cuptiSubscribe gives 39 and, in its second version, a holder's name
///   taken_unnamed   the same without a name
///   too_new         cuptiSubscribe gives 15, as where the driver is older than the library
///   cuda12          records and version are those of CUDA 12; else they are of CUDA 13.0
///   no_version      cuptiGetVersion gives 999
///   old             the version is 18, of CUDA 11.8
///   no_clock        the timestamp callback is refused: times are those of a clock of its own
///   forbidden       cuptiActivityEnable gives 35 for memory sets
///   no_flush        cuptiActivityFlushAll gives 999
///
/// Work is what the runtime reports by the functions below. Between a push and a pop of an external
/// id in which nothing was reported, the library invents one launch and one kernel, so that a
/// program whose runtime reports nothing has a GPU lane too.
#pragma once

#include <dlfcn.h>

#include <cstdint>

namespace normbench {

/// One thing that a device did. Times are those of CLOCK_MONOTONIC.
struct FakeCuptiWork {
  enum Kind : std::uint32_t { Kernel, Copy, Set };

  Kind kind = Kernel;
  std::uint32_t correlation = 0;  // of the call that started it
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t stream = 7;
  const char* kernel = nullptr;  // mangled; a string that lives on
  std::uint32_t grid = 1, block = 1;
  std::uint64_t bytes = 0;                  // copied or set
  std::uint8_t copy = 0, from = 0, to = 0;  // CUpti_ActivityMemcpyKind, …MemoryKind
  std::uint32_t graph = 0;                  // 0: no graph launched it
};

/// The library's own functions; all null where it is not loaded.
struct FakeCupti {
  /// A call of the runtime (CUPTI's number of it) on this thread; returns its correlation.
  std::uint32_t (*call)(std::uint32_t cbid, std::uint64_t start_ns, std::uint64_t end_ns) = nullptr;
  void (*work)(const FakeCuptiWork*) = nullptr;
  /// A wait on this thread: CUpti_ActivitySynchronizationType.
  void (*sync)(std::uint32_t type, std::uint32_t correlation, std::uint32_t stream,
               std::uint64_t start_ns, std::uint64_t end_ns) = nullptr;
  /// Says that so many records were lost.
  void (*drop)(std::uint32_t records) = nullptr;
  /// Every call of CUPTI so far, one a line: "cuptiActivityEnable 10".
  const char* (*log)() = nullptr;
  void (*reset)() = nullptr;

  /// The functions of the library at this path, or with the name the loader knows, if it is loaded.
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
