/// What is wrong with a text that is not JSON, in plain words.
#pragma once

#include <string>

namespace normbench {

/// `message` is the library's, `word` ends with the wrong token.
std::string json_mistake(const std::string& message, const std::string& word);

/// True when more text could have made it right.
bool ends_early(const std::string& message);

}  // namespace normbench
