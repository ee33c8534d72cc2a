// The functions that the object files in Debian's libstdc++_pic.a need and do not have.
#include <istream>
#include <limits>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// For systems with a glibc before 2.36. In GCC's libstdc++ only std::random_device calls it.
extern "C" uint32_t arc4random() noexcept {
  uint32_t value;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}

namespace {

/// Extracts `count` characters, or all if `count` is the largest number. Returns how many there were.
template <class Stream>
std::streamsize skip(Stream& stream, std::streamsize count) {
  const typename Stream::sentry ready(stream, true);
  std::streamsize skipped = 0;
  if (!ready) return skipped;
  const bool all = count == std::numeric_limits<std::streamsize>::max();
  try {
    while (all || skipped < count) {
      if (Stream::traits_type::eq_int_type(stream.rdbuf()->sbumpc(), Stream::traits_type::eof())) {
        stream.setstate(std::ios_base::eofbit);
        break;
      }
      skipped++;
    }
  } catch (const std::ios_base::failure&) {
    throw;
  } catch (...) {
    stream.setstate(std::ios_base::badbit);
  }
  return skipped;
}

}  // namespace

template <>
std::istream& std::istream::ignore(std::streamsize count) {
  _M_gcount = 0;
  _M_gcount = skip(*this, count);
  return *this;
}

template <>
std::wistream& std::wistream::ignore(std::streamsize count) {
  _M_gcount = 0;
  _M_gcount = skip(*this, count);
  return *this;
}
