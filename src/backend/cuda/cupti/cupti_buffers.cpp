#include "backend/cuda/cupti/cupti_buffers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace normbench::cupti {
namespace {

constexpr std::size_t kWords = Buffers::bytes / sizeof(std::uint64_t);
constexpr std::size_t kReused = 8;

}  // namespace

void Buffers::prepare(std::size_t count) {
  std::vector<Memory> more;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = ready_.size(); i < count; ++i) more.emplace_back();
  }
  for (Memory& memory : more) memory.resize(kWords);
  const std::lock_guard lock(mutex_);
  std::ranges::move(more, std::back_inserter(ready_));
}

void Buffers::keep(bool kept) {
  const std::lock_guard lock(mutex_);
  kept_ = kept;
  if (!kept) filled_.clear();
}

std::uint8_t* Buffers::lend() noexcept {
  try {
    return lend_or_throw();
  } catch (...) {
    return nullptr;
  }
}

void Buffers::give_back(std::uint8_t* data, std::size_t valid_bytes) noexcept {
  try {
    queue_or_throw(data, valid_bytes);
  } catch (...) {
    ++lost_;
  }
}

std::uint8_t* Buffers::lend_or_throw() {
  Memory memory;
  {
    const std::lock_guard lock(mutex_);
    if (!ready_.empty()) {
      memory = std::move(ready_.back());
      ready_.pop_back();
    }
  }
  if (memory.empty()) memory.resize(kWords);
  auto* const data = reinterpret_cast<std::uint8_t*>(memory.data());
  const std::lock_guard lock(mutex_);
  lent_.emplace(data, std::move(memory));
  return data;
}

void Buffers::queue_or_throw(std::uint8_t* data, std::size_t valid_bytes) {
  Memory memory;
  {
    const std::lock_guard lock(mutex_);
    auto lent = lent_.extract(data);
    if (lent.empty()) return;
    if (kept_) {
      filled_.push_back(
          {.memory = std::move(lent.mapped()), .valid_bytes = std::min(valid_bytes, bytes)});
      return;
    }
    memory = std::move(lent.mapped());
  }
  std::ranges::fill(memory, 0);
  const std::lock_guard lock(mutex_);
  ready_.push_back(std::move(memory));
}

FilledQueue Buffers::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(filled_, FilledQueue(filled_.get_allocator()));
}

void Buffers::reuse(FilledQueue buffers) {
  if (buffers.size() > kReused) buffers.erase(buffers.begin() + kReused, buffers.end());
  for (Filled& buffer : buffers) std::ranges::fill(buffer.memory, 0);
  const std::lock_guard lock(mutex_);
  for (Filled& buffer : buffers) ready_.push_back(std::move(buffer.memory));
}

void Buffers::release() {
  const std::lock_guard lock(mutex_);
  ready_.clear();
  filled_.clear();
}

Buffers& process_buffers() {
  static Buffers& buffers = *new Buffers;
  return buffers;
}

}  // namespace normbench::cupti
