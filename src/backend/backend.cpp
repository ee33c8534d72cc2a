#include "backend/backend.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "backend/cpu/simd_targets.h"
#include "machine/topology.h"

namespace normbench {
namespace {

std::int64_t bytes_of(const std::vector<TensorDesc>& tensors) {
  std::int64_t bytes = 0;
  for (const auto& tensor : tensors) bytes += tensor.bytes();
  return bytes;
}

/// Taps of the triangle filter along one axis: two when it grows, twice the scale when it shrinks.
double taps(std::int64_t from, std::int64_t to) {
  return 2 * std::max(1.0, static_cast<double>(from) / static_cast<double>(to));
}

/// A multiplication and an addition per tap: rows first, over the input's columns, then columns.
/// Bounded, for the image between the two passes may be larger than either.
std::int64_t resize_flops(const TensorDesc& in, const TensorDesc& out) {
  const double rows = 2 * taps(in.shape.h, out.shape.h) * static_cast<double>(in.shape.w);
  const double columns = 2 * taps(in.shape.w, out.shape.w) * static_cast<double>(out.shape.w);
  return std::llround(
      std::min(0x1p60, (rows + columns) * static_cast<double>(out.shape.n * out.shape.c) *
                           static_cast<double>(out.shape.h)));
}

/// Every input byte once, every output byte once, no arithmetic.
Cost whole(const Signature& s) {
  return {.read_bytes = bytes_of(s.in), .written_bytes = bytes_of(s.out)};
}

/// As `whole`, but only those input elements that become output elements.
Cost window(const Signature& s) {
  return {.read_bytes = s.out.at(0).elements() * size_of(s.in.at(0).dtype),
          .written_bytes = bytes_of(s.out)};
}

template <class T>
Cost cost_of(const T&, const Signature& s) {
  return whole(s);
}

Cost cost_of(const Crop&, const Signature& s) { return window(s); }

Cost cost_of(const Normalize&, const Signature& s) {
  Cost cost = window(s);
  cost.flops = 2 * s.out.at(0).elements();
  return cost;
}

Cost arithmetic(const Signature& s) {
  Cost cost = whole(s);
  cost.flops = s.out.at(0).elements();
  return cost;
}
Cost cost_of(const Sub&, const Signature& s) { return arithmetic(s); }
Cost cost_of(const Div&, const Signature& s) { return arithmetic(s); }

Cost cost_of(const Resize&, const Signature& s) {
  Cost cost = whole(s);
  cost.flops = resize_flops(s.in.at(0), s.out.at(0));
  return cost;
}

Cost cost_of(const Stream& op, const Signature& s) {
  Cost cost = whole(s);
  if (op.read_parts == 0) cost.read_bytes = 0;
  return cost;
}

Cost cost_of(const FirstTouch&, const Signature& s) {
  return {.written_bytes = (bytes_of(s.out) + page_bytes() - 1) / page_bytes()};
}

// Transfers run in the device's place: they write or read its memory, the rest is the link.
Cost cost_of(const H2d&, const Signature& s) {
  const std::int64_t bytes = bytes_of(s.out);
  return {.written_bytes = bytes, .link_bytes = bytes};
}
Cost cost_of(const D2h&, const Signature& s) {
  const std::int64_t bytes = bytes_of(s.in);
  return {.read_bytes = bytes, .link_bytes = bytes};
}

Cost cost_of(const Exchange&, const Signature& s) {
  const std::int64_t bytes = bytes_of(s.out);
  return {.read_bytes = bytes, .written_bytes = bytes, .link_bytes = 2 * bytes};
}

// These move no bytes; what a registration costs is time per page.
Cost cost_of(const Register&, const Signature&) { return {}; }
Cost cost_of(const Unregister&, const Signature&) { return {}; }
Cost cost_of(const EmptyLaunch&, const Signature&) { return {}; }
Cost cost_of(const Sync&, const Signature&) { return {}; }

}  // namespace

Cost fewest(const Op& op, const Signature& signature) {
  return std::visit([&](const auto& typed) { return cost_of(typed, signature); }, op);
}

Backend* Backends::at(Place place) const {
  for (const auto& backend : list)
    if (backend->place() == place) return backend.get();
  return nullptr;
}

Backend& Backends::owner(Memory memory) const {
  const Place place = cuda_owns(memory) ? Place::Cuda : Place::Cpu;
  if (Backend* backend = at(place)) return *backend;
  throw std::runtime_error("no backend owns " + std::string(name_of(memory)) + " memory");
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
  if (!facts.is_object() || !facts.contains("free_memory_bytes")) return std::nullopt;
  return facts.at("free_memory_bytes").get<std::int64_t>();
}

std::optional<std::int64_t> used_energy_mj(Backend& backend) {
  const Json condition = backend.condition();
  const Json energy = condition.is_object() ? condition.value("energy_mj", Json()) : Json();
  return energy.is_number() ? std::optional(energy.get<std::int64_t>()) : std::nullopt;
}

}  // namespace normbench
