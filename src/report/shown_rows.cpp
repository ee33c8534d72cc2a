#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/issue.h"
#include "report/torch_table.h"

namespace normbench {
namespace {

double per_call(std::int64_t total_ns, const ProfileRow& row) {
  return row.calls == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(row.calls);
}

struct SortKey {
  std::string_view name;
  double (*value)(const ProfileRow&);
};

constexpr std::array<SortKey, 7> kSortKeys{{
    {"cpu_time", [](const ProfileRow& row) { return per_call(row.cpu_ns, row); }},
    {"cpu_time_total", [](const ProfileRow& row) { return static_cast<double>(row.cpu_ns); }},
    {"self_cpu_time_total",
     [](const ProfileRow& row) { return static_cast<double>(row.self_cpu_ns); }},
    {"device_time", [](const ProfileRow& row) { return per_call(row.device_ns, row); }},
    {"device_time_total", [](const ProfileRow& row) { return static_cast<double>(row.device_ns); }},
    {"self_device_time_total",
     [](const ProfileRow& row) { return static_cast<double>(row.self_device_ns); }},
    {"count", [](const ProfileRow& row) { return static_cast<double>(row.calls); }},
}};

const SortKey& sort_key(const std::string& said) {
  std::string wanted = said;
  if (const auto at = wanted.find("cuda"); at != std::string::npos) wanted.replace(at, 4, "device");
  const auto key = std::ranges::find(kSortKeys, wanted, &SortKey::name);
  if (key == kSortKeys.end())
    throw Invalid(
        fmt::format("unknown sort_by \"{}\" (known: {})", said, fmt::join(sort_key_names(), ", ")));
  return *key;
}

}  // namespace

std::vector<std::string> sort_key_names() {
  std::vector<std::string> names;
  for (const SortKey& key : kSortKeys) names.emplace_back(key.name);
  return names;
}

std::vector<ProfileRow> shown_rows(std::span<const ProfileRow> rows, const TableOptions& options) {
  std::vector<ProfileRow> shown(rows.begin(), rows.end());
  if (!options.sort_by.empty())
    std::ranges::stable_sort(shown, std::ranges::greater(), sort_key(options.sort_by).value);
  if (options.row_limit >= 0 && static_cast<std::size_t>(options.row_limit) < shown.size())
    shown.resize(static_cast<std::size_t>(options.row_limit));
  return shown;
}

}  // namespace normbench
