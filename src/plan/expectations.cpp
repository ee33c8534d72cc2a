#include "plan/expectations.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/composed.h"
#include "plan/experiment.h"

namespace normbench {
namespace {

/// The display name of the case that `name` means; an issue at `pointer` when there is none.
std::string resolve(const std::string& name, const std::string& pointer, const Group& group,
                    std::vector<Issue>& issues) {
  if (const Case* found = find_case(group, name)) return found->variant;
  std::vector<std::string> known;
  for (const Case& one : group.cases) {
    if (std::ranges::find(known, one.written) == known.end()) known.push_back(one.written);
    if (one.variant != one.written) known.push_back(one.variant);
  }
  issues.push_back({pointer, unknown("variant", name, known)});
  return name;
}

/// Calls `read(reader of the element)` for each object in the list `key`.
template <class Read>
void each(Reader& experiment, std::string_view key, Read read) {
  const Json& list = experiment.member(key);
  if (list.is_null()) return;
  if (!list.is_array()) return experiment.complain_at(key, wrong_type("a list", list));
  for (std::size_t i = 0; i < list.size(); ++i) {
    Reader reader(list[i], fmt::format("{}/{}", experiment.pointer_to(key), i),
                  experiment.issues());
    if (list[i].is_object()) read(reader);
    reader.finish();
  }
}

/// Reports axes of `point` that do not exist.
void check_point(Reader& point, const Json& said, const std::vector<Axis>& sweep,
                 const std::vector<Axis>& vary) {
  std::vector<std::string> known;
  for (const auto* axes : {&sweep, &vary})
    for (const Axis& axis : *axes) known.push_back(axis.name);
  for (const auto& [name, value] : said.items())
    if (std::ranges::find(known, name) == known.end())
      point.complain_at(name, unknown("axis", name, known));
}

/// True if every axis that both name has the same value.
bool agree(const Json& a, const Json& b) {
  return std::ranges::all_of(a.items(), [&](const auto& item) {
    return !b.contains(item.key()) || b.at(item.key()) == item.value();
  });
}

std::optional<double> read_ms(Reader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.number(key, 0, 0);
}

}  // namespace

void read_baseline(Reader& experiment, Group& group) {
  group.baseline = group.cases.front().variant;
  if (!experiment.has("baseline")) return;
  const std::string said = experiment.text("baseline", group.baseline);
  group.baseline = resolve(said, experiment.pointer_to("baseline"), group, experiment.issues());
}

void read_published(Reader& experiment, const std::vector<Axis>& sweep,
                    const std::vector<Axis>& vary, Group& group) {
  each(experiment, "published", [&](Reader& reader) {
    Published published;
    const std::string said = reader.text("variant", "");
    Reader point = reader.object("point");
    if (reader.has("point")) published.point = reader.member("point");
    if (!published.point.is_object()) published.point = Json::object();
    check_point(point, published.point, sweep, vary);
    published.wall_ms = read_ms(reader, "wall_ms");
    published.device_ms = read_ms(reader, "device_ms");
    published.where = reader.text("where", "");
    if (!reader.has("variant")) return reader.complain("no \"variant\" (whose figure is it?)");
    if (!published.wall_ms && !published.device_ms)
      reader.complain("no figure (wall_ms or device_ms)");
    published.variant = resolve(said, reader.pointer_to("variant"), group, reader.issues());
    const auto meant = std::ranges::find_if(group.cases, [&](const Case& one) {
      return (one.written == said || one.variant == said) && agree(published.point, one.axes);
    });
    if (meant == group.cases.end() || !agree(published.point, group.point)) return;
    published.variant = meant->variant;
    group.published.push_back(published);
  });
}

void read_claims(Reader& experiment, Group& group) {
  each(experiment, "claims", [&](Reader& reader) {
    Claim claim{.text = reader.text("text", ""), .left = {}, .relation = {}, .right = {}};
    const std::vector<std::string> expects = reader.texts("expects", {});
    if (claim.text.empty()) reader.complain("no \"text\" (the claim in words)");
    if (expects.size() != 3 || !(expects[1] == "<" || expects[1] == ">" || expects[1] == "="))
      return reader.complain_at("expects", "expected [variant, \"<\" or \">\" or \"=\", variant]");
    const std::string at = reader.pointer_to("expects");
    claim.left = resolve(expects[0], at + "/0", group, reader.issues());
    claim.relation = expects[1];
    claim.right = resolve(expects[2], at + "/2", group, reader.issues());
    group.claims.push_back(claim);
  });
}

}  // namespace normbench
