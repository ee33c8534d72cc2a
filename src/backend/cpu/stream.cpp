/// The CPU's kernels of `stream`, `first_touch` and `launch`. These ops measure limits of the
/// machine.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/cpu/rows.h"
#include "backend/cpu/stream_simd.h"
#include "backend/cpu/team.h"
#include "machine/topology.h"

namespace normbench {
namespace {

// The share of each thread begins at a multiple of this number of output vectors. In common mixes
// of reads and writes, such a share needs a whole number of input vectors.
constexpr std::int64_t kSplit = 64;  // vectors

/// Returns the number of input bytes that `op` reads.
std::int64_t read_bytes(const Stream& op, const View& in) {
  return op.read_parts == 0 ? 0 : in.desc.bytes();
}

/// Reads the whole input. Stores one word of the bitwise XOR of all input vectors, so that the
/// compiler cannot leave out a load.
void read_only(const View& in, const View& out, const Queue& queue) {
  const std::int64_t size = vector_bytes();
  std::atomic<std::uint64_t> sum = 0;
  split(queue, in.desc.bytes() / size, kSplit, [&](std::int64_t begin, std::int64_t end) {
    sum ^= read_vectors(in.data + begin * size, end - begin);
  });
  const std::uint64_t word = sum;
  std::memcpy(out.data, &word, std::min(sizeof(word), static_cast<std::size_t>(out.desc.bytes())));
}

/// Reads and stores whole vectors. The remaining bytes at the end of the output become zeros.
void mix(const Stream& op, const View& in, const View& out, const Queue& queue, StreamForm form) {
  const std::int64_t size = vector_bytes(), bytes = out.desc.bytes();
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(out.data) % static_cast<std::uintptr_t>(size) == 0;
  StreamVectors all{
      .in = in.data, .reads = read_bytes(op, in) / size, .out = out.data, .writes = bytes / size};
  // If `write_parts` is a multiple of `read_parts`, surplus writes are left out, so that every read
  // gets the same number of writes. That is faster.
  if (all.reads > 0 && op.write_parts % op.read_parts == 0)
    all.writes = std::min(all.writes, all.reads * (op.write_parts / op.read_parts));
  split(queue, all.writes, kSplit, [&](std::int64_t begin, std::int64_t end) {
    if (end > begin) stream_vectors(all, begin, end, aligned ? form : StreamForm::Temporal);
  });
  const std::int64_t done = all.writes * size;
  std::memset(out.data + done, 0, static_cast<std::size_t>(bytes - done));
}

bool accepts(const Stream&, const Signature& s) { return s.in[0].is_dense(); }

template <StreamForm Form>
Launch prepare(const Stream& op, const Signature&) {
  return [op](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    if (op.write_parts == 0) return read_only(in[0], out[0], queue);
    mix(op, in[0], out[0], queue, Form);
  };
}

/// Stores the output byte by byte. The bytes are equally spaced bytes of the input, or zeros if
/// `op` reads nothing.
Launch prepare_plain(const Stream& op, const Signature&) {
  return [op](Queue&, std::span<const View> in, std::span<const View> out, View) {
    const std::int64_t reads = read_bytes(op, in[0]), writes = out[0].desc.bytes();
    for (std::int64_t j = 0; j < writes; ++j)
      out[0].data[j] = reads == 0 ? std::byte{0} : in[0].data[j * reads / writes];
  };
}

bool accepts_touch(const FirstTouch&, const Signature&) { return true; }

void touch(std::byte* pages, std::int64_t begin, std::int64_t end) {
  const std::int64_t bytes = page_bytes();
  for (std::int64_t i = begin; i < end; ++i) pages[i * bytes] = std::byte{0};
}

template <bool Team>
Launch prepare_touch(const FirstTouch&, const Signature& s) {
  return [pages = (s.out[0].bytes() + page_bytes() - 1) / page_bytes()](
             Queue& queue, std::span<const View>, std::span<const View> out, View) {
    if (!Team) return touch(out[0].data, 0, pages);
    split(queue, pages, 1,
          [&](std::int64_t begin, std::int64_t end) { touch(out[0].data, begin, end); });
  };
}

bool accepts_launch(const EmptyLaunch&, const Signature&) { return true; }

/// Returns a launch that wakes a team `op.count` times, as kernels do, but gives it no work.
Launch prepare_launch(const EmptyLaunch& op, const Signature&) {
  return [count = op.count](Queue& queue, std::span<const View>, std::span<const View>, View) {
    for (std::int64_t i = 0; i < count; ++i)
      split(queue, queue.threads, 1, [](std::int64_t, std::int64_t) {});
  };
}

}  // namespace

std::span<const Kernel> stream_rows() {
  static const Kernel rows[] = {row<Stream, accepts, prepare_plain>("reference"),
                                row<Stream, accepts, prepare<StreamForm::Temporal>>("temporal"),
                                row<Stream, accepts, prepare<StreamForm::Parts>>("nt"),
                                row<Stream, accepts, prepare<StreamForm::Unfetched>>("nt_bare"),
                                row<Stream, accepts, prepare<StreamForm::InOrder>>("nt_line"),
                                row<Stream, accepts, prepare<StreamForm::Pages>>("nt_page"),
                                row<FirstTouch, accepts_touch, prepare_touch<false>>("reference"),
                                row<FirstTouch, accepts_touch, prepare_touch<true>>("touch")};
  return rows;
}

std::span<const Kernel> launch_rows() {
  static const Kernel rows[] = {row<EmptyLaunch, accepts_launch, prepare_launch>("team")};
  return rows;
}

}  // namespace normbench
