#include "ops/images/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace normbench {

Deflated inflate_up_to(std::size_t most, std::span<const std::uint8_t> bytes,
                       const std::function<void(std::span<const std::uint8_t>)>& take) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> owner(&stream, &inflateEnd);
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<std::uint8_t, 1 << 15> out;
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = out.data();
    stream.avail_out = out.size();
    code = inflate(&stream, Z_NO_FLUSH);
    const std::size_t got = out.size() - stream.avail_out, wanted = std::min(got, most);
    take(std::span(out).first(wanted));
    if (wanted < got) return Deflated::Long;
    most -= got;
  }
  if (code == Z_STREAM_END) return Deflated::Whole;
  return code == Z_BUF_ERROR ? Deflated::Short : Deflated::Damaged;
}

}  // namespace normbench
