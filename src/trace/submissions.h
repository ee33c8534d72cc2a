/// Finds the op or annotation of a host that submitted a piece of device work.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "trace/model.h"

namespace normbench {

/// Returns true if the slice is in CallTree (call_tree.h). The tree contains all Python frames. It
/// also contains ops, annotations, CUDA calls and overhead, except those with one of the few names
/// that torch.profiler hides, such as "aten::is_leaf".
bool is_in_tree(const TraceSlice& slice);

/// Returns true if `slice` is not inside `other`. `slice` must not start earlier than `other`.
/// Recorded starts may be too early by up to `start_error_ns`. A recorded end is start plus
/// duration, so the end of `other` may be too early, too. A slice that ends after `other` therefore
/// still counts as inside if two conditions hold: it ends at most `start_error_ns` later, and this
/// is less than the time that it shares with `other`.
constexpr bool is_outside(const TraceSlice& slice, const TraceSlice& other,
                          std::int64_t start_error_ns) {
  if (slice.start_ns >= other.end_ns) return true;
  const std::int64_t outside_ns = slice.end_ns - other.end_ns;
  return outside_ns > 0 &&
         (outside_ns > start_error_ns || outside_ns >= other.end_ns - slice.start_ns);
}

/// Returns the name of the row of a slice. This is the label if the slice has one, and
/// "ProfilerStep*" for a step. For other slices it is their name.
std::string_view row_name(const TraceSlice& slice);

/// Returns true if both slices have the same row name and the same times, and are not empty.
/// `other` is the innermost open slice. CallTree counts such slices as one call.
bool is_same_call(const TraceSlice& slice, const TraceSlice& other);

/// The device time of a piece of work, and the slice that submitted it. `call` is the index of this
/// slice among all slices in CallTree (see Call::number).
struct Submitted {
  std::int64_t call = 0;
  std::int64_t ns = 0;

  auto operator<=>(const Submitted&) const = default;
};

/// Finds the op or annotation to which a piece of device work belongs. This is the innermost op or
/// annotation that was open when the call that started the work began. If this call is not in the
/// trace, the work belongs to the op or annotation with the external id of the work. Several
/// processes of one trace may use the same ids. If one process made the calls of at least 90% of
/// the work of a device, only the calls and ops of this process are considered for the device. Work
/// whose correlation occurs in several processes is not counted in this percentage.
class Submissions {
 public:
  explicit Submissions(std::int64_t start_error_ns) : start_error_ns_(start_error_ns) {}

  /// Adds a slice of a host. All slices of hosts must be added before the first add_work(), lane by
  /// lane, parents before their children. finish_lane() must be called after each lane.
  void add_call(const TraceSlice& slice, std::int64_t pid);
  void finish_lane();

  /// Adds a piece of device work. `device` is the index of the device, or -1 if it is unknown.
  void add_work(const TraceSlice& work, std::int64_t device);

  /// Returns true if any added work has an external id, but its call was not added. In this case
  /// all slices of the hosts must be given to add_id(), in the same order as to add_call().
  bool needs_ids() const { return !wanted_ids_.empty(); }
  void add_id(const TraceSlice& slice, std::int64_t pid);

  struct Result {
    std::vector<Submitted> submitted;  // sorted by call
    std::int64_t ambiguous = 0;        // pieces of work that several processes may have submitted
  };
  Result take();

 private:
  /// A call with a correlation, or an op or annotation with an external id.
  struct Numbered {
    std::uint64_t id = 0;  // the correlation of a call; the external id of an op
    std::int64_t pid = 0;
    std::int64_t start_ns = 0;
    std::int64_t range = -1;  // the number of the op or annotation that gets the work; -1: none

    auto operator<=>(const Numbered&) const = default;
  };
  using Candidates = std::span<const Numbered>;
  struct Open {
    TraceSlice slice;
    std::int64_t number = 0;
    std::int64_t range = -1;  // for a call or a frame: the op or annotation around it
  };
  struct Work {
    std::int64_t start_ns = 0, ns = 0, device = 0;
    std::int64_t correlation = -1;
    std::uint64_t external_id = 0;
  };

  static Candidates with_id(const std::vector<Numbered>& sorted, std::uint64_t id);
  static bool are_of_one_process(Candidates all);
  void sort_calls();
  std::int64_t range_at_top() const;
  /// Returns the candidates in `all` that may have submitted the work. The first rule that applies
  /// decides:
  /// - If `all` is empty, returns `all`.
  /// - If process_of() knows the device's process, returns the candidates of that process, or
  ///   nullopt if there are none.
  /// - Returns `all` if its candidates are of one process, else nullopt.
  std::optional<Candidates> of_one_process(Candidates all, const Work& work) const;
  /// Returns the process that made the calls of at least 90% of the work of the device, or nullopt
  /// if there is none.
  std::optional<std::int64_t> process_of(std::int64_t device) const;

  std::int64_t start_error_ns_;
  std::int64_t next_number_ = 0, next_number_of_ids_ = 0;
  std::vector<Open> open_;
  std::vector<Numbered> calls_, ops_;  // sorted by id: a correlation, and an external id
  bool sorted_ = false;
  std::vector<Work> work_;
  std::unordered_set<std::uint64_t> wanted_ids_;
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> pieces_;  // by device and process
};

}  // namespace normbench
