#include "report/info_text.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/units.h"
#include "document/visible.h"
#include "report/document_text.h"
#include "report/link_text.h"
#include "report/words.h"

namespace normbench {
namespace {

/// Labels and values of facts. An unknown value is empty.
using Facts = std::vector<std::pair<std::string, std::string>>;

void add_part(std::string& text, const std::string& part, const char* between = ", ") {
  if (!part.empty()) text += (text.empty() ? "" : between) + part;
}

std::string memory_bytes(const Json& bytes) {
  return bytes.is_number() ? format_bytes(bytes.get<double>()) : "";
}

std::string processor(const Json& environment) {
  std::string text = text_at(environment, "/cpu/model", "unknown");
  add_part(text, text_at(environment, "/architecture", ""));
  if (value_at(environment, "/cpu/virtualised") == true) add_part(text, "in a virtual machine");
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
      add_part(text, counted(count, noun));
  if (const auto usable = integer_at(environment, "/available_threads", 0); usable > 0)
    add_part(text, fmt::format("this process may use {}", usable), "; ");
  return text;
}

std::string caches(const Json& environment) {
  std::string text;
  const Json& list = value_at(environment, "/cpu/caches");
  if (!list.is_array()) return "";
  for (const Json& cache : list) {
    const auto count = integer_at(cache, "/count", 1);
    add_part(text, fmt::format("L{} {}{}", integer_at(cache, "/level", 0),
                               count > 1 ? fmt::format("{} x ", count) : "",
                               format_binary_bytes(integer_at(cache, "/bytes", 0))));
  }
  return text;
}

std::string words_of(const Json& list) {
  std::string text;
  if (list.is_array())
    for (const Json& word : list)
      if (word.is_string()) add_part(text, word.get<std::string>(), " ");
  return text;
}

/// Returns the instruction set that kernels use, and all that the CPU supports, like "AVX3, the
/// best of AVX3 AVX2 SSE4" or "AVX2, forced, of AVX3 AVX2 SSE4".
std::string instruction_set(const Json& environment) {
  std::string text = text_at(environment, "/simd", "");
  const std::string known = words_of(value_at(environment, "/simd_targets"));
  const bool best = text == text_at(environment, "/simd_targets/0", "");
  if (!text.empty() && !known.empty())
    add_part(text, (best ? "the best of " : "forced, of ") + known);
  return text;
}

std::string memory(const Json& environment) {
  std::string text = memory_bytes(value_at(environment, "/memory/total_bytes"));
  const std::string free = memory_bytes(value_at(environment, "/memory/available_bytes"));
  if (!free.empty()) add_part(text, free + " free");
  if (const auto page = integer_at(environment, "/memory/page_bytes", 0); page > 0)
    add_part(text, "pages of " + format_binary_bytes(page), "; ");
  const std::string huge = text_at(environment, "/memory/transparent_huge_pages", "");
  if (!huge.empty()) add_part(text, "transparent huge pages: " + huge);
  return text;
}

std::string container(const Json& environment) {
  const Json& quota = value_at(environment, "/container/cpu_quota");
  const std::string bytes = memory_bytes(value_at(environment, "/container/memory_bytes"));
  std::string text =
      quota.is_number() ? fmt::format("at most {:.3g} CPUs", quota.get<double>()) : "no CPU quota";
  add_part(text, bytes.empty() ? "no memory limit" : "at most " + bytes + " of memory");
  return text;
}

std::string load(const Json& environment) {
  const Json& averages = value_at(environment, "/load");
  if (!averages.is_array() || averages.size() != 3) return "";
  std::string text;
  for (const Json& average : averages)
    if (average.is_number()) add_part(text, fmt::format("{:.2f}", average.get<double>()));
  return text + " (mean of 1, 5 and 15 minutes)";
}

/// Adds the GPUs on the PCI bus that CUDA does not use. `used` is the bus id of the GPU that CUDA
/// uses.
void add_bus(const Json& pci_gpus, const std::string& used, Facts& facts) {
  for (const Json& gpu : pci_gpus) {
    const std::string id = text_at(gpu, "/bus_id", "?");
    if (id == used) continue;
    std::string text = id;
    add_part(text, text_at(gpu, "/vendor", "unknown vendor"), " ");
    add_part(text, text_at(gpu, "/name", ""), " ");
    if (const auto node = integer_at(gpu, "/numa_node", -1); node >= 0)
      add_part(text, fmt::format("NUMA node {}", node));
    facts.emplace_back("also on the bus", text);
  }
}

std::string device(const Json& gpu) {
  std::string text = text_at(gpu, "/name", "GPU");
  add_part(text, "compute capability " + text_at(gpu, "/compute_capability", "?"));
  if (const auto count = integer_at(gpu, "/multiprocessors", 0); count > 0)
    add_part(text, counted(count, "multiprocessor"));
  return text;
}

std::string device_memory(const Json& gpu) {
  std::string text = memory_bytes(value_at(gpu, "/memory_bytes"));
  if (const auto l2 = integer_at(gpu, "/l2_bytes", 0); l2 > 0)
    add_part(text, "L2 " + format_binary_bytes(l2));
  if (const Json& ecc = value_at(gpu, "/ecc"); ecc.is_boolean())
    add_part(text, ecc.get<bool>() ? "ECC" : "no ECC");
  return text;
}

std::string driver(const Json& gpu) {
  std::string text = text_at(gpu, "/driver", "");
  add_part(text, "CUDA " + text_at(gpu, "/driver_cuda", "?"));
  add_part(text, "this build " + text_at(gpu, "/runtime_cuda", "?"));
  return text;
}

std::string gpu_link(const Json& gpu) {
  const Json& pcie = value_at(gpu, "/pcie");
  std::string text = negotiated_text(pcie);
  add_part(text, text_at(pcie, "/measured", ""));
  if (const auto engines = integer_at(gpu, "/copy_engines", 0); engines > 0)
    add_part(text, counted(engines, "copy engine"));
  return text;
}

Facts machine_facts(const Json& environment) {
  return {{"host", text_at(environment, "/host", "")},
          {"date", text_at(environment, "/date", "")},
          {"system", text_at(environment, "/kernel", "")},
          {"processor", processor(environment)},
          {"cores", cores(environment)},
          {"caches", caches(environment)},
          {"instructions", words_of(value_at(environment, "/cpu/flags"))},
          {"kernels use", instruction_set(environment)},
          {"threads are bound", text_at(environment, "/threads_bound", "")},
          {"governor", text_at(environment, "/cpu/governor", "")},
          {"memory", memory(environment)},
          {"container", container(environment)},
          {"load", load(environment)}};
}

/// Returns facts about the GPU of the environment, or a note that there is none. The GPUs on the
/// PCI bus that CUDA does not use come last.
Facts gpu_facts(const Json& environment, const Json& pci_gpus) {
  Facts facts;
  const Json& gpu = value_at(environment, "/gpu");
  if (gpu.is_object())
    facts = {{"device", device(gpu)},
             {"memory", device_memory(gpu)},
             {"driver", driver(gpu)},
             {"link", gpu_link(gpu)}};
  else
    facts = {{"none", "see what is missing, below"}};
  add_bus(pci_gpus, text_at(gpu, "/pci_bus_id", ""), facts);
  return facts;
}

constexpr std::size_t kLabelEnd = 25;

/// Returns a title like "normbench 0.1.0 (abc1234, Release, GNU 12.2.0 -O3)".
std::string title(const Json& tool, std::size_t width) {
  const std::string flags = text_at(tool, "/flags", "");
  return wrapped(fmt::format("normbench {} ({}, {}, {}{})", text_at(tool, "/version", "?"),
                             text_at(tool, "/revision", "?"), text_at(tool, "/build", "?"),
                             text_at(tool, "/compiler", "?"), flags.empty() ? "" : " " + flags),
                 0, width);
}

std::string nanoseconds(const Json& costs, const std::string& pointer) {
  const Json& cost = value_at(costs, pointer);
  if (!cost.is_number()) return "";
  const double ns = cost.get<double>();
  return (ns == std::round(ns) ? format_count(std::llround(ns)) : format_significant(ns, 3)) +
         " ns";
}

std::string section(const std::string& title, const Facts& facts, std::size_t width) {
  std::string text;
  for (const auto& [label, value] : facts)
    if (!value.empty()) text += labelled(label, value, kLabelEnd, width);
  return text.empty() ? "" : "\n" + title + "\n" + text;
}

Facts costs_facts(const Json& costs) {
  const std::string step = nanoseconds(costs, "/clock_step_ns");
  return {{"reading the clock",
           nanoseconds(costs, "/clock_ns") + (step.empty() ? "" : ", in steps of " + step)},
          {"a range, recorded", nanoseconds(costs, "/range_recorded_ns")},
          {"a range, not recorded", nanoseconds(costs, "/range_ns")},
          {"its NVTX range alone", nanoseconds(costs, "/nvtx_ns")}};
}

/// Returns a line with link_speed_text(), the rates of copies over the GPU's link. If they are too
/// low, returns link_warning() instead. If they are unknown, returns "".
std::string link_lines(const Json& environment, const std::vector<MachineLimit>& limits,
                       std::size_t width) {
  const auto speed = link_speed(environment, limits);
  if (!speed) return "";
  const std::string warning = link_warning(*speed);
  return wrapped(warning.empty() ? "link: " + link_speed_text(*speed) : warning, 2, width);
}

std::string missing_section(const Json& missing, std::size_t width) {
  if (missing.empty()) return "\nNothing is missing here.\n";
  std::string text = "\nMissing here, and what that means\n";
  for (const auto& [key, part] : missing.items()) {
    text += labelled(text_at(part, "/name", key), text_at(part, "/why", ""), kLabelEnd, width);
    text += labelled("", "-> " + text_at(part, "/means", ""), kLabelEnd, width);
  }
  return text;
}

}  // namespace

std::string info_text(const Json& given, const std::vector<MachineLimit>& limits,
                      const Screen& screen) {
  const Json info = visible(given);
  const std::size_t width = prose_width(screen);
  const Json environment = info.value("environment", Json::object());
  std::string text = title(info.value("tool", Json::object()), width);
  text += section("Machine", machine_facts(environment), width);
  text += section("GPU", gpu_facts(environment, info.value("pci_gpus", Json::array())), width);
  text += section("What measuring costs", costs_facts(info.value("costs", Json::object())), width);
  text += machine_limits_text(limits, screen) + link_lines(environment, limits, width);
  if (info.value("interrupted", false))
    text += fmt::format("{}  interrupted: limits that are missing here were not reached\n",
                        limits.empty() ? "\nLimits\n" : "");
  return text + missing_section(info.value("missing", Json::object()), width);
}

}  // namespace normbench
