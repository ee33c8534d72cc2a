/// The part of the NVTX tool that handles payloads with a schema.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExtPayload.h>

#include <cstring>

#include "nvtx/injection.h"

namespace nvtx_injection {
namespace {

std::uint64_t register_schema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* schema) {
  Json entries = Json::array();
  for (std::size_t i = 0; i < schema->numEntries; ++i)
    entries.push_back({{"name", schema->entries[i].name}, {"type", schema->entries[i].type}});
  const std::uint64_t id = NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + next_handle();
  note("register_schema", {{"domain", number_of(domain)},
                           {"name", schema->name},
                           {"type", schema->type},
                           {"size", schema->payloadStaticSize},
                           {"entries", entries},
                           {"schema", id}});
  return id;
}

constexpr std::uint32_t payload_extension = 100 + NVTX_EXT_PAYLOAD_MODULEID;
constexpr std::size_t payload_calls = NVTX3EXT_CBID_nvtxEventBatchSubmit + 1;

template <class Function>
std::intptr_t slot_of(Function function) {
  return reinterpret_cast<std::intptr_t>(function);
}

}  // namespace

/// Returns the log entry of the payload. If the payload has a schema, "value" is its 8 bytes as a
/// number, or 0 if the payload does not have 8 bytes.
Json other_payload(const nvtxEventAttributes_t& event) {
  if (event.payloadType != NVTX_PAYLOAD_TYPE_EXT) return {{"type", event.payloadType}};
  const auto* const data = reinterpret_cast<const nvtxPayloadData_t*>(event.payload.ullValue);
  std::uint64_t value = 0;
  if (data->size == sizeof(value)) std::memcpy(&value, data->payload, sizeof(value));
  return {{"schema", data->schemaId},
          {"size", data->size},
          {"count", event.reserved0},
          {"value", value}};
}

// The argument's type has hidden visibility in the NVTX header. A function with such an argument is
// hidden, too, unless an attribute makes it visible.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtxExtension(
    nvtxExtModuleInfo_t* module) {
  if (module->moduleId != NVTX_EXT_PAYLOAD_MODULEID || module->segmentsCount != 1) return 0;
  std::intptr_t* const slots = module->segments[0].functionSlots;
  const auto functions =
      all_unexpected<payload_extension>(std::make_index_sequence<payload_calls>());
  for (std::size_t id = 0; id < payload_calls; ++id) slots[id] = slot_of(functions[id]);
  slots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] = slot_of(&register_schema);
  return 1;
}

}  // namespace nvtx_injection
