#include "ops/compute.h"

namespace normbench {
namespace {

constexpr double least_ms = 1e-6, most_ms = 60'000;

}  // namespace

Compute Compute::read(Reader& reader) {
  Compute op;
  const bool whole = reader.has("ms"), by_image = reader.has("ms_per_image");
  if (whole) op.ms = reader.number("ms", op.ms, least_ms, most_ms);
  if (by_image) op.ms_per_image = reader.number("ms_per_image", op.ms_per_image, least_ms, most_ms);
  if (whole && by_image)
    reader.complain_at("ms_per_image", "cannot be combined with \"ms\" (keep one)");
  if (!whole && !by_image) reader.complain("no \"ms\" or \"ms_per_image\" (how long it is busy)");
  if (reader.has("fill")) {
    constexpr double least_fill = 1e-6;
    op.fill = reader.number("fill", 1, least_fill, 1);
  }
  return op;
}

std::optional<Misplaced> Compute::misplaced(Place place) const {
  if (!fill || place != Place::Cpu) return std::nullopt;
  return Misplaced{"fill",
                   "is a share of a GPU's multiprocessors, but this runs on the CPU (remove this)"};
}

}  // namespace normbench
