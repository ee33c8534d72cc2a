#include "backend/cuda/cupti/cupti_walk.h"

namespace normbench::cupti {
namespace {

class Walker {
 public:
  explicit Walker(const Functions& cupti) : cupti_(cupti) {}

  void walk_buffer(std::span<std::uint8_t> buffer) {
    const std::uint8_t* const end = buffer.data() + buffer.size();
    const std::uint8_t* start = nullptr;
    CUpti_Activity* record = nullptr;
    CUptiResult result;
    while ((result = cupti_.get_next_record(buffer.data(), buffer.size(), &record)) ==
           CUPTI_SUCCESS) {
      const auto* const next = reinterpret_cast<const std::uint8_t*>(record);
      if (start != nullptr) {
        const RecordBytes bytes = walk_.records.emplace_back(start, next);
        lengths_[kind_of(bytes)] = bytes.size();
      }
      start = next;
    }
    if (start != nullptr) walk_.records.emplace_back(start, end);
    if (start == nullptr || result != CUPTI_ERROR_MAX_LIMIT_REACHED)
      ++walk_.broken_buffers;
    else
      last_.push_back(walk_.records.back());
  }

  /// Also counts buffers that end with a cut-off record as broken, and returns the records. CUPTI
  /// does not report a cut-off record. Its bytes are taken for a part of the record before it,
  /// which therefore looks longer than other records of the same kind.
  Walk finish() {
    for (const RecordBytes last : last_) {
      const auto length = lengths_.find(kind_of(last));
      if (length != lengths_.end() && last.size() > length->second) ++walk_.broken_buffers;
    }
    return std::move(walk_);
  }

 private:
  const Functions& cupti_;
  Walk walk_;
  /// The length of a record in bytes, by kind. Only records that are not the last of a buffer show
  /// their length.
  std::unordered_map<std::uint32_t, std::size_t> lengths_;
  std::vector<RecordBytes> last_;  // last record of each complete buffer
};

void collect_external_id(RecordBytes bytes, Links& links) {
  using Record = CUpti_ActivityExternalCorrelation;
  const auto record = read<Record>(bytes, sizeof(Record));
  if (record && record->externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
    links.external_ids[std::uint32_t{record->correlationId}] = record->externalId;
}

/// Adds a call. A runtime call and a driver call inside it have the same correlation. For such a
/// pair, the runtime call is kept.
void collect_call(RecordBytes bytes, bool is_runtime, Links& links) {
  const auto record = read<CUpti_ActivityAPI>(bytes, sizeof(CUpti_ActivityAPI));
  if (!record) return;
  const Call call{.start = record->start, .thread = record->threadId, .is_runtime = is_runtime};
  if (is_runtime)
    links.calls[std::uint32_t{record->correlationId}] = call;
  else
    links.calls.try_emplace(std::uint32_t{record->correlationId}, call);
}

template <class Record>
void collect_device(RecordBytes bytes, Links& links) {
  if (const auto record = read<Record>(bytes, offsetof(Record, streamId)))
    links.devices[std::uint32_t{record->contextId}] = record->deviceId;
}

void collect(RecordBytes bytes, Links& links) {
  switch (kind_of(bytes)) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return collect_external_id(bytes, links);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return collect_call(bytes, true, links);
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return collect_call(bytes, false, links);
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return collect_device<CUpti_ActivityKernel9>(bytes, links);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return collect_device<CUpti_ActivityMemcpy5>(bytes, links);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return collect_device<CUpti_ActivityMemset4>(bytes, links);
    default:
      return;
  }
}

}  // namespace

Walk walk_records(std::span<const std::span<std::uint8_t>> buffers, const Functions& cupti) {
  Walker walker(cupti);
  for (const std::span<std::uint8_t> buffer : buffers)
    if (!buffer.empty()) walker.walk_buffer(buffer);
  return walker.finish();
}

std::uint32_t kind_of(RecordBytes bytes) {
  std::uint32_t kind = 0;
  if (bytes.size() >= sizeof(kind)) std::memcpy(&kind, bytes.data(), sizeof(kind));
  return kind;
}

const Call* Links::call(std::uint32_t correlation) const {
  const auto found = calls.find(correlation);
  return found == calls.end() ? nullptr : &found->second;
}

std::uint64_t Links::external_id(std::uint32_t correlation) const {
  const auto found = external_ids.find(correlation);
  return found == external_ids.end() ? 0 : found->second;
}

std::uint32_t Links::device(std::uint32_t context) const {
  const auto found = devices.find(context);
  return found == devices.end() ? 0 : found->second;
}

Links collect_links(std::span<const RecordBytes> records) {
  Links links;
  for (const RecordBytes bytes : records) collect(bytes, links);
  return links;
}

}  // namespace normbench::cupti
