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

// The steps between the bit patterns that are tested. They are odd, so that the low bits take all
// values.
constexpr int quick_step = 251, full_step = 13;

std::vector<DType> float_dtypes() {
  std::vector<DType> dtypes;
  for (const DTypeRow& dtype : dtype_rows)
    if (is_float(dtype.value)) dtypes.push_back(dtype.value);
  return dtypes;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <DType D>
std::vector<Bits<D>> patterns(int step) {
  std::vector<Bits<D>> all;
  for (int bits = 0; bits < 1 << 8 * sizeof(Bits<D>); bits += step)
    all.push_back(static_cast<Bits<D>>(bits));
  return all;
}

template <DType D>
void add_floats_near(int step, std::vector<float>& floats) {
  for (const auto bits : patterns<D>(step)) {
    const auto next_bits = static_cast<Bits<D>>(bits + 1);
    const auto value = static_cast<float>(to_double(SmallFloat<D>{bits}));
    const auto next = static_cast<float>(to_double(SmallFloat<D>{next_bits}));
    const float middle = value / 2 + next / 2;
    for (const float near :
         {value, middle, std::nextafter(middle, value), std::nextafter(middle, next)})
      floats.push_back(near);
  }
}

std::vector<float> hard_floats(int step) {
  std::vector<float> floats{std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min(),
                            -0.0f,
                            std::bit_cast<float>(0x7F800001u),
                            std::bit_cast<float>(0xFF800001u),
                            std::bit_cast<float>(0x7FFFFFFFu),
                            std::bit_cast<float>(0xFFFFFFFFu)};
  for (const DType dtype : float_dtypes())
    with_dtype(dtype, [&]<class T>(T) {
      if constexpr (requires { T::dtype; }) add_floats_near<T::dtype>(step, floats);
    });
  return floats;
}

/// Returns the op with parameters that do not change values. If the output dtype is a parameter of
/// the op, returns one op for each float dtype. Returns an empty list if the op has no such
/// parameters.
std::vector<Op> identities(std::string_view op) {
  if (op == Sub::name) return {Sub{.mean = {0.0}}};
  if (op == Div::name) return {Div{.std = {1.0}}};
  if (op == Denormalize::name) return {Denormalize{.mean = {0.0}, .std = {1.0}}};
  std::vector<Op> ops;
  for (const DType to : float_dtypes()) {
    if (op == Cast::name) ops.emplace_back(Cast{.to = to});
    if (op == Normalize::name) ops.emplace_back(Normalize{.mean = {0.0}, .std = {1.0}, .to = to});
  }
  return ops;
}

/// Returns the values of the input, rounded to the dtype of the output. Their bounds are 0.
Exact rounded(const Input& input, const TensorDesc& out) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(out.bytes()));
  TensorDesc host = out;
  host.memory = Memory::Pageable;
  const View view{bytes.data(), host};
  from_double(input.values(), view, 0);
  return {.values = to_double(view, 0, out.shape.n)};
}

void test_identity(Lab& lab, std::span<Candidate* const> rows, const Op& op, const Input& input,
                   bool quick) {
  const Route route = routes_of(name_of(op), lab.backend().place()).at(0);
  const auto signature = signature_of(op, {input.desc(route.from)}, route.to);
  if (!signature) return;
  const std::vector<Exact> exact{rounded(input, signature->out[0])};
  const std::span<const Input> inputs(&input, 1);
  const std::string words = in_words(op, *signature) + ", hard to round";
  for (Candidate* row : rows)
    offer(lab, *row, words, op, *signature, [&]() -> Ran {
      const Trial trial{*row->kernel, op, inputs, *signature, &exact};
      const Judged judged =
          run_trial(lab, trial, settings(quick, false, lab.equipment), row->finding.runs);
      return {judged, judged.bound};
    });
}

}  // namespace

std::vector<std::byte> hard_elements(DType dtype, int step) {
  return with_dtype(dtype, [&]<class T>(T) {
    if constexpr (requires { T::dtype; })
      return bytes_of(patterns<T::dtype>(step));
    else
      return bytes_of(hard_floats(step));
  });
}

void test_rounding(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick) {
  const std::vector<Op> ops = identities(op);
  if (ops.empty()) return;
  for (const DType from : float_dtypes()) {
    std::vector<std::byte> bytes = hard_elements(from, quick ? quick_step : full_step);
    const auto count = static_cast<std::int64_t>(bytes.size()) / size_of(from);
    const Input input(dense(from, Layout::Nchw, {1, 1, 1, count}, Memory::Pageable),
                      std::move(bytes));
    for (const Op& identity : ops) test_identity(lab, rows, identity, input, quick);
  }
}

}  // namespace normbench::selftest
