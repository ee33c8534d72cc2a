/// Declarations that the files of the NVTX tool share. nvtx_payload.cpp needs NVTX headers that
/// declare payloads. With older headers, nvtx_payload_absent.cpp is built instead.
#pragma once

// The headers of NVTX define functions unless NVTX_NO_IMPL is defined before.
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

/// Returns a number that is unique among domains, strings and schemas.
std::uintptr_t next_handle();

inline std::uintptr_t number_of(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// Returns the log entry of a payload that is not a plain number.
Json other_payload(const nvtxEventAttributes_t& event);

/// A function that normbench should not call. It is called with arguments that it does not declare,
/// which the calling conventions of CUDA's platforms allow.
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
