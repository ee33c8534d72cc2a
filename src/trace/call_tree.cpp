#include "trace/call_tree.h"

#include <utility>

#include "core/saturated.h"

namespace normbench {
namespace {

std::int64_t duration_ns(const Call& call) { return call.slice.end_ns - call.slice.start_ns; }

}  // namespace

CallTree::CallTree(const Nesting& nesting, const std::vector<Submitted>& submitted,
                   MemoryUse& memory, Take take)
    : nesting_(nesting), submitted_(submitted), memory_(memory), take_(std::move(take)) {}

void CallTree::add(const TraceSlice& slice) {
  if (!is_in_tree(slice)) return;
  Call call;
  call.slice = slice;
  call.number = next_number_++;
  call.self_device_ns = submitted_by(call.number);
  call.memory = memory_.during(slice);
  if (slice.async) {
    call.device_ns = call.self_device_ns;
    take_(call);
    return;
  }
  close_before(slice);
  if (!open_.empty() && is_same_call(slice, open_.back().node.call.slice)) {
    Call& same = open_.back().node.call;
    same.self_device_ns = saturated_sum(same.self_device_ns, call.self_device_ns);
    return;
  }
  open_.push_back({.node = {.call = std::move(call)}, .only = {}});
}

/// Closes the open calls that do not contain the slice. Such a call may end after the start of the
/// slice, so that the two share some time. With Nesting::shared_once, the shared time counts only
/// for the slice. Example: a call from 0 to 10 and a slice from 8 to 20 have a parent from 0 to 30.
/// - The self time of the call is 8, because the shared time of 2 is subtracted. If several nested
///   calls are closed, the innermost call that covers a part of the shared time subtracts it.
/// - The self time of the parent is 10. Its duration of 30, minus 10 and 12 for its children, is 8.
///   This subtracts the shared time of 2 twice, so 2 is added.
void CallTree::close_before(const TraceSlice& slice) {
  std::int64_t lost_to_ns = slice.start_ns;
  while (!open_.empty() &&
         is_outside(slice, open_.back().node.call.slice, nesting_.start_error_ns)) {
    Node& node = open_.back().node;
    if (nesting_.shared_once && node.call.slice.end_ns > lost_to_ns) {
      node.shared_ns = saturated_sum(node.shared_ns, node.call.slice.end_ns - lost_to_ns);
      lost_to_ns = node.call.slice.end_ns;
    }
    close();
  }
  if (open_.empty()) return;
  Node& around = open_.back().node;
  around.shared_ns = saturated_sum(around.shared_ns, slice.start_ns - lost_to_ns);
}

void CallTree::finish_lane() {
  while (!open_.empty()) close();
}

std::int64_t CallTree::submitted_by(std::int64_t number) {
  std::int64_t ns = 0;
  for (; next_submitted_ < submitted_.size() && submitted_[next_submitted_].call == number;
       ++next_submitted_)
    ns = saturated_sum(ns, submitted_[next_submitted_].ns);
  return ns;
}

void CallTree::close() {
  Open open = std::move(open_.back());
  open_.pop_back();
  Node& node = open.node;
  Call& call = node.call;
  call.device_ns = saturated_sum(call.device_ns, call.self_device_ns);
  if (open.only) {
    const Node& only = *open.only;
    if (row_name(only.call.slice) == row_name(call.slice)) {
      node.children = only.children;
      node.children_ns = only.children_ns;
      node.children_memory = only.children_memory;
      node.shared_ns = saturated_sum(node.shared_ns, only.shared_ns);
      call.self_device_ns = saturated_sum(call.self_device_ns, only.call.self_device_ns);
    } else {
      take_(only.call);
    }
  }
  call.self_ns = saturated_sum(duration_ns(call), -saturated_sum(node.children_ns, node.shared_ns));
  call.self_memory = call.memory - node.children_memory;
  if (open_.empty()) return take_(call);
  auto& [parent, only] = open_.back();
  parent.children_ns = saturated_sum(parent.children_ns, duration_ns(call));
  parent.children_memory += call.memory;
  parent.call.device_ns = saturated_sum(parent.call.device_ns, call.device_ns);
  if (++parent.children == 1) {
    only = std::make_unique<Node>(std::move(node));
    return;
  }
  if (only) take_(only->call);
  only.reset();
  take_(call);
}

}  // namespace normbench
