// A tool linked into this program receives the NVTX calls, as nsys would.
#define NVTX_NO_IMPL
#define NVTX_STATIC_INJECTION_IMPL
#include "record/nvtx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "record/fake_clock.h"
#include "record/recorder.h"

namespace normbench {
namespace {

using testing::ElementsAre;

/// What the tool was told. Handles are addresses of the strings.
struct Seen {
  std::set<std::string> domains, registered;
  std::map<std::uint32_t, std::string> categories;
  std::vector<std::string> ranges;
  bool listening = false;  // other tests count allocations
};

Seen& seen() {
  static Seen all;
  return all;
}

const std::string& at(const void* handle) { return *static_cast<const std::string*>(handle); }

template <class Handle>
Handle handle_in(std::set<std::string>& strings, const char* text) {
  return reinterpret_cast<Handle>(const_cast<std::string*>(&*strings.insert(text).first));
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return handle_in<nvtxDomainHandle_t>(seen().domains, name);
}

nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* text) {
  return handle_in<nvtxStringHandle_t>(seen().registered, text);
}

void NVTX_API name_category(nvtxDomainHandle_t, std::uint32_t id, const char* name) {
  seen().categories[id] = name;
}

int NVTX_API push_range(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  if (!seen().listening) return 0;
  const bool registered = event->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  std::string line = "push " + at(domain) + " ";
  line.append(registered ? "registered " + at(event->message.registered) : event->message.ascii);
  if (event->category != 0) line.append(" ").append(seen().categories[event->category]);
  if (event->payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64)
    line.append(" ").append(std::to_string(event->payload.ullValue));
  seen().ranges.push_back(line);
  return 0;
}

int NVTX_API pop_range(nvtxDomainHandle_t domain) {
  if (seen().listening) seen().ranges.push_back("pop " + at(domain));
  return 0;
}

int NVTX_API attach(NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size);
  const auto set = [&](unsigned int id, auto function) {
    if (id < size) *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  };
  set(NVTX_CBID_CORE2_DomainCreateA, create_domain);
  set(NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  set(NVTX_CBID_CORE2_DomainNameCategoryA, name_category);
  set(NVTX_CBID_CORE2_DomainRangePushEx, push_range);
  set(NVTX_CBID_CORE2_DomainRangePop, pop_range);
  return 1;
}

TEST(Nvtx, RangesReachTheToolNestedWithCategoryAndBytes) {
  seen().listening = true;
  FakeClock clock;
  Recorder recorder(clock);  // disabled: NVTX does not depend on it
  {
    const CaptureRange capture;
    const Range step(&recorder, RangeKind::Step, "ProfilerStep#0");
    const Range stage(nullptr, RangeKind::Stage, std::string_view("normalize, cut", 9), 4096);
  }
  seen().listening = false;
  EXPECT_THAT(seen().ranges, ElementsAre("push normbench registered capture",
                                         "push normbench ProfilerStep#0 step 0",
                                         "push normbench normalize stage 4096", "pop normbench",
                                         "pop normbench", "pop normbench"));
  EXPECT_THAT(seen().domains, ElementsAre("normbench"));
  EXPECT_THAT(seen().registered, ElementsAre("capture"));
  EXPECT_EQ(nvtx::missing(), "");
}

TEST(Nvtx, EveryKindHasANamedCategory) {
  nvtx::push("any", 0, 0);
  nvtx::pop();
  std::vector<std::string> names;
  for (const auto& [id, name] : seen().categories) names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("run", "point", "variant", "step", "stage", "part", "init", "warmup"));
}

}  // namespace
}  // namespace normbench

extern "C" {
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = normbench::attach;
}
