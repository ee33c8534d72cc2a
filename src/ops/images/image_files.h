/// Which files are images, and which of them decode.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace normbench {

/// The files that `said` means under `folder` ("": the working directory; unused if `said` is
/// absolute), in name order: a folder's own .jpg, .jpeg and .png files; a file itself; all that a
/// glob matches. Plain files and links to them only. Throws Invalid when there are none.
std::vector<std::string> find_images(const std::string& folder, const std::string& said);

/// Which files decode. Each is tried once, however often it is asked for.
class Probe {
 public:
  /// Why `file` cannot be read and decoded, or "" when it can.
  std::string why_broken(const std::string& file);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> reasons_;
};

/// "NAME (why)" of every file whose reason is not "", each file once.
std::vector<std::string> listed(const std::vector<std::string>& files,
                                const std::vector<std::string>& reasons);

/// Throws std::runtime_error ("2 of 5 files cannot be read: a.jpg (empty file), b.png (…)") when a
/// reason is not ""; a repeated file counts once. `hint` follows "read".
void throw_if_broken(const std::vector<std::string>& files, const std::vector<std::string>& reasons,
                     std::string_view hint = {});

}  // namespace normbench
