/// Host memory on the same side of the machine as the GPU.
#pragma once

#include <filesystem>
#include <string>

#include "core/json.h"

namespace normbench::cuda {

/// Where the machine has several NUMA nodes, makes this thread and those it starts from now on
/// prefer the memory of the one that the PCI device `bus_id` ("0000:1b:00.0") is on. Returns the
/// fact: numa_node (null: unknown) and host_memory ("near the GPU (node 1)", "one node", "node
/// unknown", "anywhere (why)"). `root` is "/" and `prefer` is prefer_node but in tests.
Json place_host_memory(const std::string& bus_id, const std::filesystem::path& root,
                       std::string (*prefer)(int node));

/// Asks the operating system to take this thread's pages from `node` while it has any. Returns why
/// it does not, or "".
std::string prefer_node(int node);

}  // namespace normbench::cuda
