#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"

namespace normbench {
namespace {

bool accepts_saving(const Save&, const Signature& s) { return s.in[0].is_dense(); }

/// Returns a launch that writes each image of the batch to a file. A thread that has finished an
/// image takes the next one.
Launch prepare_saving(const Save& op, const Signature& s) {
  // The encoding buffers, one for each thread, are kept between calls.
  using Memory = std::vector<std::uint8_t>;
  const auto memories = std::make_shared<std::vector<Memory>>();
  return [op, memories, images = s.in[0].shape.n](Queue& queue, std::span<const View> in,
                                                  std::span<const View>, View) {
    if (queue.files.empty())
      throw std::runtime_error("there is no folder to save files in: only a run has one");
    const std::int64_t threads = std::min<std::int64_t>(queue.threads, images);
    memories->resize(static_cast<std::size_t>(threads));
    std::atomic<std::int64_t> next{0};
    std::atomic<std::size_t> next_memory{0};
    const auto save_some = [&](std::int64_t, std::int64_t) {
      Memory& memory = (*memories)[next_memory++];
      View image = in[0];
      image.desc.shape.n = 1;
      for (std::int64_t i = next++; i < images; i = next++) {
        image.data = in[0].data + i * in[0].desc.strides.n;
        save_image(op, op.saved_file(queue.files, i), image, memory);
      }
    };
    split(queue, threads, 1, save_some);
  };
}

}  // namespace

std::span<const Kernel> save_rows() {
  static const Kernel rows[] = {row<Save, accepts_saving, prepare_saving>("files")};
  return rows;
}

}  // namespace normbench
