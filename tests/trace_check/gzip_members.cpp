#include "trace_check/gzip_members.h"

#include <zlib.h>

#include <new>
#include <vector>

namespace normbench {

std::optional<int> count_gzip_members(std::string_view data) {
  constexpr int kGzipAlone = 15 + 16;
  z_stream zlib{};
  if (inflateInit2(&zlib, kGzipAlone) != Z_OK) throw std::bad_alloc();
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  zlib.avail_in = static_cast<uInt>(data.size());
  std::vector<Bytef> text(1 << 16);
  int members = 0, result = Z_OK;
  while (result == Z_OK || (result == Z_STREAM_END && zlib.avail_in > 0)) {
    zlib.next_out = text.data();
    zlib.avail_out = static_cast<uInt>(text.size());
    result = inflate(&zlib, Z_NO_FLUSH);
    if (result != Z_STREAM_END) continue;
    ++members;
    inflateReset(&zlib);
  }
  inflateEnd(&zlib);
  return result == Z_STREAM_END ? std::optional(members) : std::nullopt;
}

}  // namespace normbench
