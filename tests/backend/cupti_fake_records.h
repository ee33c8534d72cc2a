/// Makes buffers of CUPTI records, in the form in which the library returns them.
#pragma once

#include <cupti.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory_resource>
#include <new>
#include <span>
#include <vector>

namespace normbench::cupti {

/// A memory resource that throws std::bad_alloc while `out` is true.
class ScarceMemory final : public std::pmr::memory_resource {
 public:
  bool out = false;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (out) throw std::bad_alloc();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// One buffer of records. next_record() can read it after bytes() was called.
class FakeBuffer {
 public:
  FakeBuffer() = default;
  ~FakeBuffer() { layouts().erase(bytes_.data()); }
  FakeBuffer(const FakeBuffer&) = delete;
  FakeBuffer& operator=(const FakeBuffer&) = delete;

  template <class Record>
  FakeBuffer& add(const Record& record) {
    layout_.starts.push_back(bytes_.size());
    const auto* const start = reinterpret_cast<const std::uint8_t*>(&record);
    bytes_.insert(bytes_.end(), start, start + sizeof(record));
    return *this;
  }
  /// Cuts off the last bytes of the last record.
  FakeBuffer& cut(std::size_t bytes) {
    bytes_.resize(bytes_.size() - bytes);
    return *this;
  }
  /// Adds bytes that are too few for a record. next_record() skips them.
  FakeBuffer& leave(std::size_t bytes) {
    bytes_.resize(bytes_.size() + bytes);
    return *this;
  }
  /// Adds bytes that are no record. next_record() returns CUPTI_ERROR_INVALID_KIND for them.
  FakeBuffer& spoil() {
    bytes_.resize(bytes_.size() + 16);
    layout_.spoiled = true;
    return *this;
  }

  /// Returns the bytes of the buffer. After this, no records can be added. The allocation ends with
  /// the last byte, so that a sanitizer reports reads beyond it.
  std::span<std::uint8_t> bytes() {
    bytes_.shrink_to_fit();
    layouts()[bytes_.data()] = layout_;
    return bytes_;
  }

  /// Behaves like cuptiActivityGetNextRecord, but also returns records that cut() shortened.
  static CUptiResult next_record(std::uint8_t* buffer, std::size_t, CUpti_Activity** record) {
    const Layout& layout = layouts().at(buffer);
    auto next = layout.starts.begin();
    if (*record != nullptr)
      next = std::ranges::upper_bound(
          layout.starts,
          static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer));
    if (next == layout.starts.end())
      return layout.spoiled ? CUPTI_ERROR_INVALID_KIND : CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(buffer + *next);
    return CUPTI_SUCCESS;
  }

 private:
  struct Layout {
    std::vector<std::size_t> starts;
    bool spoiled = false;
  };
  static std::map<const std::uint8_t*, Layout>& layouts() {
    static std::map<const std::uint8_t*, Layout> all;
    return all;
  }

  std::vector<std::uint8_t> bytes_;
  Layout layout_;
};

inline CUpti_ActivityKernel9 fake_kernel(std::uint32_t correlation, std::uint64_t start,
                                         std::uint64_t end, const char* name = "_Z4workPfi") {
  CUpti_ActivityKernel9 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.correlationId = correlation;
  record.start = start;
  record.end = end;
  record.name = name;
  record.deviceId = 2;
  record.contextId = 5;
  record.streamId = 7;
  return record;
}

inline CUpti_ActivityMemcpy5 fake_copy(std::uint32_t correlation, std::uint64_t start,
                                       std::uint64_t end) {
  CUpti_ActivityMemcpy5 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  record.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  record.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.bytes = 4096;
  record.correlationId = correlation;
  record.start = start;
  record.end = end;
  record.deviceId = 2;
  record.contextId = 5;
  record.streamId = 13;
  return record;
}

inline CUpti_ActivityMemset4 fake_set(std::uint32_t correlation, std::uint64_t start,
                                      std::uint64_t end) {
  CUpti_ActivityMemset4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.bytes = 512;
  record.correlationId = correlation;
  record.start = start;
  record.end = end;
  record.deviceId = 2;
  record.contextId = 5;
  record.streamId = 13;
  return record;
}

inline CUpti_ActivityAPI fake_call(CUpti_ActivityKind kind, std::uint32_t cbid,
                                   std::uint32_t correlation, std::uint64_t start,
                                   std::uint64_t end) {
  CUpti_ActivityAPI record{};
  record.kind = kind;
  record.cbid = cbid;
  record.correlationId = correlation;
  record.start = start;
  record.end = end;
  record.threadId = 4321;
  return record;
}

inline CUpti_ActivityAPI fake_launch(std::uint32_t correlation, std::uint64_t start,
                                     std::uint64_t end) {
  return fake_call(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                   correlation, start, end);
}

inline CUpti_ActivityExternalCorrelation fake_external_id(std::uint32_t correlation,
                                                          std::uint64_t id) {
  CUpti_ActivityExternalCorrelation record{};
  record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  record.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  record.externalId = id;
  record.correlationId = correlation;
  return record;
}

inline CUpti_ActivitySynchronization fake_sync(CUpti_ActivitySynchronizationType type,
                                               std::uint32_t correlation, std::uint64_t start,
                                               std::uint64_t end) {
  CUpti_ActivitySynchronization record{};
  record.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  record.type = type;
  record.correlationId = correlation;
  record.start = start;
  record.end = end;
  record.contextId = 5;
  record.streamId = 7;
  return record;
}

inline CUpti_ActivityOverhead fake_overhead(CUpti_ActivityOverheadKind kind, std::uint64_t start,
                                            std::uint64_t end) {
  CUpti_ActivityOverhead record{};
  record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  record.overheadKind = kind;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.threadId = 4321;
  record.start = start;
  record.end = end;
  return record;
}

}  // namespace normbench::cupti
