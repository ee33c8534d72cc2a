#include "app/documents.h"

#include <algorithm>
#include <filesystem>

#include "core/json.h"
#include "document/read_document.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

constexpr const char* kResults = "results.json";

bool has(const fs::path& folder, const char* file) {
  std::error_code unknown;
  return fs::exists(folder / file, unknown);
}

bool is_unfinished(const fs::path& folder) {
  return !has(folder, kResults) && has(folder, "journal.jsonl");
}

BadInput unfinished(const fs::path& folder) {
  return {folder.string(),
          {{"", "an unfinished run (finish it: normbench run --resume " +
                    shell_word(folder.string()) + ")"}}};
}

/// A results document that stands alone, whatever its name is.
bool is_loose(const fs::path& file) {
  std::error_code unknown;
  if (file.extension() != ".json" || !fs::is_regular_file(file, unknown)) return false;
  try {
    return is_results(read_text(file.string()));
  } catch (const Invalid&) {
    return false;
  }
}

/// The runs in a folder of several, and loose documents, by name; one that was not finished is a
/// mistake.
std::vector<std::string> runs_in(const fs::path& folder, std::vector<BadInput>& mistakes) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (has(entry.path(), kResults)) files.push_back((entry.path() / kResults).string());
    if (is_loose(entry.path())) files.push_back(entry.path().string());
    if (is_unfinished(entry.path())) mistakes.push_back(unfinished(entry.path()));
  }
  if (error) mistakes.push_back({folder.string(), {{"", error.message()}}});
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
      documents.push_back(read_document(file, read_text(file)));
    } catch (const BadInput& bad) {
      mistakes.push_back(bad);
    } catch (const Invalid& invalid) {
      mistakes.push_back({file, {{"", invalid.what()}}});
    }
  }
  return documents;
}

}  // namespace normbench
