#include "dataset/converter.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/rows.h"

namespace normbench {
Converter::Converter(const DatasetForm& form, std::unique_ptr<Queue> queue)
    : form_(form), queue_(std::move(queue)) {
  save_.format = form.storage;
  save_.quality = form.quality.value_or(save_.quality);
}

FileContent Converter::convert(std::span<const std::uint8_t> file) {
  image_ = form_.format == PixelFormat::Rgb ? decode_pixels(file) : decode_to_planes(file);
  stored_ = saved_content(save_, image_, encoded_);
  return stored_;
}

View Converter::decode_pixels(std::span<const std::uint8_t> file) {
  decode_image(file, decoded_);
  remarks_ = decoded_.remarks;
  const View decoded = view_of(decoded_);
  if (!form_.height || (decoded_.height == *form_.height && decoded_.width == *form_.width))
    return decoded;
  set_size(resized_, *form_.height, *form_.width);
  const View image = view_of(resized_);
  resize_part(decoded, decoded_.rows, decoded_.columns, image, *queue_);
  return image;
}

View Converter::decode_to_planes(std::span<const std::uint8_t> file) {
  Load load;
  load.height = form_.height.value();
  load.width = form_.width.value();
  load.layout = Layout::Nchw;
  load.format = form_.format;
  decode_planes(file, planes_, memory_, decoded_);
  remarks_ = planes_.remarks;
  if (planes_.format != form_.format) remarks_.push_back(Remark::Converted);
  const TensorDesc desc = load.image();
  fitted_.resize(static_cast<std::size_t>(desc.bytes()));
  const View image{fitted_.data(), desc};
  fit_planes(load, planes_, image, *queue_);
  return image;
}

double Converter::psnr_db() {
  if (form_.storage != SaveFormat::Jpeg) return 0;
  constexpr double peak = 255, most = 100;  // `most` is returned for equal images
  decode_image(stored_.rest, again_);
  double squares = 0;
  for (std::size_t i = 0; i < again_.rgb.size(); ++i) {
    const double difference = again_.rgb[i] - std::to_integer<int>(image_.data[i]);
    squares += difference * difference;
  }
  const double mean = squares / static_cast<double>(again_.rgb.size());
  return mean > 0 ? std::min(most, 10 * std::log10(peak * peak / mean)) : most;
}

}  // namespace normbench
