#include "ops/images/exif.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace normbench {
namespace {

constexpr std::uint32_t orientation_tag = 0x0112;
constexpr std::uint32_t intel_order = 0x4949, motorola_order = 0x4D4D, tiff_version = 42;

/// The size in bytes of a value of each TIFF type. The index is the number of the type. Type 0 does
/// not exist and has size 0.
constexpr auto type_bytes = std::to_array<std::size_t>({0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4});

int known_orientation(double number) {
  for (int orientation = 1; orientation <= 8; ++orientation)
    if (number == orientation) return orientation;
  return 1;
}

/// Reads numbers of a TIFF structure in the byte order of the structure. A number that lies beyond
/// the end is 0.
class Tiff {
 public:
  explicit Tiff(std::span<const std::uint8_t> bytes)
      : bytes_(bytes), little_(!bytes.empty() && bytes[0] == 'I') {}

  bool holds(std::size_t at, std::size_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }

  std::uint64_t number(std::size_t at, std::size_t size) const {
    if (!holds(at, size)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | bytes_[little_ ? at + size - 1 - i : at + i];
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool little_;
};

/// Returns the value of TIFF type `type` at byte `at`. Returns 0 for bytes and text (BYTE, ASCII,
/// UNDEFINED), and a large positive number for a negative whole number of some types. None of these
/// is a valid orientation.
double value_of(const Tiff& tiff, std::size_t at, std::size_t type) {
  const auto whole = [&](std::size_t place, std::size_t size) {
    return static_cast<std::uint32_t>(tiff.number(place, size));
  };
  switch (type) {
    case 1:
    case 2:
    case 7:
      return 0;
    case 5:  // RATIONAL: numerator, denominator
      return whole(at, 4) / static_cast<double>(whole(at + 4, 4));
    case 10:  // SRATIONAL
      return static_cast<std::int32_t>(whole(at, 4)) /
             static_cast<double>(static_cast<std::int32_t>(whole(at + 4, 4)));
    case 11:
      return std::bit_cast<float>(whole(at, 4));
    case 12:
      return std::bit_cast<double>(tiff.number(at, 8));
    default:
      return whole(at, type_bytes[type]);
  }
}

/// Removes exif_mark from the start of the block and returns the rest. Some writers write the mark
/// twice, so a second one is removed, too.
std::span<const std::uint8_t> without_marks(std::span<const std::uint8_t> block) {
  for (int i = 0; i < 2; ++i)
    if (block.size() >= exif_mark.size() &&
        std::equal(exif_mark.begin(), exif_mark.end(), block.begin()))
      block = block.subspan(exif_mark.size());
  return block;
}

}  // namespace

std::optional<int> exif_orientation(std::span<const std::uint8_t> block) {
  const Tiff tiff(without_marks(block));
  const std::uint64_t order = tiff.number(0, 2), version = tiff.number(2, 2);
  if (order != intel_order && order != motorola_order) return {};
  // Like Pillow, accepts the two bytes of the version in either order.
  if (version != tiff_version && version != tiff_version << 8) return {};
  const std::size_t directory = tiff.number(4, 4);
  const std::size_t entries = tiff.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (!tiff.holds(entry, 12)) break;
    if (tiff.number(entry, 2) != orientation_tag) continue;
    const std::size_t type = tiff.number(entry + 2, 2), count = tiff.number(entry + 4, 4);
    const std::size_t size = type < type_bytes.size() ? type_bytes[type] : 0;
    if (count == 0 || size == 0) continue;
    const bool inside = size * count <= 4;
    const std::size_t at = inside ? entry + 8 : tiff.number(entry + 8, 4);
    if (!tiff.holds(at, size * count)) continue;
    return known_orientation(value_of(tiff, at, type));
  }
  return {};
}

std::optional<int> xmp_orientation(std::string_view xmp) {
  constexpr std::string_view name = "tiff:Orientation";
  for (auto at = xmp.find(name); at != xmp.npos; at = xmp.find(name, at + 1)) {
    std::string_view rest = xmp.substr(at + name.size());
    if (rest.starts_with("=\""))
      rest.remove_prefix(2);
    else if (rest.starts_with(">"))
      rest.remove_prefix(1);
    else
      continue;
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') return known_orientation(rest[0] - '0');
  }
  return {};
}

int orientation_of(std::span<const std::uint8_t> exif, std::string_view xmp) {
  if (const auto found = exif_orientation(exif)) return *found;
  return xmp_orientation(xmp).value_or(1);
}

}  // namespace normbench
