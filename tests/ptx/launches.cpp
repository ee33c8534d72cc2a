#include "ptx/launches.h"

#include <cxxabi.h>
#include <fatbinary_section.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "backend/cuda/kernels.h"

namespace normbench::ptx {
namespace {

/// The start of a fat binary: a magic number, the version, the size of this header, and the number
/// of bytes that follow the header.
struct FatHeader {
  u32 magic;
  u16 version, header_bytes;
  u64 bytes;
};

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

/// A copy of all usable memory, with one piece for each allocation.
class Snapshot {
 public:
  explicit Snapshot(const FakeMemory& memory) {
    for (const auto& [data, block] : memory.blocks())
      if (block.usable) pieces_.push_back({block, {data, data + block.bytes}});
  }
  void restore() const {
    for (const auto& [block, bytes] : pieces_) std::ranges::copy(bytes, block.data);
  }
  /// Returns a description of the first byte that differs from `other`, or "" if no byte differs.
  std::string difference(const Snapshot& other) const {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const auto &mine = pieces_[i].bytes, &its = other.pieces_[i].bytes;
      if (mine.size() == 0 || std::memcmp(mine.data(), its.data(), mine.size()) == 0) continue;
      for (std::size_t at = 0; at < mine.size(); ++at)
        if (mine[at] != its[at] && !is_nan_of_both(mine, its, at))
          return fmt::format("byte {} of {} {} is {:#04x} and not {:#04x}", at,
                             name_of(pieces_[i].block.kind), mine.size(),
                             std::to_integer<int>(mine[at]), std::to_integer<int>(its[at]));
    }
    return "";
  }

 private:
  struct Piece {
    FakeBlock block;
    std::vector<std::byte> bytes;
  };

  template <class Word>
  static bool is_nan_of_both(const std::vector<std::byte>& device,
                             const std::vector<std::byte>& host, std::size_t at, Word nan,
                             std::initializer_list<Word> infinities) {
    at -= at % sizeof(Word);
    if (at + sizeof(Word) > device.size()) return false;
    Word mine, its;
    std::memcpy(&mine, device.data() + at, sizeof(Word));
    std::memcpy(&its, host.data() + at, sizeof(Word));
    const Word size = its & nan;  // without the sign bit
    return mine == nan && std::ranges::any_of(infinities, [&](Word inf) { return size > inf; });
  }
  /// Returns true if byte `at` belongs to a NaN in both memories. The NaN of the device must be the
  /// one that PTX instructions return. The NaN of the host may have any bits.
  static bool is_nan_of_both(const std::vector<std::byte>& device,
                             const std::vector<std::byte>& host, std::size_t at) {
    return is_nan_of_both<u32>(device, host, at, 0x7FFFFFFF, {0x7F800000}) ||
           is_nan_of_both<u16>(device, host, at, 0x7FFF, {0x7C00, 0x7F80});
  }

  std::vector<Piece> pieces_;
};

}  // namespace

std::string_view ptx_of(const void* fat_binary) {
  __fatBinC_Wrapper_t wrapper;
  std::memcpy(&wrapper, fat_binary, sizeof(wrapper));
  FatHeader header;
  std::memcpy(&header, wrapper.data, sizeof(header));
  if (wrapper.magic != FATBINC_MAGIC || header.magic != 0xBA55ED50)
    throw Fault("a fat binary of a form that is not known");
  const std::string_view all(reinterpret_cast<const char*>(wrapper.data),
                             header.header_bytes + header.bytes);
  const std::size_t begin = all.find("\n.version ");
  if (begin == all.npos)
    throw Fault(
        "no PTX in the program: configure with NORMBENCH_CUDA_ARCHITECTURES=90 and compile with "
        "--no-compress");
  return all.substr(begin, all.find('\0', begin) - begin);
}

bool take_barrier_away(Kernel& kernel, int which) {
  for (Op& op : kernel.ops)
    if (op.flow == Flow::Barrier && which-- == 0) {
      op.flow = Flow::Next;
      op.meets = false;
      op.execute = [](const Op&, Warp&, Lanes) {};
      return true;
    }
  return false;
}

const Kernel& PtxLaunches::kernel_of(const FakeLaunch& launch, Fusing fusing) {
  const auto [found, is_new] = kernels_.try_emplace({launch.kernel.name, fusing});
  if (is_new) {
    try {
      found->second = decode(ptx_of(launch.kernel.fat_binary), launch.kernel.name, fusing);
      found->second.name = demangled(launch.kernel.name);
      if (change) change(found->second);
    } catch (const Fault& fault) {
      kernels_.erase(found);
      throw Fault(fmt::format("{}: {}", demangled(launch.kernel.name), fault.what()));
    }
  }
  return found->second;
}

void PtxLaunches::run(const FakeLaunch& launch, Fusing fusing) {
  interpreter_.run(
      kernel_of(launch, fusing),
      {.grid = launch.grid,
       .block = launch.block,
       .shared_bytes = launch.shared_bytes,
       .params = {reinterpret_cast<const std::byte*>(launch.body->data()), launch.host->bytes}});
}

void PtxLaunches::operator()(const FakeLaunch& launch) {
  ++launches[demangled(launch.kernel.name)];
  if (!compares_) return run(launch, Fusing::Yes);
  const Snapshot before(cuda_.memory);
  run_host_body(launch);
  const Snapshot of_host(cuda_.memory);
  before.restore();
  run(launch, Fusing::Yes);
  const Snapshot of_device(cuda_.memory);
  const std::string difference = of_device.difference(of_host);
  if (difference.empty()) return;
  before.restore();
  run(launch, Fusing::No);
  if (!Snapshot(cuda_.memory).difference(of_host).empty())
    throw Fault(fmt::format("{} differs from its host body: {}", demangled(launch.kernel.name),
                            difference));
  of_device.restore();
  ++contractions[demangled(launch.kernel.name)];
}

}  // namespace normbench::ptx
