#include "ops/images/ycbcr_image.h"

#include <algorithm>

#include "ops/images/jpeg.h"

namespace normbench {
namespace {

std::uint8_t byte_of(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

/// Converts a picture to three planes of its size.
void convert(const Image& pixels, YcbcrImage& image) {
  const std::int64_t count = pixels.height * pixels.width;
  image.height = pixels.height;
  image.width = pixels.width;
  image.format = PixelFormat::Rgb;
  image.remarks = pixels.remarks;
  image.samples.resize(static_cast<std::size_t>(3 * count));
  for (std::int64_t c = 0; c < 3; ++c)
    image.planes[static_cast<std::size_t>(c)] = {.first = c * count,
                                                 .height = pixels.height,
                                                 .width = pixels.width,
                                                 .stride = pixels.width,
                                                 .rows = pixels.rows,
                                                 .columns = pixels.columns};
  std::uint8_t* const y = image.samples.data();
  for (std::int64_t i = 0; i < count; ++i) {
    const double red = pixels.rgb[3 * i], green = pixels.rgb[3 * i + 1],
                 blue = pixels.rgb[3 * i + 2];
    const double luma = 0.299 * red + 0.587 * green + 0.114 * blue;
    y[i] = byte_of(luma);
    y[count + i] = byte_of((blue - luma) / 1.772 + 128);
    y[2 * count + i] = byte_of((red - luma) / 1.402 + 128);
  }
}

}  // namespace

View view_of(YcbcrImage& image, std::int64_t channel) {
  const SamplePlane& plane = image.planes[static_cast<std::size_t>(channel)];
  TensorDesc desc =
      dense(DType::UInt8, Layout::Nchw, {1, 1, plane.height, plane.width}, Memory::Pageable);
  desc.strides.h = plane.stride;
  return {reinterpret_cast<std::byte*>(image.samples.data()) + plane.first, desc};
}

void decode_planes(std::span<const std::uint8_t> bytes, YcbcrImage& image, DecodeMemory& memory,
                   Image& pixels, const LeastSize& least) {
  if (is_jpeg(bytes) && decode_jpeg_planes(bytes, image, memory, least)) return;
  decode_image(bytes, pixels, memory, least);
  convert(pixels, image);
}

}  // namespace normbench
