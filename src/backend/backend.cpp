#include "backend/backend.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "backend/cpu/simd_targets.h"
#include "machine/topology.h"

namespace normbench {
namespace {

View cut(const Window& window, const View& in) {
  const auto [top, left] = window.origin(in.desc.shape.h, in.desc.shape.w);
  return crop_view(in, top, left, window.height, window.width);
}

}  // namespace

Cost fewest(const Op& op, const Signature& signature) {
  return fewest(op, signature.in, signature.out);
}

View input_view(const Crop& op, const View& in) { return cut(op.window, in); }
Crop of_plane(const Crop& op, const Shape& images, std::int64_t channel) {
  return {.window = op.window.of_plane(images, channel)};
}

View flat_view(View view) {
  const std::int64_t apart = view.desc.strides.n;
  const Shape& shape = view.desc.shape;
  view.desc = dense(view.desc.dtype, Layout::Nchw, {shape.n, 1, 1, shape.image_elements()},
                    view.desc.memory);
  view.desc.strides.n = apart;
  return view;
}

View input_view(const FlipOp& op, const View& in) { return flip_view(in, op.axis); }

std::vector<Portion> portions_of(const Normalize& op, std::span<const View> in, const View& out) {
  std::vector<View> windows;
  for (const Window& window : op.crop) windows.push_back(flip_view(cut(window, in[0]), op.flip));
  if (windows.empty()) return {{flip_view(in[0], op.flip), out}};
  if (windows.size() == 1) return {{windows[0], out}};
  const std::int64_t images = in[0].desc.shape.n, apart = windows[1].data - windows[0].data;
  bool even = images == 1 && apart >= 0;
  for (std::size_t i = 2; i < windows.size(); ++i)
    even = even && windows[i].data - windows[i - 1].data == apart;
  if (even) {
    View all = windows[0];
    all.desc.shape.n = out.desc.shape.n;
    all.desc.strides.n = apart / size_of(in[0].desc.dtype);
    return {{all, out}};
  }
  std::vector<Portion> portions;
  for (const View& window : windows)
    portions.push_back({window, images_of(out, std::ssize(portions) * images, images)});
  return portions;
}

std::vector<YcbcrWindow> ycbcr_windows(const Normalize& op, const View& in, const View& out) {
  if (op.crop.empty()) return {{.in = in, .out = out}};
  const Shape& shape = in.desc.shape;
  std::vector<YcbcrWindow> windows;
  for (const Window& window : op.crop) {
    const auto [top, left] = window.origin(shape.h, shape.w);
    windows.push_back({in, images_of(out, std::ssize(windows) * shape.n, shape.n), top, left});
  }
  return windows;
}

std::vector<Portion> portions_of(const Concat&, std::span<const View> in, const View& out) {
  std::vector<Portion> portions;
  std::int64_t first = 0;
  for (const View& one : in) {
    portions.push_back({one, images_of(out, first, one.desc.shape.n)});
    first += one.desc.shape.n;
  }
  return portions;
}

Backend* Backends::at(Place place) const {
  for (const auto& backend : list)
    if (backend->place() == place) return backend.get();
  return nullptr;
}

Backend& Backends::owner(Memory memory) const {
  const Place place = cuda_owns(memory) ? Place::Cuda : Place::Cpu;
  if (Backend* backend = at(place)) return *backend;
  throw std::runtime_error("no backend can allocate " + std::string(name_of(memory)) + " memory");
}

std::unique_ptr<Allocation> Backend::allocate_fresh(OutputPolicy, Memory memory, std::size_t bytes,
                                                    Queue&) {
  return allocate(memory, bytes);
}

void Backend::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void Backend::fill(std::byte* to, std::byte value, std::size_t bytes) {
  std::memset(to, static_cast<int>(value), bytes);
}

Json Backend::describe() { return {}; }
Json Backend::condition() { return {}; }

Backends make_backends(const BackendOptions& options) {
  if (!options.simd.empty()) use_simd(options.simd);
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  backends.list.push_back(make_cuda_backend(options));
  return backends;
}

std::optional<std::int64_t> free_device_bytes(const Backends& backends) {
  Backend* const cuda = backends.at(Place::Cuda);
  if (cuda == nullptr || cuda->unavailable()) return std::nullopt;
  const Json facts = cuda->describe();
  const Json bytes = facts.is_object() ? facts.value("free_memory_bytes", Json()) : Json();
  return bytes.is_number() ? std::optional(bytes.get<std::int64_t>()) : std::nullopt;
}

std::optional<std::int64_t> used_energy_mj(Backend& backend) {
  const Json condition = backend.condition();
  const Json energy = condition.is_object() ? condition.value("energy_mj", Json()) : Json();
  return energy.is_number() ? std::optional(energy.get<std::int64_t>()) : std::nullopt;
}

}  // namespace normbench
