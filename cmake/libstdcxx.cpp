// The functions that the object files in Debian's libstdc++_pic.a need and do not have.
#include <cxxabi.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#include <istream>
#include <limits>

// For systems with a glibc before 2.36. In GCC's libstdc++ only std::random_device calls it.
extern "C" uint32_t arc4random() noexcept {
  uint32_t value;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}

namespace {

/// Extracts `count` characters, or all if `count` is the largest number. Counts them in `skipped`.
template <class Stream>
void skip(Stream& stream, std::streamsize count, std::streamsize& skipped) {
  skipped = 0;
  const typename Stream::sentry ready(stream, true);
  if (!ready) return;
  const bool all = count == std::numeric_limits<std::streamsize>::max();
  bool has_ended = false, is_bad = false;
  try {
    while (!has_ended && (all || skipped < count)) {
      has_ended =
          Stream::traits_type::eq_int_type(stream.rdbuf()->sbumpc(), Stream::traits_type::eof());
      if (!has_ended) skipped++;
    }
  } catch (const abi::__forced_unwind&) {  // the thread is being cancelled
    throw;
  } catch (...) {
    is_bad = true;
  }
  if (has_ended) stream.setstate(std::ios_base::eofbit);
  if (is_bad) stream.setstate(std::ios_base::badbit);
}

}  // namespace

template <>
std::istream& std::istream::ignore(std::streamsize count) {
  skip(*this, count, _M_gcount);
  return *this;
}

template <>
std::wistream& std::wistream::ignore(std::streamsize count) {
  skip(*this, count, _M_gcount);
  return *this;
}
