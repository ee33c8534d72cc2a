/// Compresses and decompresses gzip streams, with buffers of fixed size.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <ostream>

namespace normbench {

/// Calls `writer` with a stream, and writes the text of that stream to `out` as one gzip member. If
/// `out` fails, the stream of `writer` gets badbit. If `out` throws, its exception reaches the
/// caller.
void gzip_to(std::ostream& out, const std::function<void(std::ostream&)>& writer);

/// Returns true if the next byte is 0x1F. All gzip data starts with this byte, and JSON cannot.
/// Consumes no input.
bool is_gzip(std::istream& in);

/// Returns a stream with the decompressed text of all gzip members in `in`. `in` must outlive the
/// returned stream. If the data is damaged or cut off, the returned stream gets badbit.
std::unique_ptr<std::istream> gunzip_from(std::istream& in);

}  // namespace normbench
