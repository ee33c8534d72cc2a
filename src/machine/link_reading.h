#pragma once

#include "core/enums.h"

namespace normbench {

/// Whether the state of the link to the GPU was read while copies ran. An idle GPU may slow its
/// link down.
enum class LinkReading { UnderLoad, Idle };

constexpr auto words(LinkReading) {
  return std::to_array<Word<LinkReading>>(
      {{LinkReading::UnderLoad, "under load"}, {LinkReading::Idle, "idle"}});
}

}  // namespace normbench
