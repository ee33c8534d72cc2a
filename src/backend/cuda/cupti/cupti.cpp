#include "backend/cuda/cupti/cupti.h"

#include "backend/cuda/cupti/cupti_tracer.h"

namespace normbench {

std::unique_ptr<DeviceTracer> make_cupti_tracer(const std::string& library) {
  return std::make_unique<cupti::Tracer>(library, cupti::usual_places());
}

}  // namespace normbench
