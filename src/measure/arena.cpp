#include "measure/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/units.h"
#include "machine/topology.h"

namespace normbench {

namespace {

/// A multiple of `line` below `limit` bytes.
std::size_t random_lines(std::size_t limit, std::size_t line, std::mt19937_64& random) {
  return line * std::uniform_int_distribution<std::size_t>(0, limit / line - 1)(random);
}

}  // namespace

Arena::Arena(Backend& owner, Memory memory, std::size_t bytes) : bytes_(bytes) {
  try {
    allocation_ = owner.allocate(memory, bytes);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("needs {} of {} memory: {}",
                                         format_bytes(static_cast<double>(bytes)), name_of(memory),
                                         error.what()));
  }
  if (!host_reaches(memory))
    owner.fill(data(), std::byte{1}, bytes);
  else
    for (std::size_t at = 0; at < bytes; at += static_cast<std::size_t>(page_bytes()))
      data()[at] = std::byte{1};
}

std::vector<std::size_t> random_placement(std::span<const std::size_t> sizes, std::size_t sets,
                                          std::size_t capacity, std::mt19937_64& random,
                                          std::size_t line) {
  std::vector<std::size_t> order(sizes.size() * sets);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);

  const std::size_t slack = capacity - placement_bytes(sizes, sets, line);
  std::size_t at = random_lines(slack + line, line, random);
  std::vector<std::size_t> offsets(order.size());
  for (const std::size_t buffer : order) {
    const std::size_t size = sizes[buffer % sizes.size()];
    at += random_lines(gap_limit(size, line), line, random);
    offsets[buffer] = at;
    at += whole_lines(size, line);
  }
  return offsets;
}

}  // namespace normbench
