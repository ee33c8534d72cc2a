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

/// Returns true for ops, annotations, calls and overhead with rows, and for frames of Python.
bool is_in_tree(const TraceSlice& slice);

/// Returns true if `slice` is not inside `other`. `slice` must not start earlier than `other`. Both
/// starts may be cut by up to `start_error_ns`, so `slice` may be inside although it seems to end
/// later. If it sticks out by less than it overlaps, it counts as inside, which is likelier.
constexpr bool is_outside(const TraceSlice& slice, const TraceSlice& other,
                          std::int64_t start_error_ns) {
  if (slice.start_ns >= other.end_ns) return true;
  const std::int64_t outside_ns = slice.end_ns - other.end_ns;
  return outside_ns > 0 &&
         (outside_ns > start_error_ns || outside_ns >= other.end_ns - slice.start_ns);
}

/// Returns the name of a slice's row. All steps share one name, and so do all slices with the same
/// label.
std::string_view row_name(const TraceSlice& slice);

/// Returns true if `slice` has the times and the row name of `other`, the innermost open slice.
/// CallTree then merges it into `other`, because everything inside one is inside both.
bool is_same_call(const TraceSlice& slice, const TraceSlice& other);

/// The device time that a slice of the tree has submitted. `call` is the number of the slice.
struct Submitted {
  std::int64_t call = 0;
  std::int64_t ns = 0;

  auto operator<=>(const Submitted&) const = default;
};

/// Finds to which op or annotation device work belongs: the one in which its runtime call began. If
/// that call is not in the trace, it is the one with the work's external id.
/// Several processes in a trace may use the same numbers. The device tells them apart: its work
/// belongs to the one process that made the calls of at least nine in ten pieces. Pieces for which
/// several processes have calls are not counted.
class Submissions {
 public:
  explicit Submissions(std::int64_t start_error_ns) : start_error_ns_(start_error_ns) {}

  /// Adds a slice of the hosts. All of them must be added first, lane by lane, parents first.
  void add_call(const TraceSlice& slice, std::int64_t pid);
  void finish_lane();

  /// Adds work of the devices. All of it must be added after the slices of the hosts.
  void add_work(const TraceSlice& work, std::int64_t device);

  /// Returns true if the ops must be added once more, by add_id(), for their external ids.
  bool needs_ids() const { return !wanted_ids_.empty(); }
  void add_id(const TraceSlice& slice, std::int64_t pid);

  struct Result {
    std::vector<Submitted> submitted;  // sorted by call
    std::int64_t ambiguous = 0;        // pieces of work that several processes may have submitted
  };
  Result take();

 private:
  /// An id of a slice, and the op or annotation to which its work belongs.
  struct Numbered {
    std::uint64_t id = 0;
    std::int64_t pid = 0;
    std::int64_t start_ns = 0;
    std::int64_t range = -1;  // the op or annotation; -1: none

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
  /// Returns the candidates of one process: the one that uses the work's device, or the only one
  /// that has candidates if that is not known. Returns nothing if there are candidates, but none of
  /// such a process.
  std::optional<Candidates> of_one_process(Candidates all, const Work& work) const;
  std::optional<std::int64_t> process_of(std::int64_t device) const;

  std::int64_t start_error_ns_;
  std::int64_t next_number_ = 0, next_number_of_ids_ = 0;
  std::vector<Open> open_;
  std::vector<Numbered> calls_, ops_;  // sorted by correlation, and by external id
  bool sorted_ = false;
  std::vector<Work> work_;
  std::unordered_set<std::uint64_t> wanted_ids_;
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> pieces_;  // by device and process
};

}  // namespace normbench
