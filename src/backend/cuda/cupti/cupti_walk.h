/// The records in the buffers that CUPTI filled, and the links between records.
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

/// The bytes of one record, up to the start of the next record or the end of the buffer.
using RecordBytes = std::span<const std::uint8_t>;

struct Walk {
  std::vector<RecordBytes> records;  // views of the buffers
  std::int64_t broken_buffers = 0;   // buffers that do not end with a whole record
};

/// Returns the records of all buffers, in the order of the buffers and of their bytes.
Walk walk_records(std::span<const std::span<std::uint8_t>> buffers, const Functions& cupti);

/// Returns the CUpti_ActivityKind of a record, or 0 if the record is too short to have one.
std::uint32_t kind_of(RecordBytes bytes);

/// Returns a copy of the record in `bytes`, or std::nullopt if there are fewer than `needed` bytes.
/// Versions of CUPTI differ only in fields at the end: missing fields become 0, and unknown fields
/// are ignored.
template <class Record>
std::optional<Record> read(RecordBytes bytes, std::size_t needed) {
  if (bytes.size() < needed) return std::nullopt;
  Record record{};
  std::memcpy(&record, bytes.data(), bytes.size() < sizeof(Record) ? bytes.size() : sizeof(Record));
  return record;
}

/// The facts about a call that are used for the work that the call started.
struct Call {
  std::uint64_t start = 0;  // on CUPTI's clock; 0: unknown
  std::int64_t thread = 0;
  bool is_runtime = false;  // false: a call of the driver
};

struct Links {
  std::unordered_map<std::uint32_t, Call> calls;                  // by correlation
  std::unordered_map<std::uint32_t, std::uint64_t> external_ids;  // by correlation
  std::unordered_map<std::uint32_t, std::uint32_t> devices;       // by context

  const Call* call(std::uint32_t correlation) const;
  /// Returns the external id of a correlation, or 0 if it has none.
  std::uint64_t external_id(std::uint32_t correlation) const;
  std::uint32_t device(std::uint32_t context) const;
};

/// Collects the links between records, which may be in any order.
Links collect_links(std::span<const RecordBytes> records);

}  // namespace normbench::cupti
