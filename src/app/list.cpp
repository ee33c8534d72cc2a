#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands.h"
#include "app/options.h"
#include "app/planned_configs.h"
#include "app/terminal.h"
#include "backend/backend.h"
#include "backend/cpu/choose_stores.h"
#include "backend/cpu/memory.h"
#include "backend/cpu/simd_targets.h"
#include "backend/cpu/team.h"
#include "backend/cpu/walk.h"
#include "core/text.h"
#include "core/units.h"
#include "machine/affinity.h"
#include "machine/environment.h"
#include "machine/topology.h"
#include "measure/group_memory.h"
#include "report/op_text.h"
#include "report/report.h"
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
  std::string op;       // the only op that is listed; "": all
  std::string configs;  // value of --configs; "": this program's folder of configs
  TextOrJson format = TextOrJson::Text;
  bool quiet = false;

  bool lists(Listing one) const { return what.value_or(one) == one; }
};

std::string entry(std::string_view label, std::string_view text, std::size_t start) {
  return labelled(label, text, start, prose_width(stdout_screen()));
}

void list_ops() {
  show(wrapped("Ops: what a stage of a variant can do, with its fields and their defaults; "
               "\"normbench list ops OP\" has what each takes",
               0, prose_width(stdout_screen())) +
       op_list_text(stdout_screen()));
}

constexpr std::size_t kLabelEnd = 17;

/// Returns the kernels of an op with a star at the default one, like "reference *fused lut".
/// Returns "" if there are none.
std::string rows_text(const Backend& backend, const std::string& op) {
  std::vector<std::string> names;
  for (const Kernel& kernel : backend.kernels())
    if (kernel.op == op) names.emplace_back(kernel.name);
  if (names.empty()) return "";
  names[names.size() > 1 ? 1 : 0].insert(0, "*");
  return fmt::format("{}", fmt::join(names, " "));
}

/// Returns a line for each op and, below it, a line for each place. Used if the screen is too
/// narrow for columns.
std::string rows_in_lines(const std::vector<Column>& columns, std::size_t width) {
  std::string text;
  for (std::size_t op = 0; op < columns[0].cells.size(); ++op) {
    text += wrapped(columns[0].cells[op], 2, width);
    for (const Column& place : std::span(columns).subspan(1))
      if (!place.cells[op].empty()) text += wrapped(place.title + ": " + place.cells[op], 4, width);
  }
  return text;
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
  const std::size_t width = stdout_screen().width;
  return table_width(columns, 2) > width ? rows_in_lines(columns, width)
                                         : columns_text(columns, 2, width);
}

std::string fact(const std::string& label, const std::string& value) {
  return entry(label, value, kLabelEnd);
}

std::string instruction_sets() {
  const auto all = simd_targets();
  return fmt::format("{}, {} {} (--simd forces another)", simd_in_use(),
                     simd_in_use() == all.front() ? "the best of" : "forced, of",
                     fmt::join(all, " "));
}

/// Returns the caches of the first processor, as the system reports them.
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
                            "; rows named temporal or nt always use that kind of store") +
         fact("fresh pages", first_touches()) + fact("team", explain_team(threads, data_caches())) +
         fact("threads", "bound " + explain_binding());
}

/// Shows the kernels of each op in each place (CPU and GPU), with defaults marked, and the facts
/// about this machine that CPU kernels depend on.
void list_kernels() {
  const Backends backends = make_backends();
  std::string text =
      wrapped("Kernels by op and place; * is the default, \"kernel\" in a stage names another", 0,
              prose_width(stdout_screen()));
  text += rows_table(backends);
  for (const auto& backend : backends.list)
    if (const auto why = backend->unavailable())
      text += wrapped(fmt::format("{}: {}", name_of(backend->place()), *why), 2,
                      prose_width(stdout_screen()));
  show(text + choices_text(available_threads()));
}

/// Writes the kernels of all places as one JSON document.
void write_kernels() {
  const Backends backends = make_backends();
  Json places = Json::array();
  for (const auto& backend : backends.list) {
    Json rows = Json::array();
    for (const Kernel& kernel : backend->kernels())
      rows.push_back({{"op", kernel.op}, {"kernel", kernel.name}});
    const auto why = backend->unavailable();
    places.push_back({{"place", name_of(backend->place())},
                      {"unavailable", why ? Json(*why) : Json()},
                      {"rows", std::move(rows)}});
  }
  write_result(Json{{"places", std::move(places)}}.dump(2) + "\n");
}

void list_reports() {
  show("Report formats\n");
  for (const Report& report : reports()) show(entry(report.name, report.about, 15));
}

/// Shows for each config its name, what it needs to run, and what it is about. The configs are
/// planned, not run.
void list_configs(const std::string& folder) {
  const Backends backends = make_backends();
  const Sides cache_bytes = cold_caches(backends, last_level_cache_bytes());
  const std::vector<Plan> plans = plan_all(folder, false, backends);
  std::string text;
  const std::size_t width = prose_width(stdout_screen());
  for (const Plan& plan : plans) {
    Needs needs;
    for (const Group& group : plan.groups) needs.add(plan, group, cache_bytes);
    std::string head = plan.name;
    for (const std::string& part : {needs.text(), needs.time_text()})
      if (!part.empty()) head += " · " + part;
    text += wrapped(head, 2, width) + wrapped(plan.about, 4, width);
  }
  show(
      wrapped(fmt::format(
                  "Configs, with what they need here and the budget of time for their rounds; each "
                  "is {}/NAME.json",
                  shell_word(path_near(folder, "."))),
              0, width) +
      text);
}

/// Prints the listing in `what`. If `what` is not set, prints all listings, but configs only if
/// this program has a folder of configs or --configs names a folder.
Exit list(const ListOptions& options) {
  if (options.what && options.what != Listing::Configs && !options.configs.empty())
    throw Invalid("--configs DIR is only for: normbench list configs");
  if (!options.op.empty() && options.what != Listing::Ops)
    throw Invalid(fmt::format("\"{}\": a name is only for: normbench list ops OP", options.op));
  if (options.format == TextOrJson::Json) {
    if (options.what != Listing::Kernels)
      throw Invalid("--format json is only for: normbench list kernels");
    write_kernels();
    return Exit::Fine;
  }
  if (!options.op.empty()) {
    show(op_text(options.op, stdout_screen()));
    return Exit::Fine;
  }
  if (options.lists(Listing::Ops)) list_ops();
  if (options.lists(Listing::Kernels)) list_kernels();
  if (options.lists(Listing::Reports)) list_reports();
  if (options.what == Listing::Configs || !options.configs.empty() ||
      (!options.what && own_configs()))
    list_configs(configs_folder(options.configs));
  suggest(options.quiet, "normbench init --images DIR");
  return Exit::Fine;
}

}  // namespace

Subcommand make_list() {
  const auto options = std::make_shared<ListOptions>();
  const Take take_op{[options](const std::string&, const std::string& given) {
                       const std::vector<std::string> known = op_names();
                       if (std::ranges::find(known, given) == known.end())
                         throw Invalid(unknown("op", given, known));
                       options->op = given;
                     },
                     op_names()};
  return {.options = {{"WHAT", "", "ops, kernels, reports or configs; all when absent",
                       word_of<Listing>(options->what)},
                      {"OP", "", "With ops: the fields of this one", take_op},
                      {"--configs", "DIR", "The configs, if not those of this program",
                       &options->configs},
                      format_option(options->format, "text, or json: kernels by place"),
                      quiet_option(options->quiet)},
          .run = [options] { return list(*options); }};
}

}  // namespace normbench
