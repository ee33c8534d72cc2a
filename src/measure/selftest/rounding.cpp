#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/dtype.h"
#include "measure/selftest/cases.h"
#include "measure/selftest/rows.h"

namespace normbench::selftest {
namespace {

constexpr int quick_step = 251, full_step = 13;  // odd, so that all low bits are met
constexpr auto dtypes = std::to_array({DType::Float16, DType::BFloat16, DType::Float32});

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<std::uint16_t> patterns(int step) {
  std::vector<std::uint16_t> all;
  for (int bits = 0; bits < 65536; bits += step) all.push_back(static_cast<std::uint16_t>(bits));
  return all;
}

template <class T>
void add_floats_near(int step, std::vector<float>& floats) {
  for (const std::uint16_t bits : patterns(step)) {
    const auto next_bits = static_cast<std::uint16_t>(bits + 1);
    const auto value = static_cast<float>(to_double(T{bits}));
    const auto next = static_cast<float>(to_double(T{next_bits}));
    const float middle = value / 2 + next / 2;
    for (const float near :
         {value, middle, std::nextafter(middle, value), std::nextafter(middle, next)})
      floats.push_back(near);
  }
}

/// The op with parameters that leave values as they are.
std::vector<Op> identities(std::string_view op) {
  if (op == Sub::name) return {Sub{.mean = {0.0}}};
  if (op == Div::name) return {Div{.std = {1.0}}};
  std::vector<Op> ops;
  for (const DType to : dtypes) {
    if (op == Cast::name) ops.emplace_back(Cast{.to = to});
    if (op == Normalize::name) ops.emplace_back(Normalize{.mean = {0.0}, .std = {1.0}, .to = to});
  }
  return ops;
}

/// The input's values as the output's dtype has them: no other ones are right.
Exact rounded(const Input& input, const TensorDesc& out) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(out.bytes()));
  TensorDesc host = out;
  host.memory = Memory::Pageable;
  const View view{bytes.data(), host};
  from_double(input.values(), view, 0);
  return {.values = to_double(view, 0, out.shape.n), .bound = 0};
}

void test_identity(Lab& lab, std::span<Candidate* const> rows, const Op& op, const Input& input,
                   bool quick) {
  const Route route = routes_of(name_of(op), lab.backend().place()).at(0);
  const auto signature = signature_of(op, input.desc(route.from), route.to);
  if (!signature) return;
  const Exact exact = rounded(input, signature->out[0]);
  const std::string words = in_words(op, *signature) + ", hard to round";
  for (Candidate* row : rows)
    offer(lab, *row, words, op, *signature, [&]() -> Ran {
      const Trial trial{*row->kernel, op, input, *signature, &exact};
      return {run_trial(lab, trial, settings(quick, false, lab.equipment), row->finding.runs),
              exact.bound};
    });
}

}  // namespace

std::vector<std::byte> hard_elements(DType dtype, int step) {
  if (dtype != DType::Float32) return bytes_of(patterns(step));
  std::vector<float> floats{std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min(),
                            -0.0f,
                            std::bit_cast<float>(0x7F800001u),
                            std::bit_cast<float>(0xFF800001u),
                            std::bit_cast<float>(0x7FFFFFFFu),
                            std::bit_cast<float>(0xFFFFFFFFu)};
  add_floats_near<Float16>(step, floats);
  add_floats_near<BFloat16>(step, floats);
  return bytes_of(floats);
}

void test_rounding(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick) {
  const std::vector<Op> ops = identities(op);
  if (ops.empty()) return;
  for (const DType from : dtypes) {
    std::vector<std::byte> bytes = hard_elements(from, quick ? quick_step : full_step);
    const auto count = static_cast<std::int64_t>(bytes.size()) / size_of(from);
    const Input input(dense(from, Layout::Nchw, {1, 1, 1, count}, Memory::Pageable),
                      std::move(bytes));
    for (const Op& identity : ops) test_identity(lab, rows, identity, input, quick);
  }
}

}  // namespace normbench::selftest
