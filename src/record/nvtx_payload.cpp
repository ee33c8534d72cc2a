#include "record/nvtx_payload.h"

#include <nvtx3/nvToolsExtPayload.h>

namespace normbench::nvtx {

std::uint64_t register_bytes(nvtxDomainHandle_t domain) {
  nvtxPayloadSchemaEntry_t entry{};
  entry.type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
  entry.name = "bytes";
  entry.description = "read and written by the range's work";
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  schema.name = "bytes";
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = &entry;
  schema.numEntries = 1;
  schema.payloadStaticSize = sizeof(std::uint64_t);
  return nvtxPayloadSchemaRegister(domain, &schema);
}

bool push_with_bytes(nvtxDomainHandle_t domain, nvtxEventAttributes_t event, std::uint64_t schema,
                     std::uint64_t bytes) {
  if (schema == 0) return false;
  const nvtxPayloadData_t payload{.schemaId = schema, .size = sizeof(bytes), .payload = &bytes};
  event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  event.reserved0 = 1;  // the number of payloads
  event.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&payload);
  nvtxDomainRangePushEx(domain, &event);
  return true;
}

}  // namespace normbench::nvtx
