#include "backend/cuda/cupti/cupti_names.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace normbench::cupti {
namespace {

// By CUPTI's numbers; the first also stands for numbers that are not here.
constexpr auto kCopies = std::to_array<std::string_view>(
    {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"});
constexpr auto kMemories =
    std::to_array<std::string_view>({"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed",
                                     "Device Static", "Managed Static"});
constexpr auto kSyncs = std::to_array<std::string_view>(
    {"Unknown Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"});
/// The driver's own are 0 and 1; CUPTI's are multiples of 65536.
constexpr auto kOverheads = std::to_array<std::string_view>(
    {"Unknown", "Driver Compiler", "Buffer Flush", "Instrumentation", "Resource",
     "Runtime Triggered Module Loading", "Lazy Function Loading", "Command Buffer Full",
     "Activity Buffer Request", "UVM Activity Init"});

constexpr std::size_t kLongestMangled = 8192;
constexpr std::size_t kFewestVersionDigits = 4;

template <std::size_t Size>
constexpr std::string_view word(const std::array<std::string_view, Size>& words,
                                std::uint32_t number) {
  return number < Size ? words[number] : words[0];
}

struct Free {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string memcpy_name(std::uint32_t copy, std::uint32_t from, std::uint32_t to) {
  return fmt::format("Memcpy {} ({} -> {})", word(kCopies, copy), word(kMemories, from),
                     word(kMemories, to));
}

std::string memset_name(std::uint32_t memory) {
  return fmt::format("Memset ({})", word(kMemories, memory));
}

std::string sync_name(std::uint32_t type) { return std::string(word(kSyncs, type)); }

std::string overhead_name(std::uint32_t kind) {
  return std::string(word(kOverheads, kind >= 1u << 16 ? (kind >> 16) + 1 : kind));
}

std::string_view call_name(std::string_view name) {
  const std::size_t start = name.find_first_not_of('_');
  if (start != std::string_view::npos) name.remove_prefix(start);
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const bool versioned =
      name.size() - digits >= kFewestVersionDigits && name.substr(0, digits).ends_with("_v");
  return versioned ? name.substr(0, digits - 2) : name;
}

std::string kernel_name(const char* mangled) {
  if (mangled == nullptr || *mangled == '\0') return "unnamed kernel";
  const std::string_view name = mangled;
  if (!name.starts_with("_Z") || name.size() > kLongestMangled) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, Free> readable(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status));
  return readable != nullptr ? std::string(readable.get()) : std::string(name);
}

}  // namespace normbench::cupti
