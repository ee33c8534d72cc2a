/// Texts about the files that images are loaded or prepared from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "document/results.h"

namespace normbench {

/// Returns a text like "2 of 12 files left out: a.jpg, b.jpg (empty file)", or "" if no file is
/// left out. `files` is the number of all files, 12 in this example.
std::string left_out_text(std::span<const BrokenFiles> broken, std::int64_t files);
/// Returns a text for each kind of remark, like "3 of 12 images have 16 bits a sample, of which the
/// upper 8 are used: a.png, b.png, c.png". `images` is the number of all images.
std::vector<std::string> remark_texts(std::span<const RemarkedFiles> remarked, std::int64_t images);
/// Returns up to two texts about files in the dataset's folder that are not read. The first is like
/// "4 other pictures there are not read: 3 AVIF, 1 GIF". The second is about files in subfolders.
std::vector<std::string> beside_texts(const Beside& beside);

/// Returns the notes of a case. If the case loads files, the results of the functions above for
/// these files are added.
std::vector<std::string> notes_of(const CaseResult& result);

}  // namespace normbench
