#include "record/nvtx.h"

#include <nvtx3/nvToolsExt.h>

#include <array>
#include <string>

#include "record/recorder.h"

namespace normbench::nvtx {
namespace {

/// The domain as the attached tool knows it; a null handle means that no tool is attached.
struct Domain {
  nvtxDomainHandle_t handle = nvtxDomainCreateA("normbench");
  nvtxStringHandle_t capture = nvtxDomainRegisterStringA(handle, "capture");

  Domain() {
    for (const auto& [kind, name] : words(RangeKind{}))
      nvtxDomainNameCategoryA(handle, category_id(static_cast<std::uint32_t>(kind)),
                              std::string(name).c_str());
  }

  /// Category 0 means none to NVTX.
  static std::uint32_t category_id(std::uint32_t category) { return category + 1; }
};

const Domain& domain() {
  static const Domain domain;
  return domain;
}

std::uint32_t colour(std::uint32_t category) {
  constexpr std::array<std::uint32_t, 8> argb{0xff4e79a7, 0xff76b7b2, 0xff59a14f, 0xffedc948,
                                              0xfff28e2b, 0xffff9da7, 0xffbab0ac, 0xff9c755f};
  return argb[category % argb.size()];
}

nvtxEventAttributes_t attributes() {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return event;
}

}  // namespace

void push(std::string_view name, std::uint32_t category, std::int64_t bytes) {
  if (domain().handle == nullptr) return;
  const std::string terminated(name);
  nvtxEventAttributes_t event = attributes();
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = terminated.c_str();
  event.category = Domain::category_id(category);
  event.colorType = NVTX_COLOR_ARGB;
  event.color = colour(category);
  event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  event.payload.ullValue = static_cast<std::uint64_t>(bytes);
  nvtxDomainRangePushEx(domain().handle, &event);
}

void pop() {
  if (domain().handle != nullptr) nvtxDomainRangePop(domain().handle);
}

void begin_capture() {
  if (domain().handle == nullptr) return;
  nvtxEventAttributes_t event = attributes();
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;  // nsys waits for registered strings only
  event.message.registered = domain().capture;
  nvtxDomainRangePushEx(domain().handle, &event);
}

void end_capture() { pop(); }

std::string_view missing() { return {}; }

}  // namespace normbench::nvtx
