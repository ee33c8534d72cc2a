#include "report/own_code_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "report/words.h"

namespace normbench {
namespace {

std::string order_text(const GivenResult& given) {
  switch (given.order) {
    case ArrayOrder::Contiguous:
      return "";
    case ArrayOrder::ChannelsLast:
      return " channels_last";
    case ArrayOrder::Strided:
      return " not contiguous";
  }
  return "";
}

std::string memory_text(const GivenResult& given) {
  if (given.device != "cpu") return "on " + given.device;
  return given.pinned ? "pinned" : "pageable";
}

/// Returns a comparison of the array with a uint8 array of the same shape, like "4.0x the bytes of
/// uint8". If the other arrays of the batch have more than 2 % of the array's bytes, the text
/// begins with the bytes of the array.
std::string bytes_text(const GivenResult& given) {
  constexpr double small = 0.02;  // as labels are
  const double times = times_uint8(given);
  const std::string compared =
      times == 1 ? "as many bytes as uint8 has" : fmt::format("{:.1f}x the bytes of uint8", times);
  const auto bytes = static_cast<double>(given.bytes);
  return static_cast<double>(given.batch_bytes) > (1 + small) * bytes
             ? fmt::format("{} of it in that array, {}", format_bytes(bytes), compared)
             : compared;
}

/// Returns true if two batches are equal. What PyTorch copied to make them is not compared.
bool is_same_batch(GivenResult a, GivenResult b) {
  a.copies.reset();
  b.copies.reset();
  return a == b;
}

/// Measured cases of a group for which the config describes equal batches, and whose code gave
/// equal batches. `first` is one of these cases. `names` has the variants of all of them, each as
/// spoken() returns it.
struct Alike {
  const CaseResult* first;
  std::vector<std::string> names;
};

std::vector<Alike> alike_cases(const GroupResult& group) {
  std::vector<Alike> found;
  for (const CaseResult& result : group.cases) {
    if (!result.given || !measured(result)) continue;
    const auto same = std::ranges::find_if(found, [&](const Alike& other) {
      return is_same_batch(*other.first->given, *result.given) &&
             said_to_give(*other.first) == said_to_give(result);
    });
    if (same == found.end())
      found.push_back({&result, {spoken(result.variant)}});
    else
      same->names.push_back(spoken(result.variant));
  }
  return found;
}

std::string given_text(const Alike& cases) {
  const GivenResult& given = *cases.first->given;
  return fmt::format(
      "{} {} {} [{}]{}, {}{}, {} a batch: {}.", enumerate(cases.names),
      cases.names.size() == 1 ? "gives" : "give", given.dtype, fmt::join(given.shape, ", "),
      order_text(given), memory_text(given),
      given.workers ? fmt::format(", from {}", counted(*given.workers, "worker")) : "",
      format_bytes(static_cast<double>(given.batch_bytes)), bytes_text(given));
}

/// Returns a sentence that tells how the batch that the code gave differs from the batch that the
/// config describes. Returns "" if there is no difference.
std::string unlike_said_text(const Alike& cases) {
  const UnlikeSaid unlike = unlike_said(*cases.first);
  if (!unlike.any()) return "";
  const TensorDesc said = *said_to_give(*cases.first);
  const GivenResult& given = *cases.first->given;
  std::vector<std::string> differences;
  if (unlike.dtype)
    differences.push_back(fmt::format("{}, not {}", given.dtype, name_of(said.dtype)));
  if (unlike.shape)
    differences.push_back(fmt::format("shape [{}], not {}x{}x{}x{}", fmt::join(given.shape, ", "),
                                      said.shape.n, said.shape.c, said.shape.h, said.shape.w));
  if (unlike.layout)
    differences.push_back(fmt::format("another layout than {}", name_of(said.layout)));
  if (unlike.pinned) differences.push_back("not in pinned memory");
  return fmt::format("That is not what the config says: {}.", fmt::join(differences, "; "));
}

/// Returns sentences on what PyTorch copied to make a batch. Measured cases with equal copies share
/// a sentence. A case without copies has none, because other libraries may have copied.
std::vector<std::string> copies_texts(const GroupResult& group) {
  std::vector<std::pair<std::vector<CopiesResult>, std::vector<std::string>>> found;
  for (const CaseResult& result : group.cases) {
    if (!result.given || !measured(result) || !result.given->copies) continue;
    const std::vector<CopiesResult>& copies = *result.given->copies;
    if (copies.empty()) continue;
    auto same = std::ranges::find(found, copies, [](const auto& one) { return one.first; });
    if (same == found.end()) same = found.insert(found.end(), {copies, {}});
    same->second.push_back(spoken(result.variant));
  }
  std::vector<std::string> texts;
  for (const auto& [copies, variants] : found) {
    std::vector<std::string> parts;
    for (const CopiesResult& one : copies)
      parts.push_back(fmt::format("{} by {} ({})", format_bytes(static_cast<double>(one.bytes)),
                                  one.op, counted(one.calls, "call")));
    texts.push_back(
        fmt::format("For a batch of {} PyTorch copied {}.", enumerate(variants), enumerate(parts)));
  }
  return texts;
}

std::string per_second(double ns) {
  const double rate = 1e9 / ns;
  return rate < 1000 ? format_significant(rate, 3) : format_count(std::llround(rate));
}

std::string headspace_text(const GroupResult& group, const Headspace& headspace) {
  const auto& [value, low, high] = headspace.share;
  std::string cost = "too few rounds to say what loading costs";
  if (headspace.covered && !headspace.different)
    cost = fmt::format("so loading costs at most {}", format_percent(headspace.at_most));
  else if (headspace.covered && value == 0)
    cost = "so loading costs nothing";
  else if (headspace.covered)
    cost = fmt::format("so loading costs {:.1f} % ({:.1f}-{:.1f} %)", 100 * value, 100 * low,
                       100 * high);
  return fmt::format("With a loader that takes no time: {} batches/s; {}: {}, {}.",
                     per_second(headspace.cached_ns), spoken(group.cases[headspace.loader].variant),
                     per_second(headspace.ns), cost);
}

}  // namespace

std::vector<std::string> own_code_texts(const GroupResult& group, const GroupAnalysis& analysis) {
  std::vector<std::string> texts;
  for (const Alike& cases : alike_cases(group)) {
    texts.push_back(given_text(cases));
    texts.push_back(unlike_said_text(cases));
  }
  for (std::string& text : copies_texts(group)) texts.push_back(std::move(text));
  for (const Headspace& one : analysis.headspaces) texts.push_back(headspace_text(group, one));
  std::erase(texts, "");
  return texts;
}

}  // namespace normbench
