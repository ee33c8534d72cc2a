#pragma once

#include <string>
#include <vector>

namespace normbench {

/// The files that `said` means under `folder` ("" for the working directory; not used when `said`
/// is absolute), in name order: of a folder its files named .jpg, .jpeg or .png, not those of
/// folders in it; a file itself; of a glob all that it matches. Plain files and links to them only.
/// Throws Invalid when there are none.
std::vector<std::string> find_images(const std::string& folder, const std::string& said);

}  // namespace normbench
