#include "report/document_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench {

namespace {

/// The value at a pointer, null where there is none.
Json value_at(const Json& json, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  return json.contains(at) ? json.at(at) : Json();
}

/// What the GPU is; its link only as it was found under load, and beside it what it could be.
std::string gpu_facts(const Json& gpu) {
  std::string text = text_at(gpu, "/name", "GPU");
  if (const auto bytes = integer_at(gpu, "/memory_bytes", 0); bytes > 0)
    text += fmt::format(", {} GiB", bytes >> 30);
  const Json pcie = value_at(gpu, "/pcie");
  const std::string link = link_text(pcie);
  if (link.empty() || text_at(pcie, "/measured", "") != "under load") return text;
  const std::string most = link_text(
      {{"generation", value_at(pcie, "/max_generation")}, {"width", value_at(pcie, "/max_width")}});
  return text + ", " + link + (most.empty() || most == link ? "" : " (could be " + most + ")");
}

std::string cache_text(const Json& caches) {
  if (!caches.is_array() || caches.empty()) return "";
  const auto count = integer_at(caches.back(), "/count", 1);
  return fmt::format(", L{} {}{} MiB", integer_at(caches.back(), "/level", 0),
                     count > 1 ? fmt::format("{}x", count) : "",
                     integer_at(caches.back(), "/bytes", 0) >> 20);
}

bool needs_gpu(const Results& results) {
  for (const GroupResult& group : results.groups)
    for (const CaseResult& result : group.cases)
      for (const StageResult& stage : result.stages)
        if (stage.place == Place::Cuda || stage.out.memory == Memory::Device) return true;
  return false;
}

}  // namespace

std::string text_at(const Json& json, const std::string& pointer, const std::string& fallback) {
  const Json value = value_at(json, pointer);
  return value.is_string() ? value.get<std::string>() : fallback;
}

std::int64_t integer_at(const Json& json, const std::string& pointer, std::int64_t fallback) {
  const Json value = value_at(json, pointer);
  return value.is_number() ? value.get<std::int64_t>() : fallback;
}

std::string machine_text(const Json& environment) {
  std::string text = text_at(environment, "/cpu/model", "unknown CPU");
  if (const auto cores = integer_at(environment, "/cpu/cores", 0); cores > 0)
    text += fmt::format(", {} core{}", cores, cores == 1 ? "" : "s");
  text += cache_text(value_at(environment, "/cpu/caches"));
  const std::string simd = text_at(environment, "/simd", "");
  return simd == text_at(environment, "/simd_targets/0", simd) ? text : text + ", only " + simd;
}

std::string gpu_text(const Results& results) {
  const std::string cuda = text_at(results.environment, "/places/cuda", "not looked for");
  if (!needs_gpu(results))
    return cuda == "available" ? "GPU not used" : "no GPU (no case here needs one)";
  return cuda == "available" ? gpu_facts(value_at(results.environment, "/gpu")) : "no GPU";
}

std::string link_text(const Json& pcie) {
  const auto generation = integer_at(pcie, "/generation", 0), width = integer_at(pcie, "/width", 0);
  return generation > 0 && width > 0 ? fmt::format("PCIe {}.0 x{}", generation, width) : "";
}

std::string sort_by(const Results& results) {
  return text_at(results.config, "/profile/sort_by", "cpu_time_total");
}

std::int64_t row_limit(const Results& results) {
  return integer_at(results.config, "/profile/row_limit", 10);
}

}  // namespace normbench
