#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <sstream>

#include "app/commands.h"
#include "app/planned_configs.h"
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
#include "measure/group_memory.h"
#include "report/report.h"
#include "report/text.h"
#include "report/words.h"

namespace normbench {
namespace {

enum class Listing { Ops, Kernels, Reports, Configs };
constexpr auto words(Listing) {
  return std::to_array<Word<Listing>>({{Listing::Ops, "ops"},
                                       {Listing::Kernels, "kernels"},
                                       {Listing::Reports, "reports"},
                                       {Listing::Configs, "configs"}});
}

struct ListOptions {
  std::optional<Listing> what;
  std::string configs;  // their folder

  bool lists(Listing one) const { return what.value_or(one) == one; }
};

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

/// The lines of a text that is broken to fit.
std::vector<std::string> lines_within(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream in(wrapped(text, 0, width));
  for (std::string line; std::getline(in, line);)
    lines.push_back(line.substr(std::min(line.size(), line.find_first_not_of(' '))));
  return lines;
}

/// The questions that configs ask, planned and not run.
void list_configs(const std::string& folder) {
  const Backends backends = make_backends();
  const Sides cache_bytes = cold_caches(backends, last_level_cache_bytes());
  const std::vector<Plan> plans = plan_all(folder, false, backends);
  Column name{"config", {}, true}, needed{"needs here", {}, true}, time{"rounds take", {}, false},
      about{"about", {}, true};
  for (const Plan& plan : plans) {
    Needs needs;
    for (const Group& group : plan.groups) needs.add(plan, group, cache_bytes);
    name.cells.push_back(plan.name);
    needed.cells.push_back(needs.text());
    time.cells.push_back(needs.time_text());
  }
  const std::size_t used = column_width(name) + column_width(needed) + column_width(time) + 8;
  std::vector<Column> columns{name, needed, time, about};
  for (Column& column : columns) column.cells.clear();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::vector<std::string> lines =
        lines_within(plans[i].about, 100 - std::min<std::size_t>(used, 70));
    for (std::size_t l = 0; l < std::max<std::size_t>(1, lines.size()); ++l) {
      columns[0].cells.push_back(l == 0 ? name.cells[i] : "");
      columns[1].cells.push_back(l == 0 ? needed.cells[i] : "");
      columns[2].cells.push_back(l == 0 ? time.cells[i] : "");
      columns[3].cells.push_back(lines.empty() ? "" : lines[l]);
    }
  }
  say("Configs: questions to run (normbench run --config FILE) or to have explained (check FILE)\n"
      "{}",
      columns_text(columns, 2));
}

/// One listing, or all of them; configs then only where this program has some beside it.
Exit list(const ListOptions& options) {
  if (options.what && options.what != Listing::Configs && !options.configs.empty())
    throw Invalid("--configs DIR goes with: normbench list configs");
  if (options.lists(Listing::Ops)) list_ops();
  if (options.lists(Listing::Kernels)) list_kernels();
  if (options.lists(Listing::Reports)) list_reports();
  if (options.what == Listing::Configs || !options.configs.empty() ||
      (!options.what && own_configs()))
    list_configs(configs_folder(options.configs));
  return Exit::Fine;
}

}  // namespace

Subcommand make_list() {
  const auto options = std::make_shared<ListOptions>();
  return {.options = {{"WHAT", "", "ops, kernels, reports or configs; all when absent",
                       word_of<Listing>(options->what)},
                      {"--configs", "DIR", "The configs, if not those of this program",
                       &options->configs}},
          .run = [options] { return list(*options); }};
}

}  // namespace normbench
