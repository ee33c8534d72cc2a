#include "app/own_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>

#include "core/file.h"
#include "core/issue.h"
#include "core/system_error.h"
#include "report/chrome/gzip.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

/// Returns true if both paths refer to the same file, even if one of them is a link or the paths
/// are spelled differently. The file need not exist.
bool are_same(const std::string& one, const std::string& other) {
  std::error_code unknown, unresolved_one, unresolved_other;
  if (fs::equivalent(one, other, unknown)) return true;
  const fs::path first = fs::weakly_canonical(one, unresolved_one);
  const fs::path second = fs::weakly_canonical(other, unresolved_other);
  return !unresolved_one && !unresolved_other && first == second;
}

/// Returns up to 64 KiB from the beginning of a stream; "" if it cannot be read.
std::string beginning_of(std::istream& in) {
  std::string text(1 << 16, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(in.bad() ? 0 : static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

std::string why_not_over(const std::string& path, Written kind) {
  std::error_code unknown;
  if (!fs::exists(fs::symlink_status(path, unknown))) return "";
  if (const std::string obstacle = obstacle_at(path); !obstacle.empty()) return obstacle;
  std::ifstream in(path, std::ios::binary);
  if (!in) return fmt::format("is there and cannot be read: {}", system_error_text(errno));
  if (fs::file_size(path, unknown) == 0) return "";
  const std::optional<Written> there =
      written_as(is_gzip(in) ? beginning_of(*gunzip_from(in)) : beginning_of(in));
  if (!there) return "is there, and normbench did not write it";
  if (there == kind) return "";
  return there == Written::Derived ? "is there, and holds something else that normbench wrote"
                                   : "is there, and holds measurements";
}

void check_output(const std::string& option, const std::string& path,
                  std::span<const std::string> inputs, Written kind) {
  if (path.empty()) return;
  const auto refuse = [&](std::string_view why) {
    throw Invalid(fmt::format("{} {}: {}", option, shell_word(path), why));
  };
  if (std::ranges::any_of(inputs, [&](const std::string& in) { return are_same(path, in); }))
    refuse("is one of the inputs (name another file)");
  std::error_code unknown;
  const std::string obstacle = obstacle_at(path);
  if (fs::is_symlink(fs::symlink_status(path, unknown))) refuse(obstacle);
  if (!obstacle.empty()) throw CannotWrite(fmt::format("cannot write {}: {}", path, obstacle));
  if (const std::string why = why_not_over(path, kind); !why.empty())
    refuse(why + " (remove it, or name another file)");
}

}  // namespace normbench
