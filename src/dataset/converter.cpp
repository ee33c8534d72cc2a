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
  decode_image(file, decoded_);
  View image = view_of(decoded_);
  if (form_.height && (decoded_.height != *form_.height || decoded_.width != *form_.width)) {
    set_size(resized_, *form_.height, *form_.width);
    const View decoded = image;
    image = view_of(resized_);
    resize_part(decoded, decoded_.rows, decoded_.columns, image, *queue_);
  }
  image_ = image;
  stored_ = saved_content(save_, image, encoded_);
  return stored_;
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
