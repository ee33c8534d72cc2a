#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "backend/backend.h"
#include "backend/cpu/choose_stores.h"
#include "backend/cpu/memory.h"
#include "backend/cpu/simd_targets.h"
#include "backend/cpu/team.h"
#include "backend/cpu/walk.h"
#include "core/units.h"
#include "machine/affinity.h"
#include "machine/environment.h"
#include "machine/topology.h"
#include "report/report.h"
#include "report/text.h"

namespace normbench {
namespace {

enum class Listing { Ops, Kernels, Reports };
constexpr auto words(Listing) {
  return std::to_array<Word<Listing>>(
      {{Listing::Ops, "ops"}, {Listing::Kernels, "kernels"}, {Listing::Reports, "reports"}});
}

void list_ops() {
  say("Ops: what a stage of a variant can do\n");
  for_each_op([]<class T>(std::type_identity<T>) { say("  {:<12} {}\n", T::name, T::about); });
}

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
  for (const std::int64_t bytes : data_caches()) sizes.push_back(format_binary_bytes(bytes));
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

/// A line per op with its rows in each place, defaults marked, then what the CPU's rows go by here.
void list_kernels() {
  const Backends backends = make_backends();
  std::string text =
      "Kernels by op and place; * is the default, \"kernel\" in a stage names another\n";
  text += rows_table(backends);
  for (const auto& backend : backends.list)
    if (const auto why = backend->unavailable())
      text += wrapped(fmt::format("{}: {}", name_of(backend->place()), *why), 2);
  say("{}{}", text, choices_text(available_threads()));
}

void list_reports() {
  say("Report formats\n");
  for (const Report& report : reports()) say("  {:<12} {}\n", report.name, report.about);
}

}  // namespace

Subcommand make_list() {
  const auto what = std::make_shared<std::optional<Listing>>();
  return {.options = {{"WHAT", "", "ops, kernels or reports; all when absent",
                       word_of<Listing>(*what)}},
          .run = [what] {
            if (what->value_or(Listing::Ops) == Listing::Ops) list_ops();
            if (what->value_or(Listing::Kernels) == Listing::Kernels) list_kernels();
            if (what->value_or(Listing::Reports) == Listing::Reports) list_reports();
            return Exit::Fine;
          }};
}

}  // namespace normbench
