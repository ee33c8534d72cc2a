/// Explains why a JSON parser refuses a text, given where it stopped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace normbench {

/// The position of a token that the parser refused: outside of containers, in an array, in an
/// object, or between a key and its value.
enum class JsonPlace { Document, Array, Object, Key };

struct JsonMistake {
  std::size_t offset = 0;  // index of the wrong byte
  std::string what;
};

/// Returns the mistake in `text`, which a parser refused. `read` is the number of bytes that the
/// parser had read: the refused token ends there. `place` is where that token is. If the parser
/// failed at the end of the text, `read` is the length plus one.
JsonMistake json_mistake(std::string_view text, std::size_t read, JsonPlace place);

}  // namespace normbench
