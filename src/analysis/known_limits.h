/// Finds limits of a group by what they measure, without a search through all of them. A limit is a
/// measurement of the machine itself.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/results.h"
#include "ops/stream.h"

namespace normbench {

/// A limit and its times, computed once.
struct KnownLimit {
  const CaseResult* result = nullptr;
  double median_ns = 0;  // median_ns() of the limit
  // stage_ns() of the only stage. 0 if there are several stages, or if the limit is a pipeline.
  double stage_ns = 0;
};

/// Tables of the limits of a group. Points to these limits.
class KnownLimits {
 public:
  using List = std::vector<KnownLimit>;

  KnownLimits(const GroupResult& group, const Results& results);

  // Each list has its limits in the order of the group. A stream is a limit that only reads and
  // writes memory. A limit is usable if it is no pipeline and has a single stage with times.

  /// The usable streams whose stage reads and writes the numbers of bytes in `mix`.
  const List& stage_streams(const StreamMix& mix) const { return at(stage_streams_, key(mix)); }
  /// The measured streams with `mix.read` bytes of sources and `mix.written` bytes of results.
  const List& case_streams(const StreamMix& mix) const { return at(case_streams_, key(mix)); }
  /// The measured streams whose numbers of source and result bytes become `mix` when limit_mix() is
  /// applied. Pipelines and streams that stay in a cache are left out.
  const List& alike_streams(const StreamMix& mix) const { return at(alike_streams_, key(mix)); }
  /// The measured limits that are no pipelines, have `op` as their only stage and move `link_bytes`
  /// over the link between host and device.
  const List& transfers(const std::string& op, std::int64_t link_bytes) const {
    return at(transfers_, {op, link_bytes});
  }
  /// The usable launch limits.
  const List& launches() const { return launches_; }
  /// The measured limit that runs all stages of the pipeline `variant` except `load`; null if there
  /// is none.
  const CaseResult* fed(const std::string& variant) const { return one(fed_, variant); }
  /// The measured limit with this name; null if there is none.
  const CaseResult* named(const std::string& name) const { return one(named_, name); }

 private:
  using Bytes = std::pair<std::int64_t, std::int64_t>;
  using Names = std::map<std::string_view, const CaseResult*>;

  static Bytes key(const StreamMix& mix) { return {mix.read, mix.written}; }
  template <class Key>
  static const List& at(const std::map<Key, List>& lists, const Key& key) {
    static const List none;
    const auto found = lists.find(key);
    return found == lists.end() ? none : found->second;
  }
  static const CaseResult* one(const Names& names, const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? nullptr : found->second;
  }
  void add(const CaseResult& limit, const Results& results);

  std::map<Bytes, List> stage_streams_, case_streams_, alike_streams_;
  std::map<std::pair<std::string, std::int64_t>, List> transfers_;
  List launches_;
  Names fed_, named_;
};

}  // namespace normbench
