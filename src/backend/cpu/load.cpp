#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>

#include "backend/cpu/move_simd.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/team.h"
#include "ops/images/image.h"

namespace normbench {
namespace {

/// What an image passes through; kept between calls, as a data loader keeps its buffers.
struct Workspace {
  std::vector<std::uint8_t> file;
  Image decoded, window, fitted;
};

/// Workspaces for as many threads as work at the same time.
class Workspaces {
 public:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    auto workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

View view_of(Image& image) {
  return {reinterpret_cast<std::byte*>(image.rgb.data()),
          dense(DType::UInt8, Layout::Nhwc, {1, 3, image.height, image.width}, Memory::Pageable)};
}

View sized(Image& image, std::int64_t height, std::int64_t width) {
  set_size(image, height, width);
  return view_of(image);
}

View image_of(const View& batch, std::int64_t index) {
  View view{batch.data + index * batch.desc.strides.n, batch.desc};
  view.desc.shape.n = 1;
  return view;
}

/// Copies an interleaved image to one of either layout.
void copy_pixels(const View& from, const View& to) {
  const Strides &f = from.desc.strides, &t = to.desc.strides;
  gather({.from = {from.data, {f.w, f.c}},
          .to = {to.data, {t.w, t.c}},
          .channels = 3,
          .pixels = to.desc.shape.w,
          .rows = to.desc.shape.h,
          .stride = f.h},
         1);
}

void resize(const View& from, const View& to, Queue& queue) {
  const Resize op{.height = to.desc.shape.h, .width = to.desc.shape.w};
  prepare_separable(op, {.in = {from.desc}, .out = {to.desc}})(queue, {&from, 1}, {&to, 1}, {});
}

/// Brings the decoded image to the size and layout of `out`.
void fit(const Load& op, Workspace& space, Queue& queue, const View& out) {
  const Window part = op.window(space.decoded.height, space.decoded.width);
  View from = crop_view(view_of(space.decoded), *part.top, *part.left, part.height, part.width);
  if (part.height == op.height && part.width == op.width) return copy_pixels(from, out);
  if (!from.desc.is_dense()) {
    const View window = sized(space.window, part.height, part.width);
    copy_pixels(from, window);
    from = window;
  }
  if (out.desc.layout == Layout::Nhwc) return resize(from, out, queue);
  const View fitted = sized(space.fitted, op.height, op.width);
  resize(from, fitted, queue);
  copy_pixels(fitted, out);
}

/// Loads one file; returns why it cannot be read, or "".
std::string load_one(const Load& op, const std::string& file, Workspace& space, Queue& queue,
                     const View& out) try {
  {
    const Range range(queue.recorder, RangeKind::Part, "read");
    read_file(file, space.file);
  }
  {
    const auto bytes = static_cast<std::int64_t>(space.file.size());
    const Range range(queue.recorder, RangeKind::Part, "decode", bytes);
    decode_image(space.file, space.decoded);
  }
  const Range range(queue.recorder, RangeKind::Part, "resize", out.desc.bytes());
  fit(op, space, queue, out);
  return "";
} catch (const std::exception& error) {
  return error.what();
}

bool accepts(const Load&, const Signature& s) { return s.out[0].is_dense(); }

/// Threads take the next image when they are done with one: photographs differ in size.
Launch prepare(const Load& op, const Signature&) {
  const auto workspaces = std::make_shared<Workspaces>();
  return [op, walk = op.walk(), workspaces](Queue& queue, std::span<const View>,
                                            std::span<const View> out, View) {
    const std::vector<std::string> files = walk.files_of(queue.item);
    std::vector<std::string> reasons(files.size());
    std::atomic<std::size_t> next{0};
    const auto load_some = [&](std::int64_t, std::int64_t) {
      auto space = workspaces->take();
      for (std::size_t i = next++; i < files.size(); i = next++)
        reasons[i] =
            load_one(op, files[i], *space, queue, image_of(out[0], static_cast<std::int64_t>(i)));
      workspaces->give_back(std::move(space));
    };
    if (files.size() == 1)
      load_some(0, 1);  // its resize has the team
    else
      split(queue, std::min<std::int64_t>(queue.threads, std::ssize(files)), 1, load_some);
    throw_if_broken(files, reasons);
  };
}

}  // namespace

std::span<const Kernel> load_rows() {
  static const Kernel rows[] = {reference_row(Load::name), row<Load, accepts, prepare>("decode")};
  return rows;
}

}  // namespace normbench
