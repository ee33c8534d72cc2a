#include "record/nvtx.h"

#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "record/nvtx_payload.h"
#include "record/text_hash.h"

namespace normbench::nvtx {
namespace {

/// The ARGB colour of each RangeKind, in the order of the enumerators.
constexpr std::array<std::uint32_t, 11> colours{0xff4e79a7, 0xff76b7b2, 0xff59a14f, 0xffedc948,
                                                0xfff28e2b, 0xffff9da7, 0xffbab0ac, 0xff9c755f,
                                                0xffb07aa1, 0xffe15759, 0xffa0cbe8};
static_assert(colours.size() == words(RangeKind{}).size());

/// Category 0 means "no category" in NVTX, so the categories of ranges begin at 1.
std::uint32_t category_of(RangeKind kind) { return static_cast<std::uint32_t>(kind) + 1; }

class Strings {
 public:
  using Entry = std::pair<const std::string, nvtxStringHandle_t>;

  const Entry& at(nvtxDomainHandle_t domain, std::string_view text) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = entries_.find(text); found != entries_.end()) return *found;
    }
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = entries_.try_emplace(std::string(text));
    if (is_new) entry->second = nvtxDomainRegisterStringA(domain, entry->first.c_str());
    return *entry;
  }

 private:
  std::shared_mutex mutex_;
  std::unordered_map<std::string, nvtxStringHandle_t, TextHash, std::equal_to<>> entries_;
};

/// The NVTX domain of normbench. `handle` is null if no tool is attached.
struct Domain {
  nvtxDomainHandle_t handle = nvtxDomainCreateA("normbench");
  std::uint64_t bytes_schema = 0;
  Strings strings;

  Domain() {
    if (handle == nullptr) return;
    bytes_schema = register_bytes(handle);
    for (const auto& [kind, name] : words(RangeKind{}))
      nvtxDomainNameCategoryA(handle, category_of(kind), std::string(name).c_str());
  }
};

Domain& domain() {
  static Domain domain;
  return domain;
}

nvtxEventAttributes_t event_of(Domain& domain, std::string_view text) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  const auto& [name, handle] = domain.strings.at(domain.handle, text);
  if (handle != nullptr) {
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = handle;
  } else {
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name.c_str();
  }
  return event;
}

nvtxEventAttributes_t event_of(Domain& domain, RangeKind kind, std::string_view text) {
  nvtxEventAttributes_t event = event_of(domain, text);
  event.category = category_of(kind);
  event.colorType = NVTX_COLOR_ARGB;
  event.color = colours[static_cast<std::size_t>(kind)];
  return event;
}

}  // namespace

bool attached() { return domain().handle != nullptr; }

void push(RangeKind kind, std::string_view name, std::int64_t bytes) {
  Domain& to = domain();
  nvtxEventAttributes_t event = event_of(to, kind, name);
  const auto moved = static_cast<std::uint64_t>(bytes);
  if (bytes > 0 && push_with_bytes(to.handle, event, to.bytes_schema, moved)) return;
  if (bytes > 0) {
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = moved;
  }
  nvtxDomainRangePushEx(to.handle, &event);
}

std::uint64_t start(RangeKind kind, std::string_view name) {
  Domain& to = domain();
  const nvtxEventAttributes_t event = event_of(to, kind, name);
  return nvtxDomainRangeStartEx(to.handle, &event);
}

void end(std::uint64_t range) { nvtxDomainRangeEnd(domain().handle, range); }

void push_capture() {
  const nvtxEventAttributes_t event = event_of(domain(), "capture");
  nvtxDomainRangePushEx(domain().handle, &event);
}

void pop() { nvtxDomainRangePop(domain().handle); }

void name_thread(std::string_view name) {
  if (attached())
    nvtxNameOsThreadA(static_cast<std::uint32_t>(gettid()), std::string(name).c_str());
}

// The header nvToolsExtCudaRt.h is not included, because it needs the headers of CUDA. The two
// functions below therefore take NVTX's calls from the table of functions that the tool has filled.

void name_stream(void* stream, std::string_view name) {
  if (!attached()) return;
  if (const auto call = NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).nvtxNameCudaStreamA_impl_fnptr)
    call(stream, std::string(name).c_str());
}

void name_device(int index, std::string_view name) {
  if (!attached()) return;
  if (const auto call = NVTX_VERSIONED_IDENTIFIER(nvtxGlobals).nvtxNameCudaDeviceA_impl_fnptr)
    call(index, std::string(name).c_str());
}

std::string_view missing() { return {}; }

}  // namespace normbench::nvtx
