#include <algorithm>

#include "backend/cpu/group_norm_simd.h"

namespace normbench {
namespace {

constexpr std::int64_t kSmallPlane = 64;  // elements; a larger one has rows of its own
constexpr std::int64_t kSmallRow = 1024;
constexpr std::int64_t kLargestRow = 4096;
constexpr std::int64_t kBlock = 8192;
constexpr std::int64_t kRowUnit = 64;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

PlaneRows::PlaneRows(std::int64_t planes_of_group, std::int64_t pixels_of_plane)
    : planes(planes_of_group), pixels(pixels_of_plane) {
  if (pixels < kSmallPlane) {
    row = std::max<std::int64_t>(1, kSmallRow / pixels) * pixels;
    pieces = 0;
    return;
  }
  pieces = divided_up(pixels, kLargestRow);
  if (planes * pieces % 2 != 0 && pixels >= 2 * kRowUnit) ++pieces;  // rows go in pairs
  row = divided_up(divided_up(pixels, pieces), kRowUnit) * kRowUnit;
  if (pieces == 1) row = pixels;
  pieces = divided_up(pixels, row);
}

std::int64_t PlaneRows::block_rows() const {
  return std::max<std::int64_t>(1, kBlock / row / 2) * 2;
}

void MomentSums::add(const MomentSums& other) {
  const double all = count + other.count, delta = other.mean - mean;
  squares += other.squares + delta * delta * (count * other.count / all);
  mean += delta * (other.count / all);
  count = all;
}

}  // namespace normbench
