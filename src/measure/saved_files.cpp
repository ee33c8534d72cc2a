#include "measure/saved_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

namespace normbench {

void SavedFiles::remove() const {
  for (std::int64_t image = 0; image < images_; ++image)
    std::remove(saved_file(op_, start_, image).c_str());
}

std::string SavedFiles::why_wrong(const View& images) const {
  for (std::int64_t i = 0; i < images_; ++i) {
    View image{.data = images.data + i * images.desc.strides.n, .desc = images.desc};
    image.desc.shape.n = 1;
    const std::string path = saved_file(op_, start_, i);
    if (const std::string why = why_not_saved(op_, path, image); !why.empty())
      return fmt::format("wrong file {}: {}", std::filesystem::path(path).filename().string(), why);
  }
  return "";
}

}  // namespace normbench
