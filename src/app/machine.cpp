#include "app/machine.h"

#include "record/nvtx.h"

namespace normbench {

Json described_machine(const Backends& backends, const std::string& machine) {
  Json described = environment(machine);
  Json places = Json::object();
  for (const auto& backend : backends.list)
    places[std::string(name_of(backend->place()))] = backend->unavailable().value_or("available");
  described["places"] = places;
  described["nvtx"] = nvtx::missing().empty() ? "available" : std::string(nvtx::missing());
  return described;
}

}  // namespace normbench
