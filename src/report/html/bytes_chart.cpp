#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/units.h"
#include "report/evidence_tables.h"
#include "report/html/charts.h"
#include "report/html/scale.h"

namespace normbench::html {
namespace {

constexpr double bytes_height = 240;

/// A measured case, and the bytes that its stages move in memory in an iteration.
struct Moved {
  std::string variant;
  double bytes = 0, ns = 0;
};

/// Returns the cases whose bytes are known. The bytes that peers (external programs) move are not
/// known.
std::vector<Moved> moved_by(const GroupResult& group, const GroupAnalysis& analysis) {
  std::vector<Moved> all;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const CaseResult& result = group.cases[i];
    const auto& time = analysis.cases[i].time_ns;
    if (!time || !result.peer.empty() || time->value <= 0 || moved_bytes(result) <= 0) continue;
    all.push_back({result.variant, static_cast<double>(moved_bytes(result)), time->value});
  }
  return all;
}

std::string bytes_label(double bytes) { return format_bytes(bytes); }
std::string time_label(double ns) { return fmt::format("{:g} ms", ns / 1e6); }

/// Draws a line: the least time that memory with this rate needs for each number of bytes from
/// `low` to `high`.
Markup ceiling(double bytes_per_second, double low, double high, const Scale& across,
               const Scale& up) {
  std::vector<std::pair<double, double>> places;
  constexpr int pieces = 32;
  for (int i = 0; i <= pieces; ++i) {
    const double bytes = low * std::pow(high / low, static_cast<double>(i) / pieces);
    places.emplace_back(across.at(bytes), up.above(bytes / bytes_per_second * 1e9, bytes_height));
  }
  return curve(places, "limit");
}

}  // namespace

Markup bytes_chart(const GroupResult& group, const GroupAnalysis& analysis,
                   const Results& results) {
  const std::vector<Moved> all = moved_by(group, analysis);
  std::set<double> amounts;
  for (const Moved& moved : all) amounts.insert(moved.bytes);
  std::vector<BestLimit> limits = best_limits(group, results);
  std::erase_if(limits, [](const BestLimit& limit) { return limit.link; });
  if (amounts.size() < 2 || limits.empty()) return {};
  const auto [low, high] = std::pair(*amounts.begin(), *amounts.rbegin());
  double least = INFINITY, most = 0;
  for (const Moved& moved : all) least = std::min(least, moved.ns), most = std::max(most, moved.ns);
  for (const BestLimit& limit : limits) least = std::min(least, low / limit.bytes_per_second * 1e9);
  const Scale across = Scale::logarithmic(low, high), up = Scale::logarithmic(least, most);
  Markup shapes, marks, list;
  std::vector<std::string> rates;
  for (const BestLimit& limit : limits) {
    shapes += ceiling(limit.bytes_per_second, low, high, across, up);
    rates.push_back(
        fmt::format("{} {} GB/s", limit.name, format_significant(limit.bytes_per_second / 1e9, 3)));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double x = across.at(all[i].bytes), y = up.above(all[i].ns, bytes_height);
    shapes += dots({{x, y}}, "knots " + colour(i));
    marks += Element{
        "span",
        {{"style", fmt::format("left:{}%;top:{}%", number(100 * x / drawing_width),
                               number(100 * y / bytes_height))}}}(words(std::to_string(i + 1)));
    list += Element{"li"}(
        name(all[i].variant) +
        words(fmt::format(": {} in {} ms, {} GB/s", format_bytes(all[i].bytes),
                          format_ms(all[i].ns), format_significant(all[i].bytes / all[i].ns, 3))));
  }
  std::string what = "Bytes that a batch moves, against its time; dashed: what memory reaches (";
  for (std::size_t i = 0; i < rates.size(); ++i) what += (i == 0 ? "" : ", ") + rates[i];
  return Element{"figure", {{"class", "bytes"}}}(
      Element{"figcaption"}(words(what + ")")) +
      block("framed", side_labels(up, 5, &time_label) +
                          block("plot", drawing(bytes_height, shapes) + block("marks", marks)) +
                          labels(across, 4, &bytes_label)) +
      Element{"ol"}(list));
}

}  // namespace normbench::html
