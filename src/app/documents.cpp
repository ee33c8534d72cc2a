#include "app/documents.h"

#include <algorithm>
#include <filesystem>

#include "core/json.h"
#include "document/read_document.h"

namespace normbench {
namespace fs = std::filesystem;

namespace {

constexpr const char* kResults = "results.json";

/// The runs in a folder of several, by name; one that was not finished is a mistake.
std::vector<std::string> runs_in(const fs::path& folder, std::vector<BadInput>& mistakes) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / kResults))
      files.push_back((entry.path() / kResults).string());
    else if (fs::exists(entry.path() / "journal.jsonl"))
      mistakes.emplace_back(
          entry.path().string(),
          std::vector<Issue>{
              {"", "a run that was not finished (normbench run --resume DIR does)"}});
  }
  if (error) mistakes.emplace_back(folder.string(), std::vector<Issue>{{"", error.message()}});
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> files_of(const fs::path& path, std::vector<BadInput>& mistakes) {
  if (!fs::is_directory(path)) return {path.string()};
  if (fs::exists(path / kResults)) return {(path / kResults).string()};
  const std::size_t before = mistakes.size();
  const std::vector<std::string> files = runs_in(path, mistakes);
  if (files.empty() && mistakes.size() == before)
    mistakes.emplace_back(
        path.string(),
        std::vector<Issue>{{"",
                            "no results.json in this folder, nor in those inside it (expected "
                            "a run's folder, or a folder of runs)"}});
  return files;
}

}  // namespace

std::vector<Results> read_documents(const std::string& path, std::vector<BadInput>& mistakes) {
  std::vector<Results> documents;
  for (const std::string& file : files_of(path, mistakes)) {
    try {
      documents.push_back(read_compared(file, read_text(file)));
    } catch (const BadInput& bad) {
      mistakes.push_back(bad);
    } catch (const Invalid& invalid) {
      mistakes.emplace_back(file, std::vector<Issue>{{"", invalid.what()}});
    }
  }
  return documents;
}

}  // namespace normbench
