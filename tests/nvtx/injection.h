/// What the parts of the NVTX tool share: nvtx_payload.cpp has what needs headers with
/// payloads, nvtx_payload_absent.cpp stands in its place where they have none.
#pragma once

// Headers of NVTX may define their functions, unless NVTX_NO_IMPL is defined before.
#include <nvtx3/nvToolsExt.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace nvtx_injection {

using Json = nlohmann::ordered_json;

/// Appends a line to the log.
void note(const char* call, const Json& more);

/// A number that no other domain, string or schema has.
std::uintptr_t next_handle();

inline std::uintptr_t number_of(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// What is noted of a payload that is no plain number.
Json other_payload(const nvtxEventAttributes_t& event);

/// Functions that normbench should not call. Their arguments are not looked at, which the calling
/// conventions of the platforms that CUDA has allow.
using Unexpected = std::intptr_t (*)();

template <std::uint32_t Module, std::size_t Id>
std::intptr_t unexpected() {
  note("unexpected", {{"module", Module}, {"id", Id}});
  return 0;
}

template <std::uint32_t Module, std::size_t... Ids>
constexpr std::array<Unexpected, sizeof...(Ids)> all_unexpected(std::index_sequence<Ids...>) {
  return {&unexpected<Module, Ids>...};
}

}  // namespace nvtx_injection
