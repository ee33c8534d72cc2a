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
/// parser had read, up to the end of the refused token; if the parser failed at the end of the
/// text, `read` is the length of the text plus one. `place` is the position of the refused token.
JsonMistake json_mistake(std::string_view text, std::size_t read, JsonPlace place);

}  // namespace normbench
