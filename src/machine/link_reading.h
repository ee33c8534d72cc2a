/// When a GPU's link to the host was read.
#pragma once

#include "core/enums.h"

namespace normbench {

/// An idle GPU may slow its link down, so only what was read while copies ran says how it is.
enum class LinkReading { UnderLoad, Idle };

constexpr auto words(LinkReading) {
  return std::to_array<Word<LinkReading>>(
      {{LinkReading::UnderLoad, "under load"}, {LinkReading::Idle, "idle"}});
}

}  // namespace normbench
