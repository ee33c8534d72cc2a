#include "backend/cuda/cupti/cupti_records.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include "backend/cuda/cupti/cupti_walk.h"

namespace normbench::cupti {
namespace {

// Words for the values 0, 1, 2, ... of CUPTI's enumerations. The first word is also used for
// unknown values.
constexpr auto kCopies = std::to_array<std::string_view>(
    {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"});
constexpr auto kMemories =
    std::to_array<std::string_view>({"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed",
                                     "Device Static", "Managed Static"});
constexpr auto kSyncs = std::to_array<std::string_view>(
    {"Unknown Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"});
/// Names of kinds of overhead. Elements 0 and 1 are kinds 0 and 1. Element n + 1 is kind n * 65536.
constexpr auto kOverheads = std::to_array<std::string_view>(
    {"Unknown", "Driver Compiler", "Buffer Flush", "Instrumentation", "Resource",
     "Runtime Triggered Module Loading", "Lazy Function Loading", "Command Buffer Full",
     "Activity Buffer Request", "UVM Activity Init"});

constexpr std::size_t kLongestMangled = 8192;
constexpr std::size_t kFewestVersionDigits = 4;

template <std::size_t Size>
constexpr std::string_view word(const std::array<std::string_view, Size>& words,
                                std::uint32_t number) {
  return number < Size ? words[number] : words[0];
}

struct Free {
  void operator()(char* text) const { std::free(text); }
};

constexpr std::uint32_t kNoNumber = 0xFFFFFFFF;  // CUPTI's number for no stream and no context

std::int64_t number_or(std::uint32_t number, std::int64_t none) {
  return number == kNoNumber ? none : number;
}

bool is_over_link(std::uint32_t copy) {
  return copy >= CUPTI_ACTIVITY_MEMCPY_KIND_HTOD && copy <= CUPTI_ACTIVITY_MEMCPY_KIND_ATOH;
}

class Reader {
 public:
  Reader(const Functions& cupti, const ClockMap& clock, const Links& links)
      : cupti_(cupti), clock_(clock), links_(links) {
    trace_.source = "CUPTI";
    trace_.clock_error_ns = clock.error_ns();
  }

  void add(RecordBytes bytes) {
    switch (kind_of(bytes)) {
      case CUPTI_ACTIVITY_KIND_INVALID:
        ++trace_.dropped;
        return;
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return add_kernel(bytes);
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        return add_memcpy<CUpti_ActivityMemcpy5>(bytes);
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return add_memcpy<CUpti_ActivityMemcpyPtoP4>(bytes);
      case CUPTI_ACTIVITY_KIND_MEMSET:
        return add_memset(bytes);
      case CUPTI_ACTIVITY_KIND_RUNTIME:
        return add_call(bytes, CUPTI_CB_DOMAIN_RUNTIME_API);
      case CUPTI_ACTIVITY_KIND_DRIVER:
        return add_call(bytes, CUPTI_CB_DOMAIN_DRIVER_API);
      case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return add_sync(bytes);
      case CUPTI_ACTIVITY_KIND_OVERHEAD:
        return add_overhead(bytes);
      default:
        return;
    }
  }

  DeviceTrace finish(std::int64_t broken_buffers) {
    trace_.dropped += broken_buffers;
    return std::move(trace_);
  }

 private:
  /// Stores a record with its times. If the times are not valid, only counts the record.
  void keep(DeviceRecord record, std::uint64_t start, std::uint64_t end) {
    if (start == 0 || end < start) {
      ++trace_.without_times;
      return;
    }
    record.start_ns = clock_.host_ns(start);
    record.end_ns = clock_.host_ns(end);
    trace_.records.push_back(std::move(record));
  }

  /// Stores work of a device, with the fields that every kind of work has.
  template <class Record>
  void keep_work(DeviceRecord work, const Record& record) {
    const std::uint32_t correlation = record.correlationId;
    work.correlation = correlation;
    work.external_id = links_.external_id(correlation);
    work.device = record.deviceId;
    work.context = record.contextId;
    work.stream = number_or(record.streamId, -1);
    work.graph = record.graphId;
    work.graph_node = static_cast<std::int64_t>(record.graphNodeId);
    const Call* const call = links_.call(correlation);
    // Work cannot start before the call that starts it. If the times of the records say that it
    // did, the clocks are off by at least the difference.
    if (call != nullptr && record.start != 0 && record.start < call->start)
      trace_.clock_error_ns =
          std::max(trace_.clock_error_ns, static_cast<std::int64_t>(call->start - record.start));
    keep(std::move(work), record.start, record.end);
  }

  void add_kernel(RecordBytes bytes) {
    using Record = CUpti_ActivityKernel9;
    const auto k = whole<Record>(bytes, offsetof(Record, name) + sizeof(Record::name));
    if (!k) return;
    keep_work({.activity = Activity::Kernel,
               .name = readable(k->name),
               .launch = LaunchShape{.grid = {k->gridX, k->gridY, k->gridZ},
                                     .block = {k->blockX, k->blockY, k->blockZ},
                                     .registers_per_thread = k->registersPerThread,
                                     .shared_bytes = std::int64_t{k->staticSharedMemory} +
                                                     k->dynamicSharedMemory}},
              *k);
  }

  template <class Record>
  void add_memcpy(RecordBytes bytes) {
    const auto copy =
        whole<Record>(bytes, offsetof(Record, correlationId) + sizeof(Record::correlationId));
    if (!copy) return;
    keep_work({.activity = Activity::Memcpy,
               .name = trace_.name(memcpy_name(copy->copyKind, copy->srcKind, copy->dstKind)),
               .bytes = static_cast<std::int64_t>(copy->bytes),
               .over_link = is_over_link(copy->copyKind)},
              *copy);
  }

  void add_memset(RecordBytes bytes) {
    using Record = CUpti_ActivityMemset4;
    const auto set =
        whole<Record>(bytes, offsetof(Record, memoryKind) + sizeof(Record::memoryKind));
    if (!set) return;
    keep_work({.activity = Activity::Memset,
               .name = trace_.name(memset_name(set->memoryKind)),
               .bytes = static_cast<std::int64_t>(set->bytes)},
              *set);
  }

  /// Stores a call. A driver call is stored only if it starts work and no runtime call made it.
  void add_call(RecordBytes bytes, CUpti_CallbackDomain domain) {
    const auto api = whole<CUpti_ActivityAPI>(bytes, sizeof(CUpti_ActivityAPI));
    if (!api) return;
    const bool of_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
    if (of_runtime ? !is_recorded_runtime_call(api->cbid) : !is_recorded_driver_call(api->cbid))
      return;
    const Call* const call = links_.call(api->correlationId);
    if (!of_runtime && call != nullptr && call->is_runtime) return;
    keep({.activity = of_runtime ? Activity::Runtime : Activity::Driver,
          .name = name_of_call(domain, api->cbid),
          .correlation = api->correlationId,
          .external_id = links_.external_id(api->correlationId),
          .thread = api->threadId},
         api->start, api->end);
  }

  /// Stores a wait, with the thread of the call that waited.
  void add_sync(RecordBytes bytes) {
    using Record = CUpti_ActivitySynchronization;
    const auto sync = whole<Record>(bytes, offsetof(Record, streamId) + sizeof(Record::streamId));
    if (!sync) return;
    const Call* const call = links_.call(sync->correlationId);
    keep({.activity = Activity::Sync,
          .name = trace_.name(sync_name(sync->type)),
          .correlation = sync->correlationId,
          .external_id = links_.external_id(sync->correlationId),
          .device = links_.device(sync->contextId),
          .context = number_or(sync->contextId, 0),
          .stream = number_or(sync->streamId, -1),
          .thread = call != nullptr ? call->thread : 0},
         sync->start, sync->end);
  }

  void add_overhead(RecordBytes bytes) {
    using Record = CUpti_ActivityOverhead;
    const auto overhead = whole<Record>(bytes, offsetof(Record, end) + sizeof(Record::end));
    if (!overhead) return;
    const bool of_thread = overhead->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
    keep({.activity = Activity::Overhead,
          .name = trace_.name(overhead_name(overhead->overheadKind)),
          .thread = of_thread ? overhead->objectId.pt.threadId : 0},
         overhead->start, overhead->end);
  }

  std::string_view readable(const char* mangled) {
    const std::string_view name = mangled != nullptr ? mangled : "";
    auto found = kernels_.find(name);
    if (found == kernels_.end())
      found = kernels_.emplace(name, trace_.name(kernel_name(mangled))).first;
    return found->second;
  }

  std::string_view name_of_call(CUpti_CallbackDomain domain, CUpti_CallbackId call) {
    const auto [found, is_new] = calls_.try_emplace({domain, call});
    if (!is_new) return found->second;
    const char* name = nullptr;
    const bool known =
        cupti_.get_callback_name(domain, call, &name) == CUPTI_SUCCESS && name != nullptr;
    const char* const where = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "runtime" : "driver";
    found->second =
        known ? trace_.name(call_name(name)) : trace_.name(fmt::format("{} call {}", where, call));
    return found->second;
  }

  template <class Record>
  std::optional<Record> whole(RecordBytes bytes, std::size_t needed) {
    const auto record = read<Record>(bytes, needed);
    if (!record) ++trace_.dropped;
    return record;
  }

  const Functions& cupti_;
  const ClockMap& clock_;
  const Links& links_;
  DeviceTrace trace_;
  std::map<std::string, std::string_view, std::less<>> kernels_;  // by mangled name
  std::map<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>, std::string_view> calls_;
};

}  // namespace

DeviceTrace read_records(std::span<const std::span<std::uint8_t>> buffers, const Functions& cupti,
                         const ClockMap& clock) {
  const Walk walk = walk_records(buffers, cupti);
  const Links links = collect_links(walk.records);
  Reader reader(cupti, clock, links);
  for (const RecordBytes bytes : walk.records) reader.add(bytes);
  return reader.finish(walk.broken_buffers);
}

std::string memcpy_name(std::uint32_t copy, std::uint32_t from, std::uint32_t to) {
  return fmt::format("Memcpy {} ({} -> {})", word(kCopies, copy), word(kMemories, from),
                     word(kMemories, to));
}

std::string memset_name(std::uint32_t memory) {
  return fmt::format("Memset ({})", word(kMemories, memory));
}

std::string sync_name(std::uint32_t type) { return std::string(word(kSyncs, type)); }

std::string overhead_name(std::uint32_t kind) {
  return std::string(word(kOverheads, kind >= 1u << 16 ? (kind >> 16) + 1 : kind));
}

std::string_view call_name(std::string_view name) {
  const std::size_t start = name.find_first_not_of('_');
  if (start != std::string_view::npos) name.remove_prefix(start);
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const bool versioned =
      name.size() - digits >= kFewestVersionDigits && name.substr(0, digits).ends_with("_v");
  return versioned ? name.substr(0, digits - 2) : name;
}

std::string kernel_name(const char* mangled) {
  if (mangled == nullptr || *mangled == '\0') return "unnamed kernel";
  const std::string_view name = mangled;
  if (!name.starts_with("_Z") || name.size() > kLongestMangled) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, Free> readable(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status));
  return readable != nullptr ? std::string(readable.get()) : std::string(name);
}

}  // namespace normbench::cupti
