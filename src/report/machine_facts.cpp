#include "report/machine_facts.h"

#include <fmt/format.h>

#include "core/units.h"
#include "report/document_text.h"

namespace normbench {

namespace {

const Json& member(const Json& json, const std::string& pointer) {
  static const Json none;
  const Json::json_pointer at(pointer);
  return json.contains(at) ? json.at(at) : none;
}

std::string counted(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

void add(std::string& text, const std::string& part, const char* between = ", ") {
  if (!part.empty()) text += (text.empty() ? "" : between) + part;
}

/// "48 KiB", "2 MiB": caches and pages are powers of two.
std::string binary_bytes(std::int64_t bytes) {
  const bool mebi = bytes >= 1 << 20;
  return fmt::format("{:.4g} {}", static_cast<double>(bytes) / (mebi ? 1 << 20 : 1 << 10),
                     mebi ? "MiB" : "KiB");
}

std::string memory_bytes(const Json& bytes) {
  return bytes.is_number() ? format_bytes(bytes.get<double>()) : "";
}

std::string processor(const Json& environment) {
  std::string text = text_at(environment, "/cpu/model", "unknown");
  add(text, text_at(environment, "/architecture", ""));
  if (member(environment, "/cpu/virtualised") == true) add(text, "in a virtual machine");
  return text;
}

std::string cores(const Json& environment) {
  constexpr std::pair<const char*, const char*> counts[] = {{"/cpu/cores", "core"},
                                                            {"/cpu/hardware_threads", "thread"},
                                                            {"/cpu/packages", "package"},
                                                            {"/cpu/numa_nodes", "NUMA node"}};
  std::string text;
  for (const auto& [pointer, noun] : counts)
    if (const auto count = integer_at(environment, pointer, 0); count > 0)
      add(text, counted(count, noun));
  if (const auto usable = integer_at(environment, "/available_threads", 0); usable > 0)
    add(text, fmt::format("this process may use {}", usable), "; ");
  return text;
}

std::string caches(const Json& environment) {
  std::string text;
  const Json& list = member(environment, "/cpu/caches");
  if (!list.is_array()) return "";
  for (const Json& cache : list) {
    const auto count = integer_at(cache, "/count", 1);
    add(text, fmt::format("L{} {}{}", integer_at(cache, "/level", 0),
                          count > 1 ? fmt::format("{} x ", count) : "",
                          binary_bytes(integer_at(cache, "/bytes", 0))));
  }
  return text;
}

std::string words(const Json& list) {
  std::string text;
  if (list.is_array())
    for (const Json& word : list)
      if (word.is_string()) add(text, word.get<std::string>(), " ");
  return text;
}

/// "AVX3, the best of AVX3 AVX2 SSE4", "AVX2, forced, of AVX3 AVX2 SSE4".
std::string instruction_set(const Json& environment) {
  std::string text = text_at(environment, "/simd", "");
  const std::string known = words(member(environment, "/simd_targets"));
  const bool best = text == text_at(environment, "/simd_targets/0", "");
  if (!text.empty() && !known.empty()) add(text, (best ? "the best of " : "forced, of ") + known);
  return text;
}

std::string memory(const Json& environment) {
  std::string text = memory_bytes(member(environment, "/memory/total_bytes"));
  const std::string free = memory_bytes(member(environment, "/memory/available_bytes"));
  if (!free.empty()) add(text, free + " free");
  if (const auto page = integer_at(environment, "/memory/page_bytes", 0); page > 0)
    add(text, "pages of " + binary_bytes(page), "; ");
  const std::string huge = text_at(environment, "/memory/transparent_huge_pages", "");
  if (!huge.empty()) add(text, "transparent huge pages: " + huge);
  return text;
}

std::string container(const Json& environment) {
  const Json& quota = member(environment, "/container/cpu_quota");
  const std::string bytes = memory_bytes(member(environment, "/container/memory_bytes"));
  std::string text =
      quota.is_number() ? fmt::format("at most {:.3g} CPUs", quota.get<double>()) : "no CPU quota";
  add(text, bytes.empty() ? "no memory limit" : "at most " + bytes + " of memory");
  return text;
}

std::string load(const Json& environment) {
  const Json& averages = member(environment, "/load");
  if (!averages.is_array() || averages.size() != 3) return "";
  std::string text;
  for (const Json& average : averages)
    if (average.is_number()) add(text, fmt::format("{:.2f}", average.get<double>()));
  return text + " (mean of 1, 5 and 15 minutes)";
}

/// The PCI GPUs that are not CUDA's.
void add_bus(const Json& pci_gpus, const std::string& used, Facts& facts) {
  for (const Json& gpu : pci_gpus) {
    const std::string id = text_at(gpu, "/bus_id", "?");
    if (id == used) continue;
    std::string text = id;
    add(text, text_at(gpu, "/vendor", "unknown vendor"), " ");
    add(text, text_at(gpu, "/name", ""), " ");
    if (const auto node = integer_at(gpu, "/numa_node", -1); node >= 0)
      add(text, fmt::format("NUMA node {}", node));
    facts.emplace_back("also on the bus", text);
  }
}

std::string device(const Json& gpu) {
  std::string text = text_at(gpu, "/name", "GPU");
  add(text, "compute capability " + text_at(gpu, "/compute_capability", "?"));
  if (const auto count = integer_at(gpu, "/multiprocessors", 0); count > 0)
    add(text, counted(count, "multiprocessor"));
  return text;
}

std::string device_memory(const Json& gpu) {
  std::string text = memory_bytes(member(gpu, "/memory_bytes"));
  if (const auto l2 = integer_at(gpu, "/l2_bytes", 0); l2 > 0) add(text, "L2 " + binary_bytes(l2));
  if (const Json& ecc = member(gpu, "/ecc"); ecc.is_boolean())
    add(text, ecc.get<bool>() ? "ECC" : "no ECC");
  return text;
}

std::string driver(const Json& gpu) {
  std::string text = text_at(gpu, "/driver", "");
  add(text, "CUDA " + text_at(gpu, "/driver_cuda", "?"));
  add(text, "this build " + text_at(gpu, "/runtime_cuda", "?"));
  return text;
}

std::string link(const Json& gpu) {
  const Json& pcie = member(gpu, "/pcie");
  std::string text = link_text(pcie);
  add(text, text_at(pcie, "/measured", ""));
  if (const auto engines = integer_at(gpu, "/copy_engines", 0); engines > 0)
    add(text, counted(engines, "copy engine"));
  return text;
}

}  // namespace

Facts machine_facts(const Json& environment) {
  return {{"host", text_at(environment, "/host", "")},
          {"date", text_at(environment, "/date", "")},
          {"system", text_at(environment, "/kernel", "")},
          {"processor", processor(environment)},
          {"cores", cores(environment)},
          {"caches", caches(environment)},
          {"instructions", words(member(environment, "/cpu/flags"))},
          {"kernels use", instruction_set(environment)},
          {"threads are bound", text_at(environment, "/threads_bound", "")},
          {"governor", text_at(environment, "/cpu/governor", "")},
          {"memory", memory(environment)},
          {"container", container(environment)},
          {"load", load(environment)}};
}

Facts gpu_facts(const Json& environment, const Json& pci_gpus) {
  Facts facts;
  const Json& gpu = member(environment, "/gpu");
  if (gpu.is_object())
    facts = {{"device", device(gpu)},
             {"memory", device_memory(gpu)},
             {"driver", driver(gpu)},
             {"link", link(gpu)}};
  else
    facts = {{"none", "see what is missing, below"}};
  add_bus(pci_gpus, text_at(gpu, "/pci_bus_id", ""), facts);
  return facts;
}

}  // namespace normbench
