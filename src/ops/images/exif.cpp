#include "ops/images/exif.h"

#include <algorithm>
#include <cstddef>

namespace normbench {
namespace {

constexpr std::uint32_t orientation_tag = 0x0112, last_type = 13;
constexpr std::uint32_t intel_order = 0x4949, motorola_order = 0x4D4D, tiff_version = 42;

/// The bytes of a whole number of a TIFF type; 0 for other types. 3 and 8 are SHORT and SSHORT, 4,
/// 9 and 13 are LONG, SLONG and IFD, 6 is SBYTE. A negative number is no orientation either way.
std::size_t size_of_type(std::uint32_t type) {
  switch (type) {
    case 6:
      return 1;
    case 3:
    case 8:
      return 2;
    case 4:
    case 9:
    case 13:
      return 4;
    default:
      return 0;
  }
}

int known_orientation(std::uint32_t number) {
  return number >= 1 && number <= 8 ? static_cast<int>(number) : 1;
}

/// Numbers of a TIFF structure in its byte order; 0 beyond its end.
class Tiff {
 public:
  explicit Tiff(std::span<const std::uint8_t> bytes)
      : bytes_(bytes), little_(!bytes.empty() && bytes[0] == 'I') {}

  bool holds(std::size_t at, std::size_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }

  std::uint32_t number(std::size_t at, std::size_t size) const {
    if (!holds(at, size)) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | bytes_[little_ ? at + size - 1 - i : at + i];
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool little_;
};

/// Some writers put the mark there twice.
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
  const std::uint32_t order = tiff.number(0, 2), version = tiff.number(2, 2);
  if (order != intel_order && order != motorola_order) return {};
  if (version != tiff_version && version != tiff_version << 8) return {};  // Pillow takes both
  const std::size_t directory = tiff.number(4, 4);
  const std::size_t entries = tiff.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * i;
    if (!tiff.holds(entry, 12)) break;
    if (tiff.number(entry, 2) != orientation_tag) continue;
    const std::uint32_t type = tiff.number(entry + 2, 2), count = tiff.number(entry + 4, 4);
    if (count == 0 || type == 0 || type > last_type) continue;
    const std::size_t size = size_of_type(type);
    const bool inside = size * count <= 4;
    const std::size_t at = inside ? entry + 8 : tiff.number(entry + 8, 4);
    if (!tiff.holds(at, size * count)) continue;
    return known_orientation(tiff.number(at, size));
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
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9')
      return known_orientation(static_cast<std::uint32_t>(rest[0] - '0'));
  }
  return {};
}

int orientation_of(std::span<const std::uint8_t> exif, std::string_view xmp) {
  if (const auto found = exif_orientation(exif)) return *found;
  return xmp_orientation(xmp).value_or(1);
}

}  // namespace normbench
