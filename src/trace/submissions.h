/// Which op or annotation of a host submitted the work of a device.
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

/// Ops, annotations, calls and overhead that have rows, and frames of Python.
bool is_in_tree(const TraceSlice& slice);

/// True if the slice, which starts no earlier, is not in the other one. Where both starts are cut
/// by up to `start_error_ns`, it may be inside although it seems to end later: the more likely one
/// is taken, that it is inside where it sticks out by less than it overlaps.
constexpr bool is_outside(const TraceSlice& slice, const TraceSlice& other,
                          std::int64_t start_error_ns) {
  if (slice.start_ns >= other.end_ns) return true;
  const std::int64_t outside_ns = slice.end_ns - other.end_ns;
  return outside_ns > 0 &&
         (outside_ns > start_error_ns || outside_ns >= other.end_ns - slice.start_ns);
}

/// The name of a slice's row: all steps share one, and all names of a label.
std::string_view row_name(const TraceSlice& slice);

/// True if the slice, the latest one within the other one, would be merged into that: the two
/// cannot be told apart, and whatever is in one is in both.
bool is_same_call(const TraceSlice& slice, const TraceSlice& other);

/// Device time of the slice of the tree with this number.
struct Submitted {
  std::int64_t call = 0;
  std::int64_t ns = 0;

  auto operator<=>(const Submitted&) const = default;
};

/// Work belongs to the op or annotation that its runtime call began in; where that call is not in
/// the trace, to the one with its external id. Where several processes are in a trace their numbers
/// collide, and what tells them apart is which device each of them uses: nine in ten of its pieces
/// of work whose call is of one process only.
class Submissions {
 public:
  explicit Submissions(std::int64_t start_error_ns) : start_error_ns_(start_error_ns) {}

  /// First all slices of the hosts, lane by lane, parents first.
  void add_call(const TraceSlice& slice, std::int64_t pid);
  void finish_lane();

  /// Then all work of the devices.
  void add_work(const TraceSlice& work, std::int64_t device);

  /// True if the ops are to be added once more for their external ids.
  bool needs_ids() const { return !wanted_ids_.empty(); }
  void add_id(const TraceSlice& slice, std::int64_t pid);

  struct Result {
    std::vector<Submitted> submitted;  // by call
    std::int64_t ambiguous =
        0;  // pieces of work that several processes may have submitted: of none
  };
  Result take();

 private:
  /// An id of a slice, and whose work it is.
  struct Numbered {
    std::uint64_t id = 0;
    std::int64_t pid = 0;
    std::int64_t start_ns = 0;
    std::int64_t range = -1;  // -1: of none

    auto operator<=>(const Numbered&) const = default;
  };
  using Candidates = std::span<const Numbered>;
  struct Open {
    TraceSlice slice;
    std::int64_t number = 0;
    std::int64_t range = -1;  // of a call or a frame: the op or annotation around it
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
  /// Those of the process that uses the work's device; nothing where that is not known.
  std::optional<Candidates> of_one_process(Candidates all, const Work& work) const;
  std::optional<std::int64_t> process_of(std::int64_t device) const;

  std::int64_t start_error_ns_;
  std::int64_t next_number_ = 0, next_number_of_ids_ = 0;
  std::vector<Open> open_;
  std::vector<Numbered> calls_, ops_;  // by correlation, by external id
  bool sorted_ = false;
  std::vector<Work> work_;
  std::unordered_set<std::uint64_t> wanted_ids_;
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> pieces_;  // by device, by process
};

}  // namespace normbench
