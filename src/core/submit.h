/// Who gives the work of items in flight to their lanes.
#pragma once

#include "core/enums.h"

namespace normbench {

/// A host thread for each server of a lane; one for everything; one for each item.
enum class Submit { Lane, One, Item };
constexpr auto words(Submit) {
  return std::to_array<Word<Submit>>(
      {{Submit::Lane, "lane"}, {Submit::One, "one"}, {Submit::Item, "item"}});
}

}  // namespace normbench
