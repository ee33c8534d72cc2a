/// Streams of gzip data, in memory that does not grow with them.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <ostream>

namespace normbench {

/// What `writer` puts on its stream arrives in `out` as one gzip member. When `out` fails, so does
/// writer's stream; both have badbit then, or the exception of `out` comes through as it was
/// thrown.
void gzip_to(std::ostream& out, const std::function<void(std::ostream&)>& writer);

/// True when the stream starts as gzip data does and JSON does not; takes nothing from it.
bool is_gzip(std::istream& in);

/// The text of all gzip members in `in`, which must outlive it. Badbit for data that is damaged or
/// cut off.
std::unique_ptr<std::istream> gunzip_from(std::istream& in);

}  // namespace normbench
