#include "ops/op.h"

#include <algorithm>

namespace normbench {
namespace {

template <class T>
constexpr bool is_start = requires {
  requires T::starts;
};
template <class T>
constexpr bool is_undefined = requires {
  requires T::undefined;
};
template <class T>
constexpr bool of_peers = requires {
  requires T::peer_only;
};
template <class T>
constexpr bool is_known_here = !is_undefined<T> && !of_peers<T>;
template <class T>
constexpr bool leaves_input = requires {
  requires T::passes_through;
};
template <class T>
constexpr bool keeps_values = leaves_input<T> || requires {
  requires T::copies;
};

template <class T>
constexpr bool only_moves = requires {
  requires T::moves_only;
};

/// The accuracy of tensors whose values only move: errors move with them.
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

/// The cost of an op that reads only input elements that become output, and writes every output.
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

template <class T>
void append_samples(std::vector<Op>& ops, const Shape& shape) {
  if constexpr (!requires { &T::read; })
    ops.emplace_back(T{});
  else if constexpr (!is_start<T> && !of_peers<T>)
    for (T& op : T::samples(shape)) ops.emplace_back(std::move(op));
}

}  // namespace

std::string_view name_of(const Op& op) {
  return std::visit([](const auto& one) { return one.name; }, op);
}

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
        if constexpr (leaves_input<T> && !requires { one.infer(in); })
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

bool is_peer_only(const Op& op) {
  return std::visit([]<class T>(const T&) { return of_peers<T>; }, op);
}

bool passes_through(const Op& op) {
  return std::visit([]<class T>(const T&) { return leaves_input<T>; }, op);
}

bool needs_input(const Op& op) {
  return std::visit(
      []<class T>(const T&) {
        return !leaves_input<T> || requires { requires T::needs_input; };
      },
      op);
}

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

std::vector<Accuracy> accuracies(const Op& op, std::span<const Known> in,
                                 std::span<const Tensor64> exact, std::span<const TensorDesc> out) {
  return std::visit(
      [&]<class T>(const T& one) -> std::vector<Accuracy> {
        if constexpr (!is_known_here<T>)
          return {{.low = 0, .high = 255, .errors = 255}};
        else if constexpr (keeps_values<T>)
          return {in[0].accuracy};
        else if constexpr (only_moves<T>)
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

Cost fewest(const Op& op, std::span<const TensorDesc> in, std::span<const TensorDesc> out) {
  return std::visit(
      [&]<class T>(const T& one) -> Cost {
        if constexpr (requires { one.fewest(in, out); }) return one.fewest(in, out);
        if constexpr (requires { T::flops_per_element; })
          return window_cost(in, out, T::flops_per_element);
        if constexpr (leaves_input<T>) return {};
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
          return {{{.desc = first}}};
      },
      op);
}

}  // namespace normbench
