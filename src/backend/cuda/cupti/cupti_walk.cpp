#include "backend/cuda/cupti/cupti_walk.h"

#include <unordered_map>

namespace normbench::cupti {
namespace {

class Walker {
 public:
  explicit Walker(const Functions& cupti) : cupti_(cupti) {}

  void walk_buffer(std::span<std::uint8_t> buffer);
  Walk finish();

 private:
  const Functions& cupti_;
  Walk walk_;
  std::unordered_map<std::uint32_t, std::size_t> lengths_;  // by kind, of those with one behind
  std::vector<RecordBytes> last_;                           // of each buffer that ends as it should
};

void Walker::walk_buffer(std::span<std::uint8_t> buffer) {
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

/// CUPTI says nothing of a record that is cut off: its bytes are left behind the last whole one.
Walk Walker::finish() {
  for (const RecordBytes last : last_) {
    const auto length = lengths_.find(kind_of(last));
    if (length != lengths_.end() && last.size() > length->second) ++walk_.broken_buffers;
  }
  return std::move(walk_);
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

}  // namespace normbench::cupti
