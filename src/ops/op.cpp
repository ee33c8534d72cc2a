#include "ops/op.h"

#include <type_traits>

namespace normbench {
namespace {

/// Calls `use` with the catalogue's op types as explicit template arguments.
template <class Use, class... T>
auto with_ops(std::type_identity<std::variant<T...>>, Use use) {
  return use.template operator()<T...>();
}

}  // namespace

std::string_view name_of(const Op& op) {
  return std::visit([](const auto& one) { return one.name; }, op);
}

std::string_view about(const Op& op) {
  return std::visit([](const auto& one) { return one.about; }, op);
}

std::vector<std::string> op_names() {
  return with_ops(std::type_identity<Op>{},
                  []<class... T>() { return std::vector<std::string>{std::string(T::name)...}; });
}

std::optional<Op> read_op(std::string_view name, Reader& reader) {
  std::optional<Op> op;
  with_ops(std::type_identity<Op>{},
           [&]<class... T>() { ((T::name == name ? void(op = T::read(reader)) : void()), ...); });
  return op;
}

std::vector<TensorDesc> infer(const Op& op, std::span<const TensorDesc> in) {
  return std::visit([&](const auto& one) { return one.infer(in); }, op);
}

void reference(const Op& op, std::span<const Tensor64> in, std::span<Tensor64> out,
               std::int64_t first) {
  std::visit([&](const auto& one) { one.reference(in, out, first); }, op);
}

bool has_reference(const Op& op) {
  return !std::holds_alternative<Stream>(op) && !std::holds_alternative<FirstTouch>(op);
}

bool passes_through(const Op& op) {
  return std::holds_alternative<Register>(op) || std::holds_alternative<Unregister>(op) ||
         std::holds_alternative<EmptyLaunch>(op) || std::holds_alternative<Sync>(op);
}

Accuracy accuracy(const Op& op, std::span<const Accuracy> in, std::span<const TensorDesc> out) {
  return std::visit([&](const auto& one) { return one.accuracy(in, out); }, op);
}

}  // namespace normbench
