#include "trace/call_tree.h"

#include <utility>

namespace normbench {
namespace {

std::int64_t duration_ns(const Call& call) { return call.slice.end_ns - call.slice.start_ns; }

}  // namespace

std::string_view row_name(const TraceSlice& slice) {
  if (!slice.label.empty()) return slice.label;
  return slice.name.starts_with("ProfilerStep#") ? "ProfilerStep*" : slice.name;
}

CallTree::CallTree(std::int64_t start_error_ns, const std::vector<Submitted>& submitted,
                   MemoryUse& memory, Take take)
    : start_error_ns_(start_error_ns),
      submitted_(submitted),
      memory_(memory),
      take_(std::move(take)) {}

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
  while (!open_.empty() && is_outside(slice, open_.back().node.call.slice, start_error_ns_))
    close();
  open_.push_back({.node = {.call = std::move(call)}, .only = {}});
}

void CallTree::finish_lane() {
  while (!open_.empty()) close();
}

std::int64_t CallTree::submitted_by(std::int64_t number) {
  std::int64_t ns = 0;
  for (; next_submitted_ < submitted_.size() && submitted_[next_submitted_].call == number;
       ++next_submitted_)
    ns += submitted_[next_submitted_].ns;
  return ns;
}

void CallTree::close() {
  Open open = std::move(open_.back());
  open_.pop_back();
  Node& node = open.node;
  Call& call = node.call;
  call.device_ns += call.self_device_ns;
  if (open.only) {
    const Node& only = *open.only;
    if (row_name(only.call.slice) == row_name(call.slice)) {
      node.children = only.children;
      node.children_ns = only.children_ns;
      node.children_memory = only.children_memory;
      call.self_device_ns += only.call.self_device_ns;
    } else {
      take_(only.call);
    }
  }
  call.self_ns = duration_ns(call) - node.children_ns;
  call.self_memory = call.memory - node.children_memory;
  if (open_.empty()) return take_(call);
  auto& [parent, only] = open_.back();
  parent.children_ns += duration_ns(call);
  parent.children_memory += call.memory;
  parent.call.device_ns += call.device_ns;
  if (++parent.children == 1) {
    only = std::move(node);
    return;
  }
  if (only) take_(only->call);
  only.reset();
  take_(call);
}

}  // namespace normbench
