#define NVTX_NO_IMPL
#define NVTX_STATIC_INJECTION_IMPL
#include <nvtx3/nvToolsExtPayload.h>

#include <cstring>

#include "record/nvtx_tool.h"

namespace normbench::nvtx_test {
namespace {

constexpr std::uint64_t schema_id = 7;

/// Returns the registered schemas as text.
std::string& schemas() {
  static std::string all;
  return all;
}

std::uint64_t NVTX_API register_schema(nvtxDomainHandle_t, const nvtxPayloadSchemaAttr_t* schema) {
  std::string text(schema->name);
  for (std::size_t i = 0; i < schema->numEntries; ++i) {
    const nvtxPayloadSchemaEntry_t& entry = schema->entries[i];
    text += std::string(": ") + entry.name + " of type " + std::to_string(entry.type);
  }
  schemas() += text + ", " + std::to_string(schema->payloadStaticSize) + " bytes";
  return schema_id;
}

int NVTX_API attach_extension(nvtxExtModuleInfo_t* module) {
  if (module->moduleId != NVTX_EXT_PAYLOAD_MODULEID) return 0;
  module->segments[0].functionSlots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] =
      reinterpret_cast<std::intptr_t>(&register_schema);
  return 1;
}

}  // namespace

std::string payload_of(const nvtxEventAttributes_t& event) {
  const auto* const data = reinterpret_cast<const nvtxPayloadData_t*>(event.payload.ullValue);
  if (event.payloadType != NVTX_PAYLOAD_TYPE_EXT || event.reserved0 != 1 ||
      data->schemaId != schema_id || data->size != sizeof(std::uint64_t))
    return "another payload";
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, data->payload, sizeof(bytes));
  return std::to_string(bytes) + " of " + schemas();
}

std::string what_4096_bytes_are() { return "4096 of bytes: bytes of type 18, 8 bytes"; }

extern "C" {
NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr = attach_extension;
}

}  // namespace normbench::nvtx_test
