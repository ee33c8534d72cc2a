#include "machine/free_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/json.h"
#include "core/units.h"
#include "machine/cgroup.h"
#include "machine/machine_files.h"

namespace normbench {
namespace {

namespace fs = std::filesystem;

/// What may be used of `left` bytes, and what is said of it. `where` is "in the container".
void allow(std::int64_t left, std::string_view where, std::int64_t& bytes, std::string& note) {
  const std::int64_t back = std::max(left / 20, std::int64_t{256} << 20);
  bytes = std::max<std::int64_t>(1, left - back);  // 0 would be unknown
  note = fmt::format("{} left {}, {} kept back", format_bytes(static_cast<double>(left)), where,
                     format_bytes(static_cast<double>(back)));
}

std::optional<std::int64_t> machine_bytes(const fs::path& root) {
  const Json available = memory_facts(root).at("available_bytes");
  return available.is_null() ? std::nullopt : std::optional(available.get<std::int64_t>());
}

void allow_host(const fs::path& root, FreeMemory& free) {
  const auto machine = machine_bytes(root), container = free_cgroup_memory(root);
  if (container && (!machine || *container < *machine))
    allow(*container, "in the container", free.bytes.host, free.notes.host);
  else if (machine)
    allow(*machine, "in the machine", free.bytes.host, free.notes.host);
}

}  // namespace

FreeMemory free_memory(std::optional<std::int64_t> device_bytes, const fs::path& root) {
  FreeMemory free;
  allow_host(root, free);
  if (device_bytes) allow(*device_bytes, "on the GPU", free.bytes.device, free.notes.device);
  return free;
}

}  // namespace normbench
