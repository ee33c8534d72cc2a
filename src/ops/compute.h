#pragma once

#include <optional>
#include <vector>

#include "ops/checks.h"

namespace normbench {

/// Imitates a network: keeps the processor busy for a given time and passes the input through. The
/// stage computes a chain of dependent operations, so that it slows other work on the same
/// processor. The result of the chain is dropped.
/// - On the CPU it uses one core. Each process measures the speed of a core once, to know how many
///   operations fill the time.
/// - On a GPU it uses the share `fill` of the multiprocessors. It takes the given time at the
///   nominal peak clock, and longer at a lower clock.
/// Parameters: ms or ms_per_image; fill, on a GPU only (default 1).
struct Compute {
  static constexpr std::string_view name = "compute";
  static constexpr std::string_view about =
      "be busy as a network would be, for a given time; the input passes through";
  static constexpr Roles roles{
      .passes_through = true, .needs_input = true, .stands_for_work = true};

  double ms = 0, ms_per_image = 0;  // exactly one is above 0
  std::optional<double> fill = {};

  static Compute read(Reader& reader);
  std::optional<Misplaced> misplaced(Place place) const;
  /// Returns the time for a batch of `images` images, in ns.
  double ns(std::int64_t images) const {
    return 1e6 * (ms + ms_per_image * static_cast<double>(images));
  }
  static std::vector<Compute> samples(const Shape&) { return {{.ms = 0.001, .fill = 0.01}}; }
};

}  // namespace normbench
