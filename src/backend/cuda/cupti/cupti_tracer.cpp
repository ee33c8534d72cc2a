#include "backend/cuda/cupti/cupti_tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "backend/cuda/cupti/cupti.h"
#include "backend/cuda/cupti/cupti_buffers.h"
#include "backend/cuda/cupti/cupti_records.h"

namespace normbench::cupti {
namespace {

constexpr std::uint32_t kOldestVersion = 19;  // version of CUPTI in CUDA 12.0
constexpr std::size_t kReadyBuffers = 4;
constexpr std::size_t kNameBytes = 64;  // enough for every name that CUPTI gives

struct Kind {
  CUpti_ActivityKind kind;
  bool needed;
};
/// The kinds of records to enable. KERNEL is missing, because it makes kernels wait for each other.
/// GRAPH_TRACE is missing, because it records a whole graph instead of the kernels in it.
constexpr auto kKinds = std::to_array<Kind>({{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, true},
                                             {CUPTI_ACTIVITY_KIND_MEMCPY, true},
                                             {CUPTI_ACTIVITY_KIND_MEMCPY2, false},
                                             {CUPTI_ACTIVITY_KIND_MEMSET, true},
                                             {CUPTI_ACTIVITY_KIND_RUNTIME, true},
                                             {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, true},
                                             {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false},
                                             {CUPTI_ACTIVITY_KIND_OVERHEAD, false}});

struct Hint {
  CUptiResult result;
  const char* text;
};
constexpr auto kHints = std::to_array<Hint>(
    {{CUPTI_ERROR_UNKNOWN, "no driver or no device"},
     {CUPTI_ERROR_NOT_INITIALIZED, "no driver, or one older than the library"},
     {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "this user lacks the permission"},
     {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
      "this virtual machine lacks the permission"},
     {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "not supported on this virtual device"},
     {CUPTI_ERROR_NOT_SUPPORTED, "not on this device"},
     {CUPTI_ERROR_NOT_COMPATIBLE, "another profiler's settings forbid it"}});

std::string hint(CUptiResult result) {
  for (const Hint& known : kHints)
    if (known.result == result) return fmt::format(", {}", known.text);
  return "";
}

void ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

/// Lends a buffer to CUPTI. If there is none, CUPTI drops records and counts them.
void buffer_requested(std::uint8_t** buffer, std::size_t* size,
                      std::size_t* most_records) noexcept {
  *buffer = process_buffers().lend();
  *size = *buffer != nullptr ? Buffers::bytes : 0;
  *most_records = 0;  // 0: as many as fit
}

void buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                      std::size_t valid_bytes) noexcept {
  process_buffers().give_back(buffer, valid_bytes);
}

/// Returns the name of a subscriber to CUPTI without the prefix "CUPTI for ".
std::string holder_name(std::string_view name) {
  constexpr std::string_view kPrefix = "CUPTI for ";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return name.empty() ? "another tool" : std::string(name);
}

/// Returns the name of a result, like "CUPTI_ERROR_UNKNOWN".
std::string result_name(const Functions& cupti, CUptiResult result) {
  const char* name = nullptr;
  const bool known = cupti.get_result_string(result, &name) == CUPTI_SUCCESS && name != nullptr;
  return known ? name : fmt::format("CUptiResult {}", static_cast<int>(result));
}

}  // namespace

Session::Session(const Functions& cupti) : cupti_(cupti) {
  try {
    missing_ = begin();
  } catch (...) {  // the destructor does not run after an exception of the constructor
    end();
    throw;
  }
  if (!missing_.empty()) end();
}

Session::~Session() { end(); }

std::string Session::begin() {
  std::uint32_t version = 0;
  const CUptiResult asked = cupti_.get_version(&version);
  if (asked != CUPTI_SUCCESS) return refused("cuptiGetVersion", asked);
  if (version < kOldestVersion)
    return fmt::format("CUPTI is too old (version {}; CUDA 12's is {})", version, kOldestVersion);
  if (std::string why = subscribe(); !why.empty()) return why;
  // Records of calls get the thread ids that gettid() returns. The recorder identifies threads by
  // the same ids.
  const CUptiResult threads = cupti_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  if (threads != CUPTI_SUCCESS) return refused("cuptiSetThreadIdType", threads);
  on_host_clock_ =
      cupti_.register_clock != nullptr && cupti_.register_clock(&monotonic_ns) == CUPTI_SUCCESS;
  if (std::string why = hand_buffers(); !why.empty()) return why;
  if (std::string why = enable_kinds(); !why.empty()) return why;
  choose_calls();
  return "";
}

std::string Session::subscribe() {
  std::array<char, kNameBytes> holder{};
  SubscriberParams params{
      .name = "normbench", .holder = holder.data(), .holder_bytes = holder.size()};
  const CUptiResult result =
      cupti_.subscribe_with_params != nullptr
          ? cupti_.subscribe_with_params(&subscriber_, &ignore_callback, nullptr, &params)
          : cupti_.subscribe(&subscriber_, &ignore_callback, nullptr);
  subscribed_ = result == CUPTI_SUCCESS;
  if (subscribed_) return "";
  holder.back() = '\0';
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    return fmt::format("CUPTI is in use by {}", holder_name(holder.data()));
  return refused("cuptiSubscribe", result);
}

std::string Session::hand_buffers() {
  process_buffers().keep(false);
  process_buffers().prepare(kReadyBuffers);
  // Tells CUPTI that the buffers are already zeroed. Otherwise it would zero them inside a traced
  // call.
  std::uint8_t zeroed = 1;
  std::size_t size = sizeof(zeroed);
  cupti_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed);
  const CUptiResult result = cupti_.register_buffers(&buffer_requested, &buffer_completed);
  return result == CUPTI_SUCCESS ? "" : refused("cuptiActivityRegisterCallbacks", result);
}

std::string Session::enable_kinds() {
  for (const Kind& kind : kKinds) {
    const CUptiResult result = cupti_.enable(kind.kind);
    if (result == CUPTI_SUCCESS)
      enabled_.push_back(kind.kind);
    else if (kind.needed)
      return refused(fmt::format("cuptiActivityEnable({})", static_cast<int>(kind.kind)), result);
  }
  return "";
}

/// Limits the calls that CUPTI records, because recording a call takes time. CUPTI before CUDA
/// 12.5 lacks the functions for this, so it records all calls.
void Session::choose_calls() {
  if (cupti_.enable_runtime_call != nullptr)
    for (const CUpti_CallbackId call : quiet_runtime_calls) cupti_.enable_runtime_call(call, 0);
  if (cupti_.enable_all_syncs != nullptr) cupti_.enable_all_syncs(0);
  if (cupti_.enable_driver_call != nullptr) {
    driver_calls_enabled_ = true;
    for (const CUpti_CallbackId call : driver_launches) cupti_.enable_driver_call(call, 1);
  } else if (cupti_.enable(CUPTI_ACTIVITY_KIND_DRIVER) == CUPTI_SUCCESS) {
    enabled_.push_back(CUPTI_ACTIVITY_KIND_DRIVER);
  }
}

void Session::end() {
  if (!subscribed_) return;
  process_buffers().keep(false);
  if (driver_calls_enabled_)
    for (const CUpti_CallbackId call : driver_launches) cupti_.enable_driver_call(call, 0);
  for (const CUpti_ActivityKind kind : enabled_) cupti_.disable(kind);
  if (!enabled_.empty()) cupti_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  cupti_.unsubscribe(subscriber_);
  enabled_.clear();
  driver_calls_enabled_ = false;
  subscribed_ = false;
  process_buffers().release();
}

std::string Session::refused(std::string_view call, CUptiResult result) const {
  return fmt::format("CUPTI cannot record ({}: {}{})", call, result_name(cupti_, result),
                     hint(result));
}

Tracer::Tracer(std::string library, Places places)
    : library_(std::move(library)), places_(std::move(places)) {}

bool Tracer::attach() {
  if (!tried_) missing_ = try_attach();
  if (!tried_ && !session_) missing_ += ": device times come from CUDA events";
  tried_ = true;
  return session_ != nullptr;
}

/// Attaches to the first library that can be used. A library that was loaded may still be unusable,
/// for example if it is too new for the driver. Returns why no library can be used, or "".
std::string Tracer::try_attach() {
  std::string named_error, refused;
  std::vector<std::string> reasons;
  std::vector<const void*> tried;
  for (const std::string& path : candidates(library_, places_)) {
    auto library = std::make_unique<Library>(path);
    if (library->handle() == nullptr) {
      if (path == library_) named_error = library->missing();
      continue;
    }
    if (std::ranges::find(tried, library->handle()) != tried.end()) continue;
    tried.push_back(library->handle());
    std::string why = attach_to(std::move(library));
    if (why.empty()) return "";
    if (std::ranges::find(reasons, why) != reasons.end()) continue;
    refused += reasons.empty() ? why : fmt::format("; {}: {}", path, why);
    reasons.push_back(std::move(why));
  }
  return reasons.empty() ? not_found(named_error, places_) : refused;
}

std::string Tracer::attach_to(std::unique_ptr<Library> library) {
  if (!library->missing().empty()) return library->missing();
  auto session = std::make_unique<Session>(library->functions());
  if (!session->missing().empty()) return session->missing();
  loaded_ = std::move(library);
  session_ = std::move(session);
  return "";
}

void Tracer::start() {
  flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  take_dropped();
  process_buffers().take_lost();
  process_buffers().keep(true);
  if (!session_->is_on_host_clock()) started_ = take_anchor(cupti());
}

DeviceTrace Tracer::stop() {
  ClockMap clock;
  if (!session_->is_on_host_clock()) clock = ClockMap(started_, take_anchor(cupti()));
  flush(0);
  flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  FilledQueue filled = process_buffers().take();
  process_buffers().keep(false);
  std::vector<std::span<std::uint8_t>> bytes;
  for (Filled& buffer : filled) bytes.push_back(buffer.bytes());
  DeviceTrace trace = read_records(bytes, cupti(), clock);
  trace.dropped += take_dropped();
  trace.lost_buffers = process_buffers().take_lost();
  process_buffers().reuse(std::move(filled));
  return trace;
}

void Tracer::push(std::uint64_t external_id) {
  cupti().push_external_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, external_id);
}

void Tracer::pop() {
  std::uint64_t last = 0;
  cupti().pop_external_id(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}

void Tracer::flush(std::uint32_t flag) {
  const CUptiResult result = cupti().flush_all(flag);
  if (result != CUPTI_SUCCESS)
    missing_ = fmt::format("CUPTI did not deliver its records (cuptiActivityFlushAll: {})",
                           result_name(cupti(), result));
}

std::int64_t Tracer::take_dropped() {
  std::size_t dropped = 0;
  const CUptiResult result = cupti().get_dropped(nullptr, 0, &dropped);
  return result == CUPTI_SUCCESS ? static_cast<std::int64_t>(dropped) : 0;
}

}  // namespace normbench::cupti

namespace normbench {

std::unique_ptr<DeviceTracer> make_cupti_tracer(const std::string& library) {
  return std::make_unique<cupti::Tracer>(library, cupti::usual_places());
}

}  // namespace normbench
