/// Compresses and decompresses gzip streams, in buffers of fixed size.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <ostream>

namespace normbench {

/// Calls `writer` with a stream, and writes its text to `out` as one gzip member. If `out` fails,
/// that stream gets badbit, too. If `out` throws, its exception reaches the caller.
void gzip_to(std::ostream& out, const std::function<void(std::ostream&)>& writer);

/// Returns true if the next byte is 0x1F, with which gzip data starts and JSON cannot. Consumes
/// nothing.
bool is_gzip(std::istream& in);

/// Returns a stream with the decompressed text of all gzip members in `in`. `in` must outlive this
/// stream, which gets badbit if the data is damaged or cut off.
std::unique_ptr<std::istream> gunzip_from(std::istream& in);

}  // namespace normbench
