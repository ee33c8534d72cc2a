#include "ops/op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace normbench {
namespace {

template <class T>
constexpr Roles roles_in_type() {
  if constexpr (requires { T::roles; })
    return T::roles;
  else
    return {};
}
template <class T>
constexpr Roles roles_for = roles_in_type<T>();
template <class T>
constexpr bool is_known_here = !roles_for<T>.undefined && !roles_for<T>.peer_only;
template <class T>
constexpr bool keeps_values = roles_for<T>.passes_through || roles_for<T>.copies;

struct NamedRoles {
  std::string_view op;
  Roles roles;
};
/// The roles of all ops, sorted by name for a binary search.
constexpr auto named_roles = [] {
  std::array<NamedRoles, std::variant_size_v<Op>> all;
  std::size_t next = 0;
  for_each_op([&]<class T>(std::type_identity<T>) {
    all[next++] = {.op = T::name, .roles = roles_for<T>};
  });
  std::ranges::sort(all, {}, &NamedRoles::op);
  return all;
}();
constexpr Roles no_roles;

/// Returns the accuracy of an op that only moves values. The errors move in the same way as the
/// values.
template <class T>
Accuracy moved(const T& op, std::span<const Known> in, const Tensor64& exact) {
  Accuracy found = in[0].accuracy;
  std::vector<Tensor64> errors;
  bool same = true;
  for (const Known& one : in) {
    const Accuracy& other = one.accuracy;
    found.low = std::min(found.low, other.low);
    found.high = std::max(found.high, other.high);
    found.whole = found.whole && other.whole;
    same = same && other.errors.are_same_everywhere() && other.errors == found.errors;
  }
  if (same) return found;
  for (const Known& one : in) {
    Tensor64& its = errors.emplace_back(Tensor64{.shape = one.values.shape, .values = {}});
    for (std::size_t i = 0; i < one.values.values.size(); ++i) its.values.push_back(one.error(i));
  }
  std::vector<Tensor64> out{{.shape = exact.shape, .values = {}}};
  op.reference(errors, out, 0);
  found.errors = std::move(out[0].values);
  return found;
}

/// Returns the cost of an op that reads one input element for each output element, and writes every
/// output.
Cost window_cost(std::span<const TensorDesc> in, std::span<const TensorDesc> out,
                 std::int64_t flops_per_element) {
  const std::int64_t elements = out[0].elements();
  return {.read_bytes = elements * size_of(in[0].dtype),
          .written_bytes = total_bytes(out),
          .flops = flops_per_element * elements};
}

template <class T>
T read_one(Reader& reader) {
  if constexpr (requires { T::read(reader); })
    return T::read(reader);
  else
    return {};
}

/// Throws Invalid if an input has a YCbCr format and the op does not take it.
template <class T>
void check_pixel_formats(std::span<const TensorDesc> in) {
  if (roles_for<T>.takes_ycbcr || roles_for<T>.passes_through) return;
  for (const TensorDesc& one : in)
    if (one.shape.is_ycbcr())
      throw Invalid(fmt::format("{} does not take {} (add {{\"op\": \"to_rgb\"}} before it)",
                                T::name, name_of(one.shape.format)));
}

/// Returns the sets of inputs for a self-test: `first` alone and, if the op takes YCbCr images,
/// also YCbCr images of the size of `first`.
std::vector<Feeds> feeds_of(const Roles& roles, const TensorDesc& first) {
  std::vector<Feeds> all{{{.desc = first}}};
  if (roles.takes_ycbcr) std::ranges::copy(ycbcr_feeds(first), std::back_inserter(all));
  return all;
}

template <class T>
void append_samples(std::vector<Op>& ops, const Shape& shape) {
  if constexpr (roles_for<T>.starts || roles_for<T>.peer_only)
    return;
  else if constexpr (!requires { &T::read; })
    ops.emplace_back(T{});
  else
    for (T& op : T::samples(shape)) ops.emplace_back(std::move(op));
}

}  // namespace

std::string_view name_of(const Op& op) {
  return std::visit([](const auto& one) { return one.name; }, op);
}

const Roles& roles_of(const Op& op) {
  return *std::visit([]<class T>(const T&) { return &roles_for<T>; }, op);
}

const Roles& roles_named(std::string_view op) {
  const auto found = std::ranges::lower_bound(named_roles, op, {}, &NamedRoles::op);
  return found != named_roles.end() && found->op == op ? found->roles : no_roles;
}

const Load* load_of(const Op& op) { return std::get_if<Load>(&op); }

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for_each_op([&]<class T>(std::type_identity<T>) { names.emplace_back(T::name); });
  return names;
}

std::optional<Op> read_op(std::string_view name, Reader& reader) {
  std::optional<Op> op;
  for_each_op([&]<class T>(std::type_identity<T>) {
    if (T::name == name) op = read_one<T>(reader);
  });
  return op;
}

std::vector<TensorDesc> infer(const Op& op, std::span<const TensorDesc> in) {
  return std::visit(
      [&]<class T>(const T& one) -> std::vector<TensorDesc> {
        check_pixel_formats<T>(in);
        if constexpr (roles_for<T>.passes_through && !requires { one.infer(in); })
          return {only_input(in)};
        else
          return one.infer(in);
      },
      op);
}

void reference(const Op& op, std::span<const Tensor64> in, std::span<Tensor64> out,
               std::int64_t first, std::int64_t item) {
  std::visit(
      [&]<class T>(const T& one) {
        if constexpr (!is_known_here<T>)
          std::ranges::fill(out[0].values, 0.0);
        else if constexpr (keeps_values<T>)
          out[0] = in[0];
        else if constexpr (requires { one.reference(in, out, first, item); })
          one.reference(in, out, first, item);
        else
          one.reference(in, out, first);
      },
      op);
}

bool has_reference(const Op& op) {
  return std::visit([]<class T>(const T&) { return is_known_here<T>; }, op);
}

bool is_peer_only(const Op& op) { return roles_of(op).peer_only; }

bool is_own_code(const Op& op) { return roles_of(op).own_code; }

bool is_own_loader(const Op& op) { return roles_of(op).own_code && roles_of(op).starts; }

bool is_network(const Op& op) { return roles_of(op).peer_only && !roles_of(op).own_code; }

bool passes_through(const Op& op) { return roles_of(op).passes_through; }

bool needs_input(const Op& op) { return !roles_of(op).passes_through || roles_of(op).needs_input; }

bool whole_batch(const Op& op) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.whole_batch(); })
          return one.whole_batch();
        else
          return false;
      },
      op);
}

bool row_wise(const Op& op) {
  return std::visit(
      []<class T>(const T& one) {
        if constexpr (requires { one.row_wise(); })
          return one.row_wise();
        else
          return is_known_here<T> && keeps_values<T>;
      },
      op);
}

bool is_elementwise(const Op& op) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.elementwise(); })
          return one.elementwise();
        else
          return false;
      },
      op);
}

std::vector<Accuracy> accuracies(const Op& op, std::span<const Known> in,
                                 std::span<const Tensor64> exact, std::span<const TensorDesc> out) {
  return std::visit(
      [&]<class T>(const T& one) -> std::vector<Accuracy> {
        if constexpr (!is_known_here<T>)
          return {{.low = 0, .high = 255, .errors = 255}};
        else if constexpr (keeps_values<T>)
          return {in[0].accuracy};
        else if constexpr (roles_for<T>.moves_only)
          return {moved(one, in, exact[0])};
        else
          return one.accuracy(in, exact, out);
      },
      op);
}

Op with_rounds(Op op, const Rounds& rounds) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.rounds = rounds; }) one.rounds = rounds;
      },
      op);
  return op;
}

Op with_filter(Op op, ResizeFilter filter) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.held_to = filter; }) one.held_to = filter;
      },
      op);
  return op;
}

void resolve(Op& op, const Paths& paths) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.resolve(paths); }) one.resolve(paths);
      },
      op);
}

std::optional<Misplaced> misplaced(const Op& op, Place place) {
  return std::visit(
      [&](const auto& one) -> std::optional<Misplaced> {
        if constexpr (requires { one.misplaced(place); })
          return one.misplaced(place);
        else
          return std::nullopt;
      },
      op);
}

std::string saved_file(const Op& op, std::string_view start, std::int64_t image) {
  return std::visit(
      [&]<class T>(const T& one) -> std::string {
        if constexpr (requires { one.saved_file(start, image); }) {
          return one.saved_file(start, image);
        } else {
          static_assert(roles_for<T>.files != FileUse::Writes,
                        "an op that writes files has saved_file()");
          return "";
        }
      },
      op);
}

std::string why_not_saved(const Op& op, const std::string& path, const View& image) {
  return std::visit(
      [&]<class T>(const T& one) -> std::string {
        if constexpr (requires { one.why_not_saved(path, image); }) {
          return one.why_not_saved(path, image);
        } else {
          static_assert(roles_for<T>.files != FileUse::Writes,
                        "an op that writes files has why_not_saved()");
          return "";
        }
      },
      op);
}

Cost fewest(const Op& op, std::span<const TensorDesc> in, std::span<const TensorDesc> out) {
  return std::visit(
      [&]<class T>(const T& one) -> Cost {
        if constexpr (requires { one.fewest(in, out); }) return one.fewest(in, out);
        if constexpr (requires { T::flops_per_element; })
          return window_cost(in, out, T::flops_per_element);
        if constexpr (roles_for<T>.passes_through) return {};
        if constexpr (requires { T::flops_per_input; })
          return {.read_bytes = total_bytes(in),
                  .written_bytes = total_bytes(out),
                  .flops = T::flops_per_input * in[0].elements()};
        return {.read_bytes = total_bytes(in), .written_bytes = total_bytes(out)};
      },
      op);
}

ParameterKind parameter_kind(std::string_view parameter) {
  if (parameter == "constants") return ParameterKind::Constants;
  if (parameter == "flip") return ParameterKind::Flip;
  if (parameter == "storage") return ParameterKind::Storage;
  if (parameter == "dataset" || parameter == "path") return ParameterKind::Files;
  const bool of_output = parameter == "to" || parameter == "dtype" || parameter == "layout";
  return of_output ? ParameterKind::OfOutput : ParameterKind::Other;
}

std::vector<Op> samples(std::string_view name, const Shape& shape) {
  std::vector<Op> ops;
  for_each_op([&]<class T>(std::type_identity<T>) {
    if (T::name == name) append_samples<T>(ops, shape);
  });
  return ops;
}

std::vector<Feeds> feeds(const Op& op, const TensorDesc& first) {
  return std::visit(
      [&](const auto& one) -> std::vector<Feeds> {
        if constexpr (requires { one.feeds(first); })
          return one.feeds(first);
        else
          return feeds_of(roles_of(op), first);
      },
      op);
}

}  // namespace normbench
