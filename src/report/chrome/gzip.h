/// Streams of gzip data, in memory that does not grow with them.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <ostream>

namespace normbench {

/// Writes what `writer` puts on its stream to `out`, as one gzip member. When `out` fails, so
/// does writer's stream; then both have badbit, or the exception of `out` comes through
/// unchanged.
void gzip_to(std::ostream& out, const std::function<void(std::ostream&)>& writer);

/// True when the stream starts as gzip data and not as JSON does; takes nothing from it.
bool is_gzip(std::istream& in);

/// The text of all gzip members in `in`, which must outlive it. Badbit for data that is damaged or
/// cut off.
std::unique_ptr<std::istream> gunzip_from(std::istream& in);

}  // namespace normbench
