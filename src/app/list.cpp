#include <fmt/format.h>

#include <memory>
#include <type_traits>
#include <variant>

#include "app/commands.h"
#include "app/list_kernels.h"
#include "app/say.h"
#include "backend/backend.h"
#include "core/issue.h"
#include "report/report.h"

namespace normbench {
namespace {

template <class T>
void print_op() {
  say("  {:<12} {}\n", T::name, T::about);
}

template <class... Ts>
void print_ops(std::type_identity<std::variant<Ts...>>) {
  (print_op<Ts>(), ...);
}

void list_ops() {
  say("Ops: what a stage of a variant can do\n");
  print_ops(std::type_identity<Op>{});
}

void list_kernels() { say("{}", kernels_text(make_backends())); }

void list_reports() {
  say("Report formats\n");
  for (const Report& report : reports()) say("  {:<12} {}\n", report.name, report.about);
}

struct Listing {
  std::string_view name;
  void (*print)();
};

constexpr Listing kListings[] = {
    {"ops", &list_ops}, {"kernels", &list_kernels}, {"reports", &list_reports}};

}  // namespace

std::function<Exit()> declare_list(CLI::App& app) {
  const auto what = std::make_shared<std::string>();
  app.add_option("WHAT", *what, "ops, kernels or reports; all when absent");
  return [what] {
    bool known = what->empty();
    for (const Listing& listing : kListings)
      if (what->empty() || *what == listing.name) {
        listing.print();
        known = true;
      }
    if (!known)
      throw Invalid(fmt::format("cannot list \"{}\" (known: ops, kernels, reports)", *what));
    return Exit::Fine;
  };
}

}  // namespace normbench
