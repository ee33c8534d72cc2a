#include "report/chrome/gzip.h"

#include <zlib.h>

#include <array>
#include <stdexcept>
#include <streambuf>

namespace normbench {
namespace {

constexpr int kGzipWindow = 15 + 16;  // 15: the largest window of zlib; 16: in gzip format
constexpr std::size_t kPiece = 1 << 16;

/// A buffer that compresses the text written to it, and writes the result to another stream.
class Packing final : public std::streambuf {
 public:
  explicit Packing(std::ostream& out) : out_(out) {
    if (deflateInit2(&zlib_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::runtime_error("zlib: no memory to pack with");
    setp(text_.data(), text_.data() + text_.size());
  }
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;
  ~Packing() override { deflateEnd(&zlib_); }

  /// Compresses the remaining text and writes the trailer.
  void finish() { pack(Z_FINISH); }

 protected:
  int_type overflow(int_type c) override {
    pack(Z_NO_FLUSH);
    if (!out_) return traits_type::eof();
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : sputc(traits_type::to_char_type(c));
  }

 private:
  void pack(int flush) {
    zlib_.next_in = reinterpret_cast<Bytef*>(pbase());
    zlib_.avail_in = static_cast<uInt>(pptr() - pbase());
    do {
      zlib_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      zlib_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&zlib_, flush);
      out_.write(packed_.data(), static_cast<std::streamsize>(packed_.size() - zlib_.avail_out));
    } while (zlib_.avail_out == 0);
    setp(text_.data(), text_.data() + text_.size());
  }

  std::ostream& out_;
  z_stream zlib_{};
  std::array<char, kPiece> text_{}, packed_{};
};

/// A buffer that decompresses the gzip members of another stream, one after another.
class Unpacking final : public std::streambuf {
 public:
  explicit Unpacking(std::istream& in) : in_(in) {
    if (inflateInit2(&zlib_, kGzipWindow) != Z_OK)
      throw std::runtime_error("zlib: no memory to unpack with");
  }
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;
  ~Unpacking() override { inflateEnd(&zlib_); }

  /// Sets the stream that gets badbit if the data is damaged, even if the caller reads this buffer
  /// directly and not through the stream.
  void belong_to(std::istream& stream) { owner_ = &stream; }

 protected:
  int_type underflow() override {
    while (!damaged_ && (held_back_ || fill())) {
      zlib_.next_out = reinterpret_cast<Bytef*>(text_.data());
      zlib_.avail_out = static_cast<uInt>(text_.size());
      const int result = inflate(&zlib_, Z_NO_FLUSH);
      held_back_ = zlib_.avail_out == 0 && result != Z_STREAM_END;
      if (result == Z_STREAM_END)
        end_member();
      else if (result != Z_OK && result != Z_BUF_ERROR)
        damage();
      const std::size_t size = text_.size() - zlib_.avail_out;
      setg(text_.data(), text_.data(), text_.data() + size);
      if (size > 0) return traits_type::to_int_type(*gptr());
    }
    return traits_type::eof();
  }

 private:
  /// If no data is left to decompress, reads more from `in_`. Returns true if there is data then.
  /// If `in_` ends inside a member or contains no member, marks the data as damaged.
  bool fill() {
    if (zlib_.avail_in > 0) return true;
    in_.read(packed_.data(), static_cast<std::streamsize>(packed_.size()));
    zlib_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    zlib_.avail_in = static_cast<uInt>(in_.gcount());
    if (zlib_.avail_in > 0) {
      in_member_ = true;
      return true;
    }
    if (in_member_ || !had_member_) damage();
    return false;
  }

  void end_member() {
    had_member_ = true;
    in_member_ = zlib_.avail_in > 0;
    inflateReset(&zlib_);
  }

  void damage() {
    damaged_ = true;
    if (owner_ != nullptr) owner_->setstate(std::ios::badbit);
  }

  std::istream& in_;
  std::istream* owner_ = nullptr;
  z_stream zlib_{};
  std::array<char, kPiece> text_{}, packed_{};
  bool in_member_ = false, had_member_ = false, damaged_ = false;
  bool held_back_ = false;  // true: `text_` was full, so zlib may have more text
};

/// A stream that reads from an `Unpacking` buffer of its own.
class UnpackingStream final : public std::istream {
 public:
  explicit UnpackingStream(std::istream& in) : std::istream(nullptr), buffer_(in) {
    rdbuf(&buffer_);
    buffer_.belong_to(*this);
  }

 private:
  Unpacking buffer_;
};

}  // namespace

void gzip_to(std::ostream& out, const std::function<void(std::ostream&)>& writer) {
  Packing packing(out);
  std::ostream text(&packing);
  text.exceptions(out.exceptions());  // so that an exception of `out` reaches the caller
  writer(text);
  packing.finish();
}

bool is_gzip(std::istream& in) { return in.peek() == 0x1F; }

std::unique_ptr<std::istream> gunzip_from(std::istream& in) {
  return std::make_unique<UnpackingStream>(in);
}

}  // namespace normbench
