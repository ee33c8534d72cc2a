/// Sentences on files that images are loaded or prepared from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// "2 of 12 files left out: a.jpg, b.jpg (empty file)"; "" where none is.
std::string left_out_text(std::span<const BrokenFiles> broken, std::int64_t files);
/// "3 images have 16 bits a sample, of which the upper 8 are used: a.png, b.png, c.png".
std::vector<std::string> remark_texts(std::span<const RemarkedFiles> remarked);
/// "4 other pictures there are not read: 3 AVIF, 1 GIF", and pictures in folders.
std::vector<std::string> beside_texts(const Beside& beside);

/// The notes of a case, with those on its dataset.
std::vector<std::string> notes_of(const CaseResult& result);

}  // namespace normbench
