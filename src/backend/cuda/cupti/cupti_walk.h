/// The records in the buffers that CUPTI filled, and what they say of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "backend/cuda/cupti/cupti_library.h"

namespace normbench::cupti {

/// One record, up to where the next one starts.
using RecordBytes = std::span<const std::uint8_t>;

struct Walk {
  std::vector<RecordBytes> records;  // in the buffers
  std::int64_t broken_buffers = 0;   // that end in what is no whole record
};

/// Finds the records of all buffers, in the order that those came back in.
Walk walk_records(std::span<const std::span<std::uint8_t>> buffers, const Functions& cupti);

/// CUpti_ActivityKind of a record; 0 when it is cut off before that.
std::uint32_t kind_of(RecordBytes bytes);

/// A record. Versions of the library only ever append fields: an older one writes less than
/// `Record` has, and the fields that are missing are 0; a newer one writes more. Nothing when the
/// record was cut off before `needed` bytes.
template <class Record>
std::optional<Record> read(RecordBytes bytes, std::size_t needed) {
  if (bytes.size() < needed) return std::nullopt;
  Record record{};
  std::memcpy(&record, bytes.data(), bytes.size() < sizeof(Record) ? bytes.size() : sizeof(Record));
  return record;
}

/// The facts of a call that the work started by it needs.
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
  /// The external id of a correlation; 0 where there is none.
  std::uint64_t external_id(std::uint32_t correlation) const;
  std::uint32_t device(std::uint32_t context) const;
};

/// The records may come in any order.
Links collect_links(std::span<const RecordBytes> records);

}  // namespace normbench::cupti
