#include "measure/selftest/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "measure/selftest/findings.h"
#include "ops/source.h"

namespace normbench::selftest {
namespace {

constexpr std::int64_t guard_bytes = 256;

std::vector<std::byte> scaled(std::vector<std::byte> elements, const Feed& feed) {
  if (feed.scale == 1) return elements;
  TensorDesc desc = feed.desc;
  desc.memory = Memory::Pageable;
  const View view{elements.data(), desc};
  Tensor64 values = to_double(view, 0, desc.shape.n);
  for (double& value : values.values) value *= feed.scale;
  from_double(values, view, 0);
  return elements;
}

}  // namespace

std::vector<std::byte> random_elements(DType dtype, std::int64_t first, std::int64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count * size_of(dtype)));
  if (!is_float(dtype)) {
    random_bytes(seed, first, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    return bytes;
  }
  std::vector<std::uint8_t> random(static_cast<std::size_t>(2 * count));
  random_bytes(seed, 2 * first, random);
  Tensor64 values{.shape = {1, 1, 1, count}, .values = {}};
  for (std::size_t i = 0; i < random.size(); i += 2)
    values.values.push_back((random[i] + 256 * random[i + 1]) / 128.0 - 128);
  from_double(values, {bytes.data(), dense(dtype, Layout::Nchw, values.shape, Memory::Pageable)},
              0);
  return bytes;
}

Accuracy random_accuracy(DType dtype) {
  if (!is_float(dtype)) return {.low = 0, .high = 255, .whole = true};
  return {.low = -128, .high = 384};
}

Input::Input(DType dtype, Layout layout, const Shape& shape, const Look& look)
    : base_(dense(dtype, layout,
                  {shape.n, shape.c, shape.h + 2 * look.margin, shape.w + 2 * look.margin},
                  Memory::Pageable)),
      look_(look),
      bytes_(random_elements(dtype, 0, base_.elements())),
      values_(to_double(view(bytes_.data(), Memory::Pageable), 0, shape.n)) {}

Input::Input(const Feed& feed, std::int64_t first)
    : Input(feed.desc,
            scaled(random_elements(feed.desc.dtype, first, feed.desc.elements()), feed)) {
  accuracy_.low *= feed.scale;
  accuracy_.high *= feed.scale;
}

Input::Input(const TensorDesc& desc, std::vector<std::byte> bytes)
    : base_(desc),
      bytes_(std::move(bytes)),
      values_(to_double(view(bytes_.data(), Memory::Pageable), 0, desc.shape.n)) {}

View Input::view(std::byte* start, Memory memory) const {
  const std::int64_t m = look_.margin;
  View whole{start, base_};
  whole.desc.memory = memory;
  return flip_view(crop_view(whole, m, m, base_.shape.h - 2 * m, base_.shape.w - 2 * m),
                   look_.flip);
}

TensorDesc Input::desc(Memory memory) const {
  return view(const_cast<std::byte*>(bytes_.data()), memory).desc;
}

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
