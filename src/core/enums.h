/// The closed sets of words that configs and documents use, one table each.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace normbench {

enum class DType { UInt8, Float16, BFloat16, Float32 };
enum class Layout { Nchw, Nhwc };
enum class Memory {
  Pageable,
  PageableHuge,
  Pinned,
  Registered,
  WriteCombined,
  Mapped,
  Managed,
  Device
};
enum class Place { Cpu, Cuda };
enum class OutputPolicy { Reuse, Fresh, InPlace, CudaMalloc };
enum class Constants { Cached, PerCall };
enum class Wait { Stage, Iteration, Turn };
enum class Cache { Cold, Hot };
enum class DecidingClock { Wall, Device };
/// What a claim expects of its left side's time against its right side's.
enum class Relation { Less, More, Equal };
enum class Flip { None, Horizontal, Vertical, Both };

/// One word of a table: the value and how users spell it.
template <class E>
struct Word {
  E value;
  std::string_view name;
};

/// The table of an enumeration, in the order in which errors list it. The argument selects it.
constexpr auto words(DType) {
  return std::to_array<Word<DType>>({{DType::UInt8, "uint8"},
                                     {DType::Float16, "float16"},
                                     {DType::BFloat16, "bfloat16"},
                                     {DType::Float32, "float32"}});
}
constexpr auto words(Layout) {
  return std::to_array<Word<Layout>>({{Layout::Nchw, "nchw"}, {Layout::Nhwc, "nhwc"}});
}
constexpr auto words(Memory) {
  return std::to_array<Word<Memory>>({{Memory::Pageable, "pageable"},
                                      {Memory::PageableHuge, "pageable_huge"},
                                      {Memory::Pinned, "pinned"},
                                      {Memory::Registered, "registered"},
                                      {Memory::WriteCombined, "write_combined"},
                                      {Memory::Mapped, "mapped"},
                                      {Memory::Managed, "managed"},
                                      {Memory::Device, "device"}});
}
constexpr auto words(Place) {
  return std::to_array<Word<Place>>({{Place::Cpu, "cpu"}, {Place::Cuda, "cuda"}});
}
constexpr auto words(OutputPolicy) {
  return std::to_array<Word<OutputPolicy>>({{OutputPolicy::Reuse, "reuse"},
                                            {OutputPolicy::Fresh, "fresh"},
                                            {OutputPolicy::InPlace, "in_place"},
                                            {OutputPolicy::CudaMalloc, "cuda_malloc"}});
}
constexpr auto words(Constants) {
  return std::to_array<Word<Constants>>(
      {{Constants::Cached, "cached"}, {Constants::PerCall, "per_call"}});
}
constexpr auto words(Wait) {
  return std::to_array<Word<Wait>>(
      {{Wait::Stage, "stage"}, {Wait::Iteration, "iteration"}, {Wait::Turn, "turn"}});
}
constexpr auto words(Cache) {
  return std::to_array<Word<Cache>>({{Cache::Cold, "cold"}, {Cache::Hot, "hot"}});
}
constexpr auto words(DecidingClock) {
  return std::to_array<Word<DecidingClock>>(
      {{DecidingClock::Wall, "wall"}, {DecidingClock::Device, "device"}});
}
constexpr auto words(Relation) {
  return std::to_array<Word<Relation>>(
      {{Relation::Less, "<"}, {Relation::More, ">"}, {Relation::Equal, "="}});
}
constexpr auto words(Flip) {
  return std::to_array<Word<Flip>>({{Flip::None, "none"},
                                    {Flip::Horizontal, "horizontal"},
                                    {Flip::Vertical, "vertical"},
                                    {Flip::Both, "both"}});
}

/// How users spell `value`.
template <class E>
constexpr std::string_view name_of(E value) {
  for (const auto& word : words(E{}))
    if (word.value == value) return word.name;
  return "?";
}

/// The same; "" for nothing.
template <class E>
constexpr std::string_view name_of(const std::optional<E>& value) {
  return value ? name_of(*value) : "";
}

/// The value spelled `text`, or nothing.
template <class E>
constexpr std::optional<E> parse_word(std::string_view text) {
  for (const auto& word : words(E{}))
    if (word.name == text) return word.value;
  return std::nullopt;
}

/// All spellings, comma separated, as errors list them: "uint8, float16, …".
template <class E>
std::string known_words() {
  std::string text;
  for (const auto& word : words(E{})) {
    if (!text.empty()) text += ", ";
    text += word.name;
  }
  return text;
}

/// True if code running on the host can read and write this kind of memory.
constexpr bool host_reaches(Memory memory) { return memory != Memory::Device; }

/// True for the kinds that come from the CUDA runtime, registered memory included.
constexpr bool cuda_owns(Memory memory) {
  return memory != Memory::Pageable && memory != Memory::PageableHuge;
}

/// True if kernels of this place can read and write this kind of memory without a copy. CUDA
/// promises no device address for write-combined memory: only its copies reach that.
constexpr bool reaches(Place place, Memory memory) {
  if (place == Place::Cpu) return host_reaches(memory);
  return cuda_owns(memory) && memory != Memory::WriteCombined;
}

}  // namespace normbench
