/// An NVTX tool that logs every call as one line of JSON with `pid`, `tid` and `call`. If normbench
/// should not make a call, its `call` is "unexpected".
///
/// Environment variables:
/// - NVTX_INJECTION64_PATH: the path of this tool, from which NVTX loads it.
/// - NVTX_INJECTION_LOG: the file to which lines are appended. If it is not set, nothing is logged.
/// - NVTX_INJECTION_HANGS: if it is set, the end of the range `capture` never returns.
#define NVTX_NO_IMPL
#include "nvtx/injection.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace nvtx_injection {

/// Each line is written by a single write() to the end of the file, so that the lines of threads
/// and processes do not mix.
void note(const char* call, const Json& more) {
  static const int file = [] {
    const char* const path = std::getenv("NVTX_INJECTION_LOG");
    return path == nullptr ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }();
  if (file < 0) return;
  Json line{{"pid", getpid()}, {"tid", gettid()}, {"call", call}};
  line.update(more);
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
}

std::uintptr_t next_handle() {
  static std::atomic<std::uintptr_t> last{0};
  return ++last;
}

namespace {

template <class Handle>
Handle as_handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);  // NVTX never dereferences its handles
}

// --- calls that normbench makes

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  const std::uintptr_t handle = next_handle();
  note("create_domain", {{"name", name}, {"domain", handle}});
  return as_handle<nvtxDomainHandle_t>(handle);
}

/// The handle of the registered string `capture`.
std::atomic<std::uintptr_t> capture_string{0};

nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char* text) {
  const std::uintptr_t handle = next_handle();
  if (std::string_view(text) == "capture") capture_string = handle;
  note("register_string", {{"domain", number_of(domain)}, {"text", text}, {"string", handle}});
  return as_handle<nvtxStringHandle_t>(handle);
}

void NVTX_API name_category(nvtxDomainHandle_t domain, std::uint32_t id, const char* name) {
  note("name_category", {{"domain", number_of(domain)}, {"category", id}, {"name", name}});
}

Json message_of(const nvtxEventAttributes_t& event) {
  switch (event.messageType) {
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return {{"string", number_of(event.message.registered)}};
    case NVTX_MESSAGE_TYPE_ASCII:
      return {{"text", event.message.ascii}};
    default:
      return nullptr;
  }
}

Json payload_of(const nvtxEventAttributes_t& event) {
  switch (event.payloadType) {
    case NVTX_PAYLOAD_UNKNOWN:
      return nullptr;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      return {{"value", event.payload.ullValue}};
    default:
      return other_payload(event);
  }
}

/// Returns one entry for each open range of the calling thread: true for the range `capture`.
std::vector<bool>& open_captures() {
  thread_local std::vector<bool> open;
  return open;
}

int NVTX_API push_range(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  open_captures().push_back(event->messageType == NVTX_MESSAGE_TYPE_REGISTERED &&
                            number_of(event->message.registered) == capture_string);
  note("push", {{"domain", number_of(domain)},
                {"message", message_of(*event)},
                {"category", event->category},
                {"color", event->colorType == NVTX_COLOR_ARGB ? Json(event->color) : Json()},
                {"payload", payload_of(*event)}});
  return 0;
}

int NVTX_API pop_range(nvtxDomainHandle_t domain) {
  note("pop", {{"domain", number_of(domain)}});
  if (!open_captures().empty()) {
    const bool hangs = open_captures().back() && std::getenv("NVTX_INJECTION_HANGS") != nullptr;
    while (hangs) pause();
    open_captures().pop_back();
  }
  return 0;
}

nvtxRangeId_t NVTX_API start_range(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  const std::uintptr_t range = next_handle();
  note("start", {{"domain", number_of(domain)},
                 {"message", message_of(*event)},
                 {"category", event->category},
                 {"range", range}});
  return range;
}

void NVTX_API end_range(nvtxDomainHandle_t domain, nvtxRangeId_t range) {
  note("end", {{"domain", number_of(domain)}, {"range", range}});
}

void NVTX_API name_thread(std::uint32_t thread, const char* name) {
  note("name_thread", {{"thread", thread}, {"name", name}});
}

void NVTX_API name_stream(void* stream, const char* name) {
  note("name_stream", {{"stream", number_of(stream)}, {"name", name}});
}

void NVTX_API name_device(int device, const char* name) {
  note("name_device", {{"device", device}, {"name", name}});
}

void NVTX_API initialize(const void*) { note("initialize", Json::object()); }

// --- attaching to NVTX

/// A module (a table of functions) of NVTX. The constructor replaces all its functions by functions
/// of this tool.
template <std::uint32_t Module, std::size_t Size>
class CoreModule {
 public:
  explicit CoreModule(NvtxGetExportTableFunc_t get_table) {
    const auto* const callbacks =
        static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
    unsigned int size = 0;
    callbacks->GetModuleFunctionTable(static_cast<NvtxCallbackModule>(Module), &table_, &size);
    if (size != Size) std::abort();  // the headers of the program and the tool differ
    const auto functions = all_unexpected<Module>(std::make_index_sequence<Size>());
    for (std::size_t id = 1; id < Size; ++id) set(id, functions[id]);
  }

  template <class Function>
  void set(std::size_t id, Function function) {
    *table_[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }

 private:
  NvtxFunctionTable table_ = nullptr;
};

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* const version =
      static_cast<const NvtxExportTableVersionInfo*>(get_table(NVTX_ETID_VERSIONINFO));
  note("attach", {{"version", version->version}});

  CoreModule<NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_SIZE> core(get_table);
  core.set(NVTX_CBID_CORE_NameOsThreadA, &name_thread);
  CoreModule<NVTX_CB_MODULE_CUDART, NVTX_CBID_CUDART_SIZE> cuda(get_table);
  cuda.set(NVTX_CBID_CUDART_NameCudaStreamA, &name_stream);
  cuda.set(NVTX_CBID_CUDART_NameCudaDeviceA, &name_device);
  CoreModule<NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_SIZE> domains(get_table);
  domains.set(NVTX_CBID_CORE2_Initialize, &initialize);
  domains.set(NVTX_CBID_CORE2_DomainCreateA, &create_domain);
  domains.set(NVTX_CBID_CORE2_DomainRegisterStringA, &register_string);
  domains.set(NVTX_CBID_CORE2_DomainNameCategoryA, &name_category);
  domains.set(NVTX_CBID_CORE2_DomainRangePushEx, &push_range);
  domains.set(NVTX_CBID_CORE2_DomainRangePop, &pop_range);
  domains.set(NVTX_CBID_CORE2_DomainRangeStartEx, &start_range);
  domains.set(NVTX_CBID_CORE2_DomainRangeEnd, &end_range);
  return 1;
}

}  // namespace nvtx_injection
