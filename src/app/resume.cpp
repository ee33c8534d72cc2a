#include "app/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "core/units.h"
#include "machine/environment.h"

namespace normbench {
namespace {

struct Fact {
  std::string_view pointer, name;
};

// What numbers of one document must share.
constexpr auto kFacts = std::to_array<Fact>({
    {"/options/images", "--images"},
    {"/options/set", "--set"},
    {"/options/only", "--only"},
    {"/options/quick", "--quick"},
    {"/options/no_profile", "--no-profile"},
    {"/options/allow_peers", "--allow-peers"},
    {"/device", "--device"},
    {"/simd", "--simd"},
    {"/machine", "--machine"},
    {"/tool/version", "the version of normbench"},
    {"/tool/revision", "the binary's revision"},
    {"/tool/build", "the binary's build type"},
    {"/tool/compiler", "the binary's compiler"},
    {"/tool/flags", "the binary's flags"},
    {"/tool/sanitizers", "the binary's sanitizers"},
    {"/environment/cpu/model", "the CPU"},
    {"/environment/cpu/packages", "CPU packages"},
    {"/environment/cpu/cores", "CPU cores"},
    {"/environment/cpu/hardware_threads", "hardware threads"},
    {"/environment/cpu/caches", "the caches"},
    {"/environment/simd", "the instruction set of CPU kernels"},
    {"/environment/affinity_cpus", "CPUs that normbench may use"},
    {"/environment/available_threads", "threads that normbench may use"},
    {"/environment/threads_bound", "how threads are bound to CPUs"},
    {"/environment/container/memory_bytes", "the container's memory"},
    {"/environment/memory/total_bytes", "the memory"},
    {"/environment/kernel", "the kernel"},
    {"/environment/gpu/name", "the GPU"},
    {"/environment/gpu/uuid", "the GPU's UUID"},
    {"/environment/gpu/driver", "the GPU's driver"},
    {"/environment/attached_tool", "the profiling tool attached"},
});

/// The value as it is shown; so memory that shrank by a few pages at a boot has not changed.
std::string shown(const Json& header, std::string_view pointer) {
  const Json::json_pointer place{std::string(pointer)};
  const Json value = header.contains(place) ? header.at(place) : Json();
  if (value.is_null() || value.empty() || value == "") return "none";
  if (value.is_boolean()) return value.get<bool>() ? "given" : "not given";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() && pointer.ends_with("_bytes")) return format_bytes(value.get<double>());
  return value.dump();
}

std::string was_is(std::string_view name, std::string_view was, std::string_view is) {
  return fmt::format("{}: was {}, is {}", name, was, is);
}

/// What a line holds around its byte `at`, where a message has room for it.
std::string excerpt(const std::string& line, std::size_t at) {
  constexpr std::size_t before = 20, most = 50;
  const auto whole = [&](std::size_t byte) {  // not inside a UTF-8 character
    while (byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xC0) == 0x80) ++byte;
    return std::min(byte, line.size());
  };
  const std::size_t begin = whole(at < before ? 0 : at - before), end = whole(begin + most);
  return fmt::format("\"{}{}{}\"", begin > 0 ? "…" : "", line.substr(begin, end - begin),
                     end < line.size() ? "…" : "");
}

/// The first line in which two texts differ, or nothing.
std::optional<std::string> changed_line(const std::string& file, const std::string& was,
                                        const std::string& is) {
  std::istringstream before(was), after(is);
  std::string old_line, new_line;
  for (int number = 1;; ++number) {
    const bool old_there = !std::getline(before, old_line).fail();
    const bool new_there = !std::getline(after, new_line).fail();
    if (!old_there && !new_there) return std::nullopt;
    if (old_there == new_there && old_line == new_line) continue;
    const auto at =
        static_cast<std::size_t>(std::ranges::mismatch(old_line, new_line).in1 - old_line.begin());
    return was_is(fmt::format("the config {}, line {}", file, number),
                  old_there ? excerpt(old_line, at) : "not there",
                  new_there ? excerpt(new_line, at) : "not there");
  }
}

/// FNV-1a (64 bits) over this program's file, which also tells apart two builds of one revision.
std::string binary_digest() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325;
  std::array<char, 1 << 16> buffer;
  while (in.read(buffer.data(), buffer.size()), in.gcount() > 0)
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount())))
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace

Json journal_header(const Job& job, const Json& environment) {
  Json header = to_json(job);
  header["tool"] = tool();
  header["binary"] = binary_digest();
  header["environment"] = environment;
  return header;
}

std::vector<std::string> differences(const Json& then, const Json& now) {
  std::vector<std::string> found;
  if (auto changed =
          changed_line(now.value("file", ""), then.value("text", ""), now.value("text", "")))
    found.push_back(std::move(*changed));
  bool other_tool = false;
  for (const Fact& fact : kFacts) {
    const std::string was = shown(then, fact.pointer), is = shown(now, fact.pointer);
    if (was == is) continue;
    found.push_back(was_is(fact.name, was, is));
    other_tool = other_tool || fact.pointer.starts_with("/tool/");
  }
  if (!other_tool && shown(then, "/binary") != shown(now, "/binary"))
    found.push_back(was_is("the binary's digest (it was built anew)", shown(then, "/binary"),
                           shown(now, "/binary")));
  return found;
}

}  // namespace normbench
