#include "plan/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "plan/composed.h"

namespace normbench {
namespace {

std::string list(const std::vector<TensorDesc>& tensors) {
  std::vector<std::string> texts;
  for (const TensorDesc& tensor : tensors) texts.push_back(describe(tensor));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string text(const Signature& signature) {
  return list(signature.in) + " -> " + list(signature.out);
}

const Kernel* forced_row(const std::vector<const Kernel*>& rows, const Op& op,
                         const Signature& signature, const std::string& name) {
  const auto row = std::ranges::find(rows, name, &Kernel::name);
  if (row == rows.end()) {
    std::vector<std::string> known;
    for (const Kernel* kernel : rows) known.emplace_back(kernel->name);
    throw Invalid(unknown("kernel", name, known));
  }
  if (!(*row)->accepts(op, signature))
    throw Invalid(fmt::format("kernel \"{}\" does not take {}", name, text(signature)));
  return *row;
}

const Kernel* default_row(const std::vector<const Kernel*>& rows, const Op& op,
                          const Signature& signature) {
  const auto first = rows.begin() + (rows.size() > 1 ? 1 : 0);
  const auto row = std::find_if(
      first, rows.end(), [&](const Kernel* kernel) { return kernel->accepts(op, signature); });
  if (row != rows.end()) return *row;
  std::vector<std::string_view> names;
  for (const Kernel* kernel : rows) names.push_back(kernel->name);
  throw Invalid(fmt::format("no {} kernel of \"{}\" takes {} (there are: {})",
                            name_of(rows[0]->place), name_of(op), text(signature),
                            fmt::join(names, ", ")));
}

}  // namespace

std::optional<std::string> missing_place(const Backends& backends, Place place) {
  const Backend* backend = backends.at(place);
  return backend == nullptr ? fmt::format("no {} backend in this build", name_of(place))
                            : backend->unavailable();
}

KernelChoice choose_kernel(const Backends& backends, Place place, const Op& op,
                           const Signature& signature, const std::string& forced) {
  KernelChoice choice{.skip = missing_place(backends, place)};
  const Backend* backend = backends.at(place);
  if (backend == nullptr) return choice;
  std::vector<const Kernel*> rows;
  for (const Kernel& kernel : backend->kernels())
    if (kernel.op == name_of(op) && kernel.place == place) rows.push_back(&kernel);
  if (!rows.empty())
    choice.kernel =
        forced.empty() ? default_row(rows, op, signature) : forced_row(rows, op, signature, forced);
  else if (!choice.skip)
    choice.skip =
        fmt::format("no {} kernel of \"{}\" in this version", name_of(place), name_of(op));
  return choice;
}

}  // namespace normbench
