/// What CUPTI's records say of each other, whatever order they come in.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "backend/cuda/cupti/cupti_walk.h"

namespace normbench::cupti {

/// A call as the work that it started needs it.
struct Call {
  std::uint64_t start = 0;  // on CUPTI's clock; 0: unknown
  std::int64_t thread = 0;
  bool is_runtime = false;  // false: of the driver
};

struct Links {
  std::unordered_map<std::uint32_t, Call> calls;                  // by correlation
  std::unordered_map<std::uint32_t, std::uint64_t> external_ids;  // by correlation
  std::unordered_map<std::uint32_t, std::uint32_t> devices;       // by context

  const Call* call(std::uint32_t correlation) const;
  /// 0 where there is none.
  std::uint64_t external_id(std::uint32_t correlation) const;
  std::uint32_t device(std::uint32_t context) const;
};

Links collect_links(std::span<const RecordBytes> records);

}  // namespace normbench::cupti
