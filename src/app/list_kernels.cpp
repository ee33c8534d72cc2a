#include "app/list_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "backend/cpu/choose_stores.h"
#include "backend/cpu/memory.h"
#include "backend/cpu/simd_targets.h"
#include "backend/cpu/team.h"
#include "backend/cpu/walk.h"
#include "machine/affinity.h"
#include "machine/environment.h"
#include "machine/topology.h"
#include "report/text.h"

namespace normbench {
namespace {

constexpr std::size_t kLabelEnd = 17;

/// "reference *fused lut": the rows of an op, its default marked.
std::string rows_text(const Backend& backend, const std::string& op) {
  std::vector<std::string> names;
  for (const Kernel& kernel : backend.kernels())
    if (kernel.op == op) names.emplace_back(kernel.name);
  if (names.empty()) return "";
  names[names.size() > 1 ? 1 : 0].insert(0, "*");
  return fmt::format("{}", fmt::join(names, " "));
}

std::string rows_table(const Backends& backends) {
  std::vector<Column> columns{{"op", {}, true}};
  for (const auto& backend : backends.list)
    columns.push_back({std::string(name_of(backend->place())), {}, true});
  for (const std::string& op : op_names()) {
    std::vector<std::string> cells{op};
    for (const auto& backend : backends.list) cells.push_back(rows_text(*backend, op));
    if (std::ranges::all_of(std::span(cells).subspan(1), &std::string::empty)) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return columns_text(columns, 2);
}

/// "  label          value", the value's further lines below its first.
std::string fact(const std::string& label, const std::string& value) {
  return fmt::format("  {:<{}}{}", label, kLabelEnd - 2,
                     wrapped(value, kLabelEnd).substr(kLabelEnd));
}

std::string instruction_sets() {
  const auto all = simd_targets();
  return fmt::format("{}, {} {} (--simd forces another)", simd_in_use(),
                     simd_in_use() == all.front() ? "the best of" : "forced, of",
                     fmt::join(all, " "));
}

/// The first processor's, as the system says.
std::string caches() {
  std::vector<std::string> sizes;
  for (const std::int64_t bytes : data_caches())
    sizes.push_back(bytes >= 1 << 20
                        ? fmt::format("{:.4g} MiB", static_cast<double>(bytes) / (1 << 20))
                        : fmt::format("{} KiB", bytes >> 10));
  return sizes.empty() ? "not known: the system does not say"
                       : fmt::format("{} (a core's own first)", fmt::join(sizes, ", "));
}

std::string first_touches() {
  return populates_pages()
             ? fmt::format("populated {} KiB at a time, ahead of the stores, by fused and blocked",
                           kPopulatedBytes >> 10)
             : "touched one by one: this Linux has no MADV_POPULATE_WRITE (5.14 has)";
}

std::string choices_text(int threads) {
  return fmt::format("Chosen for this CPU, {} thread{}\n", threads, threads == 1 ? "" : "s") +
         fact("instructions", instruction_sets()) + fact("caches", caches()) +
         fact("stores", explain_stores(data_caches(), threads) +
                            "; rows named temporal or nt do not choose") +
         fact("fresh pages", first_touches()) + fact("team", explain_team(threads, data_caches())) +
         fact("threads", "bound " + explain_binding());
}

}  // namespace

std::string kernels_text(const Backends& backends) {
  std::string text =
      "Kernels by op and place; * is the default, \"kernel\" in a stage names another\n";
  text += rows_table(backends);
  for (const auto& backend : backends.list)
    if (const auto why = backend->unavailable())
      text += wrapped(fmt::format("{}: {}", name_of(backend->place()), *why), 2);
  return text + choices_text(available_threads());
}

}  // namespace normbench
