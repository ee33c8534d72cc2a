// A tool in this program receives the NVTX calls, as nsys would. The tool reads payloads by
// nvtx_payload.cpp, or by nvtx_payload_absent.cpp if the NVTX headers have no payloads.
#define NVTX_NO_IMPL
#define NVTX_STATIC_INJECTION_IMPL
#include "record/nvtx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "record/fake_clock.h"
#include "record/nvtx_tool.h"
#include "record/recorder.h"
#include "record/thread_name.h"

namespace normbench::nvtx_test {
namespace {

using testing::ElementsAre;

/// The calls that the tool received. The handle of a domain or of a registered string is the
/// address of the string in `domains` or `registered`.
struct Seen {
  std::set<std::string> domains, registered;
  std::map<std::uint32_t, std::string> categories;
  std::map<std::uint32_t, std::uint32_t> colours;  // key: category
  std::vector<std::string> calls;
  bool listening = false;  // false while other tests count allocations
};

Seen& seen() {
  static Seen all;
  return all;
}

void note(const std::string& call) {
  if (seen().listening) seen().calls.push_back(call);
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
  line.append(registered ? at(event->message.registered) : "a text that is not registered");
  if (event->category != 0) line.append(" ").append(seen().categories[event->category]);
  if (event->payloadType != NVTX_PAYLOAD_UNKNOWN) line.append(", ").append(payload_of(*event));
  note(line);
  if (event->colorType == NVTX_COLOR_ARGB) seen().colours[event->category] = event->color;
  return 0;
}

int NVTX_API pop_range(nvtxDomainHandle_t domain) {
  if (seen().listening) note("pop " + at(domain));
  return 0;
}

void NVTX_API name_thread(std::uint32_t thread, const char* name) {
  note(std::string(thread == static_cast<std::uint32_t>(gettid()) ? "this" : "another") +
       " thread is " + name);
}

void NVTX_API name_stream(void* stream, const char* name) {
  note("stream " + std::to_string(reinterpret_cast<std::uintptr_t>(stream)) + " is " + name);
}

void NVTX_API name_device(int device, const char* name) {
  note("device " + std::to_string(device) + " is " + name);
}

class Module {
 public:
  Module(NvtxGetExportTableFunc_t get_table, NvtxCallbackModule module) {
    static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS))
        ->GetModuleFunctionTable(module, &table_, &size_);
  }
  template <class Function>
  void set(unsigned int id, Function function) {
    if (id < size_) *table_[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }

 private:
  NvtxFunctionTable table_ = nullptr;
  unsigned int size_ = 0;
};

int NVTX_API attach(NvtxGetExportTableFunc_t get_table) {
  Module core(get_table, NVTX_CB_MODULE_CORE), domains(get_table, NVTX_CB_MODULE_CORE2),
      cuda(get_table, NVTX_CB_MODULE_CUDART);
  core.set(NVTX_CBID_CORE_NameOsThreadA, &name_thread);
  cuda.set(NVTX_CBID_CUDART_NameCudaStreamA, &name_stream);
  cuda.set(NVTX_CBID_CUDART_NameCudaDeviceA, &name_device);
  domains.set(NVTX_CBID_CORE2_DomainCreateA, &create_domain);
  domains.set(NVTX_CBID_CORE2_DomainRegisterStringA, &register_string);
  domains.set(NVTX_CBID_CORE2_DomainNameCategoryA, &name_category);
  domains.set(NVTX_CBID_CORE2_DomainRangePushEx, &push_range);
  domains.set(NVTX_CBID_CORE2_DomainRangePop, &pop_range);
  return 1;
}

struct Nvtx : testing::Test {
  Nvtx() {
    seen().calls.clear();
    seen().listening = true;
  }
  ~Nvtx() override { seen().listening = false; }
};

TEST_F(Nvtx, RangesReachTheToolNestedWithCategoryAndBytes) {
  FakeClock clock;
  Recorder recorder(clock);  // not enabled: NVTX ranges work without it
  nvtx::push_capture();
  {
    const Range step(&recorder, RangeKind::Step, "ProfilerStep#0");
    const Range stage(&recorder, RangeKind::Stage, std::string_view("normalize, cut", 9), 4096);
  }
  nvtx::pop();
  EXPECT_THAT(seen().calls,
              ElementsAre("push normbench capture", "push normbench ProfilerStep#0 step",
                          "push normbench normalize stage, " + what_4096_bytes_are(),
                          "pop normbench", "pop normbench", "pop normbench"));
  EXPECT_THAT(seen().domains, ElementsAre("normbench"));
  EXPECT_EQ(clock.now_ns(), 1);  // the ranges did not read the clock
  EXPECT_TRUE(nvtx::attached());
  EXPECT_EQ(nvtx::missing(), "");
}

TEST_F(Nvtx, ARangeWithoutARecorderIsNone) {
  { const Range range(nullptr, RangeKind::Stage, "stage", 4096); }
  EXPECT_THAT(seen().calls, ElementsAre());
}

TEST_F(Nvtx, ARangeThatOpensBeforeRecordingAndClosesAfterItIsPushedAndPopped) {
  FakeClock clock;
  Recorder recorder(clock);
  {
    const Range range(&recorder, RangeKind::Run, "run");
    recorder.enable(true);
  }
  {
    const Range range(&recorder, RangeKind::Run, "run");
    recorder.enable(false);
  }
  EXPECT_THAT(seen().calls, ElementsAre("push normbench run run", "pop normbench",
                                        "push normbench run run", "pop normbench"));
  EXPECT_TRUE(recorder.take().empty());
}

TEST_F(Nvtx, EveryKindHasANamedCategoryAndAColourOfItsOwn) {
  std::vector<std::string> expected;
  for (const auto& [kind, name] : words(RangeKind{})) {
    nvtx::push(kind, "any", 0);
    nvtx::pop();
    expected.emplace_back(name);
  }
  std::vector<std::string> names;
  for (const auto& [id, name] : seen().categories) names.push_back(name);
  EXPECT_EQ(names, expected);
  std::set<std::uint32_t> colours;
  for (const auto& [id, colour] : seen().colours) colours.insert(colour);
  EXPECT_EQ(colours.size(), expected.size());
}

TEST_F(Nvtx, NamesAreRegisteredOnce) {
  const std::string name = "a name longer than a small string's buffer", same = name;
  nvtx::push(RangeKind::Stage, name, 0);
  nvtx::pop();
  const auto registered = seen().registered.size();
  nvtx::push(RangeKind::Stage, same, 0);
  nvtx::pop();
  EXPECT_EQ(seen().registered.size(), registered);
  EXPECT_EQ(seen().registered.count(name), 1u);
}

TEST_F(Nvtx, ThreadsStreamsAndDevicesAreNamed) {
  std::thread([] { name_this_thread("a thread with a long name"); }).join();
  nvtx::name_stream(reinterpret_cast<void*>(std::uintptr_t{64}), "normbench compute");
  nvtx::name_device(2, "GPU 2");
  EXPECT_THAT(seen().calls, ElementsAre("this thread is a thread with a long name",
                                        "stream 64 is normbench compute", "device 2 is GPU 2"));
}

}  // namespace

extern "C" {
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = attach;
}

}  // namespace normbench::nvtx_test
