#include "app/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/json.h"
#include "core/system_error.h"
#include "core/units.h"
#include "document/read_document.h"
#include "machine/process_limits.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

constexpr const char* kResults = "results.json";

/// Returns true if `folder` has a regular file of this name. Other kinds of files do not count,
/// because normbench writes only regular files.
bool has(const fs::path& folder, const char* file) {
  std::error_code unknown;
  return fs::is_regular_file(folder / file, unknown);
}

bool is_unfinished(const fs::path& folder) {
  return !has(folder, kResults) && has(folder, "journal.jsonl");
}

BadInput unfinished(const fs::path& folder) {
  return {folder.string(),
          {{"", "an unfinished run (finish it: normbench run --resume " +
                    shell_word(folder.string()) + ")"}}};
}

/// Returns the text of a document. Throws Invalid if it cannot be read, or if free memory is too
/// small for it.
std::string document_text(const std::string& file) {
  // Measured: for each byte of the document, an HTML report takes 10 bytes of memory, a text report
  // 4.
  constexpr double memory_of_a_byte = 10;
  const auto free = static_cast<double>(free_memory(std::nullopt, "/").bytes.host);
  const double most = std::max(static_cast<double>(most_bytes_by_hand), free / memory_of_a_byte);
  std::error_code unknown;
  const auto size = fs::is_regular_file(file, unknown) ? fs::file_size(file, unknown) : 0;
  const auto bytes = unknown ? 0.0 : static_cast<double>(size);
  if (free > 0 && bytes > most)
    throw Invalid(fmt::format("is {}: to read it takes about {} of memory, and {} are free",
                              format_bytes(bytes), format_bytes(bytes * memory_of_a_byte),
                              format_bytes(free)));
  // A pipe has no size to check, so read_text() checks the same limit while it reads.
  return read_text(
      file, free > 0 ? static_cast<std::int64_t>(most) : std::numeric_limits<std::int64_t>::max());
}

/// Returns true for a .json file that is a results document, whatever its name is.
bool is_loose(const fs::path& file) {
  std::error_code unknown;
  if (file.extension() != ".json" || !fs::is_regular_file(file, unknown)) return false;
  try {
    std::string beginning(4096, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(beginning.data(), std::ssize(beginning));
    beginning.resize(static_cast<std::size_t>(in.gcount()));
    return begins_as_results(beginning) || is_results(read_text(file.string()));
  } catch (const Invalid&) {
    return false;
  }
}

/// Returns the documents of the runs in `folder`, and the loose documents there (see is_loose()),
/// sorted by name. Adds each unfinished run to `mistakes`.
std::vector<std::string> runs_in(const fs::path& folder, std::vector<BadInput>& mistakes) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (has(entry.path(), kResults)) files.push_back((entry.path() / kResults).string());
    if (is_loose(entry.path())) files.push_back(entry.path().string());
    if (is_unfinished(entry.path())) mistakes.push_back(unfinished(entry.path()));
  }
  if (error) mistakes.push_back({folder.string(), {{"", system_error_text(error)}}});
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<std::string> document_files(const std::string& path, std::vector<BadInput>& mistakes) {
  std::error_code unknown;
  if (!fs::is_directory(path, unknown)) return {path};
  if (has(path, kResults)) return {(fs::path(path) / kResults).string()};
  const std::size_t before = mistakes.size();
  if (is_unfinished(path)) {
    mistakes.push_back(unfinished(path));
    return {};
  }
  const std::vector<std::string> files = runs_in(path, mistakes);
  if (files.empty() && mistakes.size() == before)
    mistakes.push_back(
        {path,
         {{"",
           "no results.json in this folder, nor in those inside it (expected a results.json, a "
           "run's folder, or a folder of runs)"}}});
  return files;
}

std::vector<Results> read_documents(std::span<const std::string> files,
                                    std::vector<BadInput>& mistakes) {
  std::vector<Results> documents;
  for (const std::string& file : files) {
    try {
      documents.push_back(read_document(file, document_text(file)));
    } catch (const BadInput& bad) {
      mistakes.push_back(bad);
    } catch (const Invalid& invalid) {
      mistakes.push_back({file, {{"", invalid.what()}}});
    }
  }
  return documents;
}

}  // namespace normbench
