#pragma once

#include <cstdint>
#include <string_view>

#include "record/recorder.h"

namespace normbench {

inline Slice slice(std::int64_t start_ns, std::int64_t end_ns, std::string_view name,
                   RangeKind kind = RangeKind::Stage, std::uint32_t depth = 0,
                   std::int64_t bytes = 0, std::uint64_t external_id = 0) {
  return {.start_ns = start_ns,
          .end_ns = end_ns,
          .name = name,
          .bytes = bytes,
          .external_id = external_id,
          .depth = depth,
          .kind = kind};
}

}  // namespace normbench
