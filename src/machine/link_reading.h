/// Whether a GPU's link to the host was read under load.
#pragma once

#include "core/enums.h"

namespace normbench {

/// An idle GPU may slow its link down, so only a reading while copies run shows the link's real
/// state.
enum class LinkReading { UnderLoad, Idle };

constexpr auto words(LinkReading) {
  return std::to_array<Word<LinkReading>>(
      {{LinkReading::UnderLoad, "under load"}, {LinkReading::Idle, "idle"}});
}

}  // namespace normbench
