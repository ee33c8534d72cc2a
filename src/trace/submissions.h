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

/// True for ops, annotations, calls and overhead with rows, and for frames of Python.
bool is_in_tree(const TraceSlice& slice);

/// True if the slice, which starts no earlier, is not inside the other one. Where both starts are
/// cut by up to `start_error_ns`, it may be inside although it seems to end later. It counts as
/// inside, which is likelier, where it sticks out by less than it overlaps.
constexpr bool is_outside(const TraceSlice& slice, const TraceSlice& other,
                          std::int64_t start_error_ns) {
  if (slice.start_ns >= other.end_ns) return true;
  const std::int64_t outside_ns = slice.end_ns - other.end_ns;
  return outside_ns > 0 &&
         (outside_ns > start_error_ns || outside_ns >= other.end_ns - slice.start_ns);
}

/// The name of a slice's row. All steps share one, and so do all names with the same label.
std::string_view row_name(const TraceSlice& slice);

/// True if the slice, which is the latest inside the other, would be merged into that. The two
/// cannot be told apart, and whatever is in one is in both.
bool is_same_call(const TraceSlice& slice, const TraceSlice& other);

/// The device time of a slice of the tree, which has this number.
struct Submitted {
  std::int64_t call = 0;
  std::int64_t ns = 0;

  auto operator<=>(const Submitted&) const = default;
};

/// Work belongs to the op or annotation in which its runtime call began; if that call is not in the
/// trace, to the one with its external id. Numbers of several processes in a trace collide. They
/// are told apart by the device that each process uses: nine in ten pieces of the device's work
/// must have calls of one process only.
class Submissions {
 public:
  explicit Submissions(std::int64_t start_error_ns) : start_error_ns_(start_error_ns) {}

  /// First add all slices of the hosts, lane by lane, parents first.
  void add_call(const TraceSlice& slice, std::int64_t pid);
  void finish_lane();

  /// Then add all work of the devices.
  void add_work(const TraceSlice& work, std::int64_t device);

  /// True if the ops must be added once more, for their external ids.
  bool needs_ids() const { return !wanted_ids_.empty(); }
  void add_id(const TraceSlice& slice, std::int64_t pid);

  struct Result {
    std::vector<Submitted> submitted;  // by call
    std::int64_t ambiguous =
        0;  // pieces of work that several processes may have submitted: of none
  };
  Result take();

 private:
  /// An id of a slice, and where its work belongs.
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
  /// The candidates in the process that uses the work's device; nothing where that is not known.
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
