#include "measure/selftest/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "measure/selftest/cases.h"

namespace normbench::selftest {
namespace {

void add(RowFinding& finding, const std::string& words, const Ran& ran) {
  if (ran.judged.failure) fail(finding, fmt::format("{}: {}", words, *ran.judged.failure));
  if (!ran.bound) return;
  const bool nearer = share_of_bound(ran.judged.error, *ran.bound) >
                      share_of_bound(finding.max_error, finding.bound);
  if (nearer || !finding.compared) {
    finding.max_error = ran.judged.error;
    finding.bound = *ran.bound;
    finding.worst = words;
  }
  finding.compared = true;
}

/// Returns every `every`th element of `ops`, so that a test takes less time. `offset` decides which
/// element is the first.
std::vector<Op> thinned(const std::vector<Op>& ops, std::size_t every, std::size_t offset) {
  std::vector<Op> kept;
  for (std::size_t i = offset % std::min(every, ops.size()); i < ops.size(); i += every)
    kept.push_back(ops[i]);
  return kept;
}

/// A case: an op with its parameters, on certain inputs.
struct OneCase {
  const Op& op;
  std::span<const Input> inputs;
  const Signature& signature;
};

/// The data that all cases of an op share.
struct OpTest {
  Lab& lab;
  std::span<Candidate* const> rows;
  bool quick;
};

std::vector<Known> known(std::span<const Input> inputs) {
  std::vector<Known> all;
  for (const Input& input : inputs) all.push_back({input.values(), input.accuracy()});
  return all;
}

/// Returns the inputs of a case. If the case has a single input with the shape of `first`, returns
/// `first`. Otherwise makes contiguous tensors from successive parts of the random sequence.
std::vector<Input> inputs_of(const Feeds& fed, const Input& first) {
  if (fed.size() == 1 && fed[0].desc.shape == first.desc(Memory::Pageable).shape) return {first};
  std::vector<Input> inputs;
  std::int64_t elements = 0;
  for (const Feed& feed : fed) {
    inputs.emplace_back(feed, elements);
    elements += feed.desc.elements();
  }
  return inputs;
}

void test_case(const OpTest& test, const OneCase& one, bool capturing) {
  const std::string words = in_words(one.op, one.signature);
  std::optional<std::vector<Exact>> exact;  // computed when a kernel row first accepts the case
  for (Candidate* row : test.rows)
    offer(test.lab, *row, words, one.op, one.signature, [&]() -> Ran {
      const bool defined = has_reference(one.op);
      if (defined && !exact) exact = exact_outputs(one.op, known(one.inputs), one.signature);
      const Trial trial{*row->kernel, one.op, one.inputs, one.signature, exact ? &*exact : nullptr};
      const bool captured = capturing && row->kernel->capturable(one.op, one.signature);
      const Judged judged = run_trial(
          test.lab, trial, settings(test.quick, captured, test.lab.equipment), row->finding.runs);
      return {judged, defined ? std::optional(judged.bound) : std::nullopt};
    });
}

void test_input(const OpTest& test, std::span<const Op> ops, const Input& input,
                const Extent& extent) {
  const Place place = test.lab.backend().place();
  const TensorDesc desc = input.desc(Memory::Pageable);
  const TensorDesc first = dense(desc.dtype, desc.layout, desc.shape, desc.memory);
  for (const Op& op : ops)
    for (const Route& route : routes_of(name_of(op), place, extent.host_memory))
      for (const Feeds& fed : feeds(op, first)) {
        const std::vector<Input> inputs = inputs_of(fed, input);
        std::vector<TensorDesc> in;
        for (const Input& one : inputs) in.push_back(one.desc(route.from));
        if (const auto signature = signature_of(op, std::move(in), route.to))
          test_case(test, {op, inputs, *signature}, extent.capturing);
      }
}

}  // namespace

void offer(Lab& lab, Candidate& row, const std::string& words, const Op& op,
           const Signature& signature, const std::function<Ran()>& run) {
  if (row.stopped || lab.is_over()) return;
  ++row.finding.offered;
  try {
    if (!row.kernel->accepts(op, signature)) return;
    ++row.finding.accepted;
    add(row.finding, words, run());
  } catch (const std::exception& error) {
    fail(row.finding, fmt::format("{}: {}", words, error.what()));
    row.stopped = true;
    lab.recover();
  }
}

void fail(RowFinding& finding, const std::string& words) {
  ++finding.wrong;
  if (finding.failure.empty()) finding.failure = words;
}

void test_op(Lab& lab, const std::string& op, std::span<Candidate* const> rows, bool quick) {
  const OpTest test{lab, rows, quick};
  std::size_t first = 0;  // index of the first set of parameters; differs between extents
  for (const Extent& extent : extents(quick)) {
    const std::vector<Op> ops = samples(op, extent.shape);
    std::size_t offset = first++;
    for (const auto& dtype : words(DType{}))
      for (const auto& layout : words(Layout{})) {
        const Input input(dtype.value, layout.value, extent.shape, extent.look);
        test_input(test, thinned(ops, extent.every, offset++), input, extent);
      }
  }
}

}  // namespace normbench::selftest
