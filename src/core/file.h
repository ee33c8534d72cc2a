/// Files that are either written whole or not at all.
#pragma once

#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

namespace normbench {

/// An output could not be written: "cannot write out/results.json: No space left on device".
struct CannotWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Replaces `path` by `content`: written beside it, synced and renamed, so that a crash leaves the
/// old file or the new one. Throws CannotWrite; nothing but the old file is left then.
void write_file(const std::string& path, std::string_view content);

/// The same for what `writer` puts on the stream, without holding all of it in memory.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& writer);

}  // namespace normbench
