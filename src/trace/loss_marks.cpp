#include "trace/loss_marks.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench {
namespace {

TraceMark mark_of(std::string_view loss, std::int64_t ns, std::string sentence) {
  return {.ns = ns, .name = std::move(sentence), .args = {{"loss", loss}}};
}

}  // namespace

void LossMarks::add(std::string_view loss, std::int64_t ns, const std::string& sentence) {
  Count& count = counts_[loss];
  if (++count.marks <= most) model_.marks.push_back(mark_of(loss, ns, sentence));
  count.last_ns = std::max(count.last_ns, ns);
}

void LossMarks::finish() {
  for (const auto& [loss, count] : counts_)
    if (count.marks > most)
      model_.marks.push_back(mark_of(
          loss, count.last_ns,
          fmt::format("{} more like it until here ({}) have no mark", count.marks - most, loss)));
}

}  // namespace normbench
