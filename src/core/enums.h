/// The enumerations that configs and documents use, each with a table of its words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

enum class DType { UInt8, Float16, BFloat16, Float32 };
enum class Layout { Nchw, Nhwc };
/// How the channels of an image are stored. Rgb: all channels have one size. The channels may be
/// others than red, green and blue. The other formats have planes as in a JPEG file: Y, then Cb,
/// then Cr, each without gaps. A sample of Cb or Cr belongs to one or several pixels.
enum class PixelFormat { Rgb, Ycbcr444, Ycbcr422, Ycbcr440, Ycbcr420, Ycbcr411 };
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
/// Which threads submit the work if several items (batches) are in flight in a pipeline. A lane is
/// a set of stages of the pipeline, and has one or more servers. A server runs these stages for one
/// item at a time.
/// - Lane: each server of each lane has its own thread.
/// - One: a single thread submits all work.
/// - Item: each item in flight has its own thread.
enum class Submit { Lane, One, Item };
enum class Cache { Cold, Hot };
enum class DecidingClock { Wall, Device };
/// How the time of a claim's left side compares with the time of its right side.
enum class Relation { Less, More, Equal };
enum class Trend { Grows, Shrinks, Stays };
/// A property in which the outputs of variants may differ.
enum class Difference { DType, Layout, Shape, Place };
enum class Flip { None, Horizontal, Vertical, Both };

/// Why a case cannot run here: no GPU, no kernel for one of its stages, not enough memory, a peer
/// (another program) that was not allowed with --allow-peers, or another reason.
enum class Skip { NoGpu, NoKernel, NoMemory, NotAllowed, Other };

/// An enumerator and its spelling in configs and documents.
template <class E>
struct Word {
  E value;
  std::string_view name;
};

/// The properties of a dtype. A dtype with `significant_bits` > 0 is a float; its first significant
/// bit is implicit.
struct DTypeRow {
  DType value;
  std::string_view name;
  int bytes;                 // size of an element
  int significant_bits = 0;  // 0: whole numbers from 0 to 255
  int lowest_exponent = 0;   // smallest exponent of normal numbers
  std::string_view npy;      // name of the type in .npy files
};
// std::to_array() is not used here, because nvcc of CUDA 12.4 does not accept its result as a
// constant.
inline constexpr std::array dtype_rows = {
    DTypeRow{.value = DType::UInt8, .name = "uint8", .bytes = 1, .npy = "|u1"},
    DTypeRow{DType::Float16, "float16", 2, 11, -14, "<f2"},
    DTypeRow{DType::BFloat16, "bfloat16", 2, 8, -126, "<u2"},  // raw bits: NumPy has no bfloat16
    DTypeRow{DType::Float32, "float32", 4, 24, -126, "<f4"}};

/// A row of the table of pixel formats. A sample of Cb or Cr belongs to `across` x `down` pixels.
struct PixelFormatRow {
  PixelFormat value;
  std::string_view name;
  int across = 1, down = 1;
};
inline constexpr std::array pixel_format_rows = {
    PixelFormatRow{PixelFormat::Rgb, "rgb"},
    PixelFormatRow{PixelFormat::Ycbcr444, "ycbcr444"},
    PixelFormatRow{PixelFormat::Ycbcr422, "ycbcr422", 2, 1},
    PixelFormatRow{PixelFormat::Ycbcr440, "ycbcr440", 1, 2},
    PixelFormatRow{PixelFormat::Ycbcr420, "ycbcr420", 2, 2},
    PixelFormatRow{PixelFormat::Ycbcr411, "ycbcr411", 4, 1}};

/// Who may move the pages of memory: the operating system (Pageable), nobody (Locked), or the CUDA
/// driver (Driver).
enum class Pages { Pageable, Locked, Driver };

/// A row of the table of memory kinds.
struct MemoryRow {
  Memory value;
  std::string_view name;
  Place owner;   // place whose backend allocates this memory
  bool host;     // the host can read and write this memory
  bool cached;   // host reads use the CPU caches; otherwise each read goes to memory
  bool kernels;  // device kernels can read and write this memory without a copy
  Pages pages;
};
inline constexpr std::array memory_rows = {
    MemoryRow{Memory::Pageable, "pageable", Place::Cpu, true, true, false, Pages::Pageable},
    MemoryRow{Memory::PageableHuge, "pageable_huge", Place::Cpu, true, true, false,
              Pages::Pageable},
    MemoryRow{Memory::Pinned, "pinned", Place::Cuda, true, true, true, Pages::Locked},
    MemoryRow{Memory::Registered, "registered", Place::Cuda, true, true, true, Pages::Locked},
    // CUDA guarantees no device address for this memory, so only copies can use it, not kernels.
    MemoryRow{Memory::WriteCombined, "write_combined", Place::Cuda, true, false, false,
              Pages::Locked},
    MemoryRow{Memory::Mapped, "mapped", Place::Cuda, true, true, true, Pages::Locked},
    MemoryRow{Memory::Managed, "managed", Place::Cuda, true, true, true, Pages::Driver},
    MemoryRow{Memory::Device, "device", Place::Cuda, false, false, true, Pages::Driver}};

/// Returns the table of an enumeration. The argument only selects the enumeration; its value is
/// ignored. Error messages list the words in the order of the table.
constexpr const auto& words(DType) { return dtype_rows; }
constexpr const auto& words(Memory) { return memory_rows; }
constexpr const auto& words(PixelFormat) { return pixel_format_rows; }
constexpr auto words(Layout) {
  return std::to_array<Word<Layout>>({{Layout::Nchw, "nchw"}, {Layout::Nhwc, "nhwc"}});
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
constexpr auto words(Submit) {
  return std::to_array<Word<Submit>>(
      {{Submit::Lane, "lane"}, {Submit::One, "one"}, {Submit::Item, "item"}});
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
constexpr auto words(Trend) {
  return std::to_array<Word<Trend>>(
      {{Trend::Grows, "grows"}, {Trend::Shrinks, "shrinks"}, {Trend::Stays, "stays"}});
}
constexpr auto words(Skip) {
  return std::to_array<Word<Skip>>({{Skip::NoGpu, "no_gpu"},
                                    {Skip::NoKernel, "no_kernel"},
                                    {Skip::NoMemory, "no_memory"},
                                    {Skip::NotAllowed, "not_allowed"},
                                    {Skip::Other, "other"}});
}
constexpr auto words(Difference) {
  return std::to_array<Word<Difference>>({{Difference::DType, "dtype"},
                                          {Difference::Layout, "layout"},
                                          {Difference::Shape, "shape"},
                                          {Difference::Place, "place"}});
}
constexpr auto words(Flip) {
  return std::to_array<Word<Flip>>({{Flip::None, "none"},
                                    {Flip::Horizontal, "horizontal"},
                                    {Flip::Vertical, "vertical"},
                                    {Flip::Both, "both"}});
}

/// Returns the spelling of `value` in configs and documents.
template <class E>
constexpr std::string_view name_of(E value) {
  for (const auto& word : words(E{}))
    if (word.value == value) return word.name;
  return "?";
}

/// Returns the spelling of `value`; "" if `value` is std::nullopt.
template <class E>
constexpr std::string_view name_of(const std::optional<E>& value) {
  return value ? name_of(*value) : "";
}

/// Returns the enumerator that is spelled `text`; std::nullopt if there is none.
template <class E>
constexpr std::optional<E> parse_word(std::string_view text) {
  for (const auto& word : words(E{}))
    if (word.name == text) return word.value;
  return std::nullopt;
}

/// Returns all spellings, in the order of the table.
template <class E>
std::vector<std::string> all_words() {
  std::vector<std::string> all;
  for (const auto& word : words(E{})) all.emplace_back(word.name);
  return all;
}

/// Returns all spellings in one text: "uint8, float16, …".
template <class E>
std::string known_words() {
  std::string text;
  for (const std::string& word : all_words<E>()) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Returns the table row of `dtype`, `memory` or `format`. The tables are in the order of the
/// enumerators.
constexpr const DTypeRow& row_of(DType dtype) {
  return dtype_rows[static_cast<std::size_t>(dtype)];
}
constexpr const MemoryRow& row_of(Memory memory) {
  return memory_rows[static_cast<std::size_t>(memory)];
}
constexpr const PixelFormatRow& row_of(PixelFormat format) {
  return pixel_format_rows[static_cast<std::size_t>(format)];
}
template <class Rows>
constexpr bool in_order(const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].value) != i) return false;
  return true;
}
static_assert(in_order(dtype_rows) && in_order(memory_rows) && in_order(pixel_format_rows));

constexpr std::int64_t size_of(DType dtype) { return row_of(dtype).bytes; }
constexpr bool is_float(DType dtype) { return row_of(dtype).significant_bits > 0; }

/// Returns true if code on the host can read and write this kind of memory.
constexpr bool host_reaches(Memory memory) { return row_of(memory).host; }
/// Returns true if host reads of this memory use the CPU caches. Host reads of other memory are
/// slow or impossible.
constexpr bool host_caches(Memory memory) { return row_of(memory).cached; }
/// Returns true if kernels of this place can read and write this kind of memory without a copy.
constexpr bool reaches(Place place, Memory memory) {
  return place == Place::Cpu ? row_of(memory).host : row_of(memory).kernels;
}
/// Returns true for memory that the CUDA runtime allocates or registers.
constexpr bool cuda_owns(Memory memory) { return row_of(memory).owner == Place::Cuda; }
constexpr bool is_pageable(Memory memory) { return row_of(memory).pages == Pages::Pageable; }
constexpr bool is_page_locked(Memory memory) { return row_of(memory).pages == Pages::Locked; }

}  // namespace normbench
