#include "app/output.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "core/file.h"
#include "core/issue.h"
#include "report/report.h"

namespace normbench {
namespace fs = std::filesystem;

std::string make_output_dir(const std::string& dir, const std::string& name) {
  const std::string chosen = dir.empty()
                                 ? fmt::format("results/{}-{:%Y%m%dT%H%M%SZ}", name,
                                               fmt::gmtime(std::chrono::system_clock::now()))
                                 : dir;
  for (const char* file : {"journal.jsonl", "results.json"})
    if (fs::exists(fs::path(chosen) / file))
      throw Invalid(
          fmt::format("{} already holds a run (another --out, or --resume {})", chosen, chosen));
  std::error_code error;
  fs::create_directories(chosen, error);
  if (error || !fs::is_directory(chosen))
    throw CannotWrite(fmt::format("cannot create {}: {}", chosen,
                                  error ? error.message() : "something else has that name"));
  return chosen;
}

std::vector<std::string> write_outputs(const std::string& dir, const Results& results,
                                       const Trace& trace) {
  std::vector<std::string> written;
  const auto write = [&](const std::string& name, const std::string& content) {
    write_file((fs::path(dir) / name).string(), content);
    written.push_back(name);
  };
  for (const Report& report : reports())
    if (!report.file.empty()) write(std::string(report.file), report.render(results));
  if (!trace.lanes.empty()) {
    write_file((fs::path(dir) / "trace.json").string(),
               [&](std::ostream& out) { write_chrome(trace, out); });
    written.push_back("trace.json");
  }
  return written;
}

}  // namespace normbench
