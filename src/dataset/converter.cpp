#include "dataset/converter.h"

#include "backend/cpu/rows.h"

namespace normbench {
namespace {

View view_of(Image& image) {
  return {reinterpret_cast<std::byte*>(image.rgb.data()),
          dense(DType::UInt8, Layout::Nhwc, {1, 3, image.height, image.width}, Memory::Pageable)};
}

void resize(const View& from, const View& to, Queue& queue) {
  const Resize op{.height = to.desc.shape.h, .width = to.desc.shape.w};
  prepare_separable(op, {.in = {from.desc}, .out = {to.desc}})(queue, {&from, 1}, {&to, 1}, {});
}

}  // namespace

Converter::Converter(const DatasetForm& form, std::unique_ptr<Queue> queue)
    : form_(form), queue_(std::move(queue)) {
  save_.format = form.storage;
  save_.quality = form.quality.value_or(save_.quality);
}

FileContent Converter::convert(std::span<const std::uint8_t> file) {
  decode_image(file, decoded_);
  View image = view_of(decoded_);
  if (form_.height && (decoded_.height != *form_.height || decoded_.width != *form_.width)) {
    set_size(resized_, *form_.height, *form_.width);
    image = view_of(resized_);
    resize(view_of(decoded_), image, *queue_);
  }
  return saved_content(save_, image, encoded_);
}

}  // namespace normbench
