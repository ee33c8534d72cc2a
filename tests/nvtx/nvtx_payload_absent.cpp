/// In the place of the part of the NVTX tool that payloads with a schema reach.
#define NVTX_NO_IMPL
#include "nvtx/injection.h"

namespace nvtx_injection {

Json other_payload(const nvtxEventAttributes_t& event) { return {{"type", event.payloadType}}; }

}  // namespace nvtx_injection
