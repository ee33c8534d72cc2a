/// A fake libcupti that needs no GPU. It accepts a subscriber, requests buffers, and delivers
/// records of the work that is reported to it by the functions of fake_cupti.h.
#include "fake_cupti.h"

#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// CUpti_SubscriberParams as CUDA 13 declares it.
struct FakeSubscriberParams {
  std::size_t struct_bytes;
  const char* name;
  char* holder;
  std::size_t holder_bytes;
};

namespace {

using normbench::FakeCuptiWork;

constexpr std::uint64_t kOwnClock = 1'700'000'000'000'000'000;  // ns ahead of CLOCK_MONOTONIC
constexpr std::uint32_t kLaunchKernel = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;

/// A buffer of the client (the program that uses CUPTI). The library is writing records into it.
struct Buffer {
  std::uint8_t* data = nullptr;
  std::size_t size = 0, used = 0;
};

/// An external correlation id that the client pushed. `reported` is true if a call was reported
/// after the push.
struct Pushed {
  std::uint64_t id = 0, start_ns = 0;
  bool reported = false;
};

struct State {
  std::string log;
  bool subscribed = false;
  std::set<int> enabled;
  CUpti_TimestampCallbackFunc clock = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  Buffer buffer;
  std::vector<Pushed> pushed;
  std::uint32_t last_correlation = 0, dropped = 0;
};

State& state() {
  static State* const the_one = new State;
  return *the_one;
}

/// Returns the path from which this library was loaded.
std::string_view own_path() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&own_path), &info);
  return info.dli_fname;
}

std::string_view mode() {
  const char* const asked = std::getenv("FAKE_CUPTI_MODE");
  const std::string_view mode = asked != nullptr ? asked : "works";
  const std::size_t at = mode.find('@');
  if (at == mode.npos) return mode;
  return own_path().find(mode.substr(at + 1)) != mode.npos ? mode.substr(0, at) : "works";
}

void note(const std::string& call) { state().log += call + "\n"; }

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Returns the current device of the program's CUDA runtime; 0 if cudaGetDevice is not exported.
std::uint32_t current_device() {
  auto* const get = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, "cudaGetDevice"));
  int device = 0;
  if (get != nullptr) get(&device);
  return static_cast<std::uint32_t>(device);
}

std::uint64_t own_time(std::uint64_t host_ns) {
  return state().clock != nullptr || host_ns == 0 ? host_ns : host_ns + kOwnClock;
}

void hand_over() {
  Buffer done;
  std::swap(done, state().buffer);
  if (done.data != nullptr) state().complete(nullptr, 0, done.data, done.size, done.used);
}

bool is_zeroed(const Buffer& buffer) {
  return std::all_of(buffer.data, buffer.data + buffer.size,
                     [](std::uint8_t byte) { return byte == 0; });
}

void ask_for_buffer() {
  std::size_t most_records = 0;
  Buffer buffer;
  state().request(&buffer.data, &buffer.size, &most_records);
  if (buffer.data == nullptr) return;
  if (reinterpret_cast<std::uintptr_t>(buffer.data) % 8 != 0) note("unaligned buffer");
  if (!is_zeroed(buffer)) note("buffer with something in it");
  state().buffer = buffer;
}

/// The kernel record of CUDA 13.0. Older headers do not declare it.
struct Kernel10 {
  CUpti_ActivityKernel9 kernel;
  std::uint8_t launched_by_device = 0, padding[7] = {};
};
static_assert(sizeof(Kernel10) == 216);

/// Returns true if the library acts as one of CUDA 12, whose kernel records are shorter.
bool is_of_cuda_12() { return mode() == "cuda12"; }

template <class Record>
int kind_of(const Record& record) {
  CUpti_ActivityKind kind;
  std::memcpy(&kind, &record, sizeof(kind));  // all records begin with their kind
  return static_cast<int>(kind);
}

template <class Record>
void write(const Record& record) {
  if (!state().subscribed || state().enabled.count(kind_of(record)) == 0) return;
  if (state().buffer.size - state().buffer.used < sizeof(record)) hand_over();
  if (state().buffer.data == nullptr) ask_for_buffer();
  Buffer& buffer = state().buffer;
  if (buffer.data == nullptr) {
    ++state().dropped;
    return;
  }
  std::memcpy(buffer.data + buffer.used, &record, sizeof(record));
  buffer.used += sizeof(record);
}

std::size_t bytes_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return is_of_cuda_12() ? sizeof(CUpti_ActivityKernel9) : sizeof(Kernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy5);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(CUpti_ActivitySynchronization);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return 0;
  }
}

void write_kernel(const FakeCuptiWork& work) {
  CUpti_ActivityKernel9 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = own_time(work.start_ns);
  record.end = own_time(work.end_ns);
  record.deviceId = current_device();
  record.contextId = 1;
  record.streamId = work.stream;
  record.correlationId = work.correlation;
  record.name = work.kernel;
  record.registersPerThread = 32;
  record.gridX = static_cast<std::int32_t>(work.grid);
  record.blockX = static_cast<std::int32_t>(work.block);
  record.gridY = record.gridZ = record.blockY = record.blockZ = 1;
  record.graphId = work.graph;
  record.graphNodeId = work.graph;
  if (is_of_cuda_12())
    write(record);
  else
    write(Kernel10{.kernel = record});
}

void write_copy(const FakeCuptiWork& work) {
  CUpti_ActivityMemcpy5 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = work.copy;
  record.srcKind = work.from;
  record.dstKind = work.to;
  record.bytes = work.bytes;
  record.start = own_time(work.start_ns);
  record.end = own_time(work.end_ns);
  record.deviceId = current_device();
  record.contextId = 1;
  record.streamId = work.stream;
  record.correlationId = work.correlation;
  record.graphId = work.graph;
  record.graphNodeId = work.graph;
  write(record);
}

void write_set(const FakeCuptiWork& work) {
  CUpti_ActivityMemset4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.bytes = work.bytes;
  record.start = own_time(work.start_ns);
  record.end = own_time(work.end_ns);
  record.deviceId = current_device();
  record.contextId = 1;
  record.streamId = work.stream;
  record.correlationId = work.correlation;
  record.memoryKind = work.to;
  record.graphId = work.graph;
  record.graphNodeId = work.graph;
  write(record);
}

void write_external_id(std::uint32_t correlation) {
  if (state().pushed.empty()) return;
  state().pushed.back().reported = true;
  CUpti_ActivityExternalCorrelation record{};
  record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  record.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  record.externalId = state().pushed.back().id;
  record.correlationId = correlation;
  write(record);
}

std::uint32_t write_call(std::uint32_t cbid, std::uint64_t start_ns, std::uint64_t end_ns) {
  const std::uint32_t correlation = ++state().last_correlation;
  write_external_id(correlation);
  CUpti_ActivityAPI record{};
  record.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  record.cbid = cbid;
  record.start = own_time(start_ns);
  record.end = own_time(end_ns);
  record.processId = static_cast<std::uint32_t>(getpid());
  record.threadId = static_cast<std::uint32_t>(gettid());
  record.correlationId = correlation;
  write(record);
  return correlation;
}

/// Reports a launch and its kernel for the pushed id `pushed`. The kernel takes the second half of
/// the time since the push.
void invent(const Pushed& pushed) {
  const std::uint64_t end_ns = std::max(monotonic_ns(), pushed.start_ns + 4);
  const std::uint64_t quarter = (end_ns - pushed.start_ns) / 4;
  const std::uint64_t middle = pushed.start_ns + 2 * quarter;
  FakeCuptiWork work;
  work.correlation = write_call(kLaunchKernel, pushed.start_ns + quarter, middle);
  work.start_ns = middle;
  work.end_ns = end_ns;
  work.stream = 13;
  work.kernel = "_Z15fake_cupti_workPfi";
  write_kernel(work);
}

CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, char* holder, std::size_t holder_bytes) {
  if (mode() == "unusable") return CUPTI_ERROR_UNKNOWN;
  if (mode() == "too_new") return CUPTI_ERROR_NOT_INITIALIZED;
  if (mode() == "taken" && holder != nullptr) std::strncpy(holder, "Nsight Systems", holder_bytes);
  if (mode() == "taken" || mode() == "taken_unnamed" || state().subscribed)
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  state().subscribed = true;
  *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&state());
  return CUPTI_SUCCESS;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  note("cuptiGetVersion");
  if (mode() == "no_version") return CUPTI_ERROR_UNKNOWN;
  *version = mode() == "old" ? 18 : is_of_cuda_12() ? 24 : 130001;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_UNKNOWN                   ? "CUPTI_ERROR_UNKNOWN"
          : result == CUPTI_ERROR_NOT_INITIALIZED         ? "CUPTI_ERROR_NOT_INITIALIZED"
          : result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                          : "CUPTI_ERROR_OTHER";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*) {
  note("cuptiSubscribe");
  return subscribe(subscriber, nullptr, 0);
}

// Older CUPTI headers do not declare the next five functions. They are defined under names of this
// file and get the symbol names of CUPTI by __asm__.
CUptiResult subscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*,
                         FakeSubscriberParams*) __asm__("cuptiSubscribe_v2");
CUptiResult subscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*,
                         FakeSubscriberParams* params) {
  note(std::string("cuptiSubscribe_v2 ") + params->name);
  if (params->struct_bytes != sizeof(FakeSubscriberParams)) return CUPTI_ERROR_INVALID_PARAMETER;
  return subscribe(subscriber, params->holder, params->holder_bytes);
}

CUptiResult enable_runtime_call(std::uint32_t,
                                std::uint8_t) __asm__("cuptiActivityEnableRuntimeApi");
CUptiResult enable_runtime_call(std::uint32_t cbid, std::uint8_t enable) {
  note("cuptiActivityEnableRuntimeApi " + std::to_string(cbid) + " " + std::to_string(enable));
  return CUPTI_SUCCESS;
}

CUptiResult enable_driver_call(std::uint32_t, std::uint8_t) __asm__("cuptiActivityEnableDriverApi");
CUptiResult enable_driver_call(std::uint32_t cbid, std::uint8_t enable) {
  note("cuptiActivityEnableDriverApi " + std::to_string(cbid) + " " + std::to_string(enable));
  return CUPTI_SUCCESS;
}

CUptiResult enable_all_syncs(std::uint8_t) __asm__("cuptiActivityEnableAllSyncRecords");
CUptiResult enable_all_syncs(std::uint8_t enable) {
  note("cuptiActivityEnableAllSyncRecords " + std::to_string(enable));
  return CUPTI_SUCCESS;
}

CUptiResult register_clock(CUpti_TimestampCallbackFunc) __asm__(
    "cuptiActivityRegisterTimestampCallback");
CUptiResult register_clock(CUpti_TimestampCallbackFunc clock) {
  note("cuptiActivityRegisterTimestampCallback");
  if (mode() == "no_clock") return CUPTI_ERROR_NOT_SUPPORTED;
  state().clock = clock;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  note("cuptiUnsubscribe");
  if (state().buffer.data != nullptr) note("a buffer was never given back");
  state().subscribed = false;
  state().clock = nullptr;
  state().buffer = {};
  state().pushed.clear();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  note("cuptiSetThreadIdType " + std::to_string(type));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp) {
  *timestamp = state().clock != nullptr ? state().clock() : own_time(monotonic_ns());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t cbid,
                                 const char** name) {
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API) return CUPTI_ERROR_INVALID_PARAMETER;
  switch (cbid) {
    case kLaunchKernel:
      *name = "cudaLaunchKernel_v7000";
      return CUPTI_SUCCESS;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020:
      *name = "cudaMemcpy_v3020";
      return CUPTI_SUCCESS;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020:
      *name = "cudaMemcpyAsync_v3020";
      return CUPTI_SUCCESS;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020:
      *name = "cudaMemset_v3020";
      return CUPTI_SUCCESS;
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020:
      *name = "cudaMemsetAsync_v3020";
      return CUPTI_SUCCESS;
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020:
      *name = "cudaStreamSynchronize_v3020";
      return CUPTI_SUCCESS;
    case CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000:
      *name = "cudaGraphLaunch_v10000";
      return CUPTI_SUCCESS;
    default:
      return CUPTI_ERROR_INVALID_PARAMETER;
  }
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  note("cuptiActivityRegisterCallbacks");
  state().request = request;
  state().complete = complete;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t* size,
                                      void* value) {
  note("cuptiActivitySetAttribute " + std::to_string(attribute) + " " +
       (*size == 1 ? std::to_string(*static_cast<std::uint8_t*>(value)) : "?"));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  note("cuptiActivityEnable " + std::to_string(kind));
  if (mode() == "forbidden" && kind == CUPTI_ACTIVITY_KIND_MEMSET)
    return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  state().enabled.insert(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  note("cuptiActivityDisable " + std::to_string(kind));
  state().enabled.erase(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  note("cuptiActivityFlushAll " + std::to_string(flag));
  if (mode() == "no_flush") return CUPTI_ERROR_UNKNOWN;
  if (mode() == "crashes") std::raise(SIGSEGV);
  while (mode() == "hangs") pause();
  hand_over();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid_bytes,
                                       CUpti_Activity** record) {
  std::uint8_t* next = buffer;
  if (*record != nullptr)
    next = reinterpret_cast<std::uint8_t*>(*record) + bytes_of((*record)->kind);
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  auto* const found = reinterpret_cast<CUpti_Activity*>(next);
  if (bytes_of(found->kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  *record = found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = state().dropped;
  state().dropped = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind,
                                                   std::uint64_t id) {
  state().pushed.push_back({.id = id, .start_ns = monotonic_ns(), .reported = false});
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind,
                                                  std::uint64_t* last) {
  if (state().pushed.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  const Pushed pushed = state().pushed.back();
  if (!pushed.reported) invent(pushed);
  state().pushed.pop_back();
  if (!state().pushed.empty()) state().pushed.back().reported = true;
  *last = pushed.id;
  return CUPTI_SUCCESS;
}

std::uint32_t fake_cupti_call(std::uint32_t cbid, std::uint64_t start_ns, std::uint64_t end_ns) {
  return write_call(cbid, start_ns, end_ns);
}

void fake_cupti_work(const FakeCuptiWork* work) {
  if (work->kind == FakeCuptiWork::Kernel) write_kernel(*work);
  if (work->kind == FakeCuptiWork::Copy) write_copy(*work);
  if (work->kind == FakeCuptiWork::Set) write_set(*work);
}

void fake_cupti_sync(std::uint32_t type, std::uint32_t correlation, std::uint32_t stream,
                     std::uint64_t start_ns, std::uint64_t end_ns) {
  CUpti_ActivitySynchronization record{};
  record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  record.type = static_cast<CUpti_ActivitySynchronizationType>(type);
  record.start = own_time(start_ns);
  record.end = own_time(end_ns);
  record.correlationId = correlation;
  record.contextId = 1;
  record.streamId = stream;
  write(record);
}

void fake_cupti_drop(std::uint32_t records) { state().dropped += records; }

const char* fake_cupti_log() { return state().log.c_str(); }

void fake_cupti_reset() { state() = State(); }

}  // extern "C"
