/// Packs and unpacks streams of gzip data, in memory that does not grow with them.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <ostream>

namespace normbench {

/// Writes what `writer` puts on its stream to `out`, as one gzip member. If `out` fails, the stream
/// of `writer` fails, too: both get badbit, or the exception of `out` is passed on unchanged.
void gzip_to(std::ostream& out, const std::function<void(std::ostream&)>& writer);

/// Returns true if the stream starts as gzip data does, which JSON never does. Takes nothing from
/// the stream.
bool is_gzip(std::istream& in);

/// Returns a stream with the text of all gzip members in `in`, which must outlive it. The stream
/// gets badbit if the data is damaged or cut off.
std::unique_ptr<std::istream> gunzip_from(std::istream& in);

}  // namespace normbench
