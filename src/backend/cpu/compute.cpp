#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "backend/cpu/rows.h"

namespace normbench {
namespace {

/// Runs a chain of multiply-add steps. Each step needs the result of the previous one.
std::uint64_t run_chain(std::uint64_t value, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value));  // keeps the compiler from merging or removing steps
  }
  return value;
}

double chain_ns(std::int64_t steps) {
  const auto start = std::chrono::steady_clock::now();
  run_chain(1, steps);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// Returns how many steps of run_chain() an undisturbed core runs per ns. The number comes from the
/// shortest of many short trials. All trials together last long enough for the clock rate to rise.
double measure_steps_per_ns() {
  constexpr std::int64_t steps = 200'000;
  constexpr int trials = 50;
  double least_ns = std::numeric_limits<double>::max();
  for (int i = 0; i < trials; ++i) least_ns = std::min(least_ns, chain_ns(steps));
  return static_cast<double>(steps) / least_ns;
}

/// Returns the result of measure_steps_per_ns(). Only the first call measures. Later calls return
/// the same number.
double steps_per_ns() {
  static const double measured = measure_steps_per_ns();
  return measured;
}

bool accepts_compute(const Compute&, const Signature&) { return true; }

Launch prepare_compute(const Compute& op, const Signature& s) {
  return [steps = std::llround(op.ns(s.in[0].shape.n) * steps_per_ns())](
             Queue&, std::span<const View>, std::span<const View>, View) { run_chain(1, steps); };
}

}  // namespace

std::span<const Kernel> compute_rows() {
  static const Kernel rows[] = {row<Compute, accepts_compute, prepare_compute>("chain")};
  return rows;
}

}  // namespace normbench
