/// What is wrong with a text where a JSON parser refuses it, found by where that is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace normbench {

/// What is complete before a refused token, and so what may follow it.
enum class JsonPlace { Document, Array, Object, Key };

struct JsonMistake {
  std::size_t offset = 0;  // of the byte at which it is
  std::string what;
};

/// The mistake in `text`, of which a parser has read `read` bytes and refuses the latest token; at
/// the end of the text it has read one more. `place` is the innermost value that is not complete.
JsonMistake json_mistake(std::string_view text, std::size_t read, JsonPlace place);

}  // namespace normbench
