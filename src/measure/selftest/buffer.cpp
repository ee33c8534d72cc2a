#include "measure/selftest/buffer.h"

#include <fmt/format.h>

#include <algorithm>

namespace normbench::selftest {
namespace {

constexpr std::int64_t guard_bytes = 256;

}  // namespace

Buffer::Buffer(Backend& owner, Memory memory, std::int64_t bytes, const Placing& placing)
    : owner_(owner),
      bytes_(bytes),
      start_(placing.shift_bytes + (placing.guarded ? guard_bytes : 0)),
      behind_(placing.guarded ? guard_bytes : 0),
      poison_(placing.poison),
      allocation_(owner.allocate(memory, static_cast<std::size_t>(start_ + bytes_ + behind_))) {
  owner_.fill(allocation_->data(), poison_, static_cast<std::size_t>(start_ + bytes_ + behind_));
}

void Buffer::write(std::int64_t offset, std::span<const std::byte> bytes) {
  owner_.copy(data() + offset, bytes.data(), bytes.size());
}

std::vector<std::byte> Buffer::read(std::int64_t offset, std::int64_t bytes) const {
  std::vector<std::byte> copy(static_cast<std::size_t>(bytes));
  if (bytes > 0) owner_.copy(copy.data(), data() + offset, copy.size());
  return copy;
}

std::optional<std::string> Buffer::stray_write(std::string_view name) const {
  const auto changed = [&](std::byte b) { return b != poison_; };
  const auto front = read(-start_, start_), back = read(bytes_, behind_);
  if (const auto at = std::ranges::find_if(back, changed); at != back.end())
    return fmt::format("wrote past the end of {} (byte {} after it)", name, at - back.begin() + 1);
  if (const auto at = std::find_if(front.rbegin(), front.rend(), changed); at != front.rend())
    return fmt::format("wrote before the start of {} (byte {} before it)", name,
                       at - front.rbegin() + 1);
  return std::nullopt;
}

}  // namespace normbench::selftest
