#include "app/machine.h"

#include "record/nvtx.h"

namespace normbench {

Json described_machine(const Backends& backends, const std::string& machine) {
  Json described = environment(machine);
  Json places = Json::object();
  for (const auto& backend : backends.list)
    places[std::string(name_of(backend->place()))] = backend->unavailable().value_or("available");
  described["places"] = places;
  Backend* const cuda = backends.at(Place::Cuda);
  described["gpu"] = cuda != nullptr && !cuda->unavailable() ? cuda->describe() : Json();
  described["nvtx"] = nvtx::missing().empty() ? "available" : std::string(nvtx::missing());
  return described;
}

Json missing_parts(const Json& environment) {
  Json parts = environment.at("places");
  parts["nvml"] = environment.at("gpu").is_object() ? environment["gpu"].value("nvml", "available")
                                                    : "not looked for without a GPU";
  parts["nvtx"] = environment.at("nvtx");
  Json missing = Json::object();
  for (const auto& [name, state] : parts.items())
    if (state != "available") missing[name] = state;
  return missing;
}

}  // namespace normbench
