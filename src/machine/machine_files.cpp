#include "machine/machine_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace normbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 24> kernel_flags{
    "sse2",     "ssse3",       "sse4_1",     "sse4_2",       "avx",         "avx2",
    "fma",      "f16c",        "avx_vnni",   "avx512f",      "avx512bw",    "avx512dq",
    "avx512vl", "avx512_vbmi", "avx512vbmi", "avx512_vbmi2", "avx512_bf16", "avx512_fp16",
    "amx_tile", "amx_bf16",    "asimd",      "asimdhp",      "sve",         "sve2"};

/// The value of the first line "key<blanks>: value".
std::optional<std::string> line_of(const fs::path& path, std::string_view key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return std::nullopt;
}

std::optional<std::string> first_word(const fs::path& path) {
  std::ifstream in(path);
  std::string word;
  return in >> word ? std::optional(word) : std::nullopt;
}

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

/// "MemTotal:  16384 kB" in bytes.
Json kilobytes(const fs::path& path, std::string_view key) {
  const auto text = line_of(path, key);
  std::int64_t value = 0;
  if (!text || !(std::istringstream(*text) >> value)) return {};
  return value * 1024;
}

/// The word in brackets: "madvise" of "always [madvise] never".
Json chosen(const fs::path& path) {
  std::ifstream in(path);
  for (std::string word; in >> word;)
    if (word.starts_with('[') && word.ends_with(']')) return word.substr(1, word.size() - 2);
  return {};
}

}  // namespace

Json cpu_facts(const fs::path& root) {
  const fs::path cpuinfo = root / "proc/cpuinfo";
  Json facts = {{"model", or_null(line_of(cpuinfo, "model name"))},
                {"flags", nullptr},
                {"virtualised", nullptr}};
  auto flags = line_of(cpuinfo, "flags");
  if (flags) facts["virtualised"] = (" " + *flags + " ").find(" hypervisor ") != std::string::npos;
  if (!flags) flags = line_of(cpuinfo, "Features");  // what ARM calls them
  if (flags) {
    std::istringstream words(*flags);
    facts["flags"] = Json::array();
    for (std::string word; words >> word;)
      if (std::ranges::find(kernel_flags, word) != kernel_flags.end())
        facts["flags"].push_back(word);
  }
  const auto governor = first_word(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts["governor"] = or_null(governor);
  if (!governor)
    facts["governor_unknown"] = "no cpufreq here: the clock is not this system's to set";
  return facts;
}

Json memory_facts(const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo";
  return {{"total_bytes", kilobytes(meminfo, "MemTotal")},
          {"available_bytes", kilobytes(meminfo, "MemAvailable")},
          {"transparent_huge_pages", chosen(root / "sys/kernel/mm/transparent_hugepage/enabled")}};
}

Json load_facts(const fs::path& root) {
  std::ifstream in(root / "proc/loadavg");
  std::array<double, 3> load{};
  for (double& value : load)
    if (!(in >> value)) return {};
  return load;
}

}  // namespace normbench
