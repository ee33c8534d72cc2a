/// The file journal.jsonl of a run. Each finished group is written to it before the next one
/// starts. Its lines:
///   {"journal": 1, "header": {…}}                                first line
///   {"group": 3, "result": {…}}                                  a finished group
///   {"group": 3, "part": 0, "result": {…}}                       one process's rounds of a group
///   {"hung": {"group": 4, "contender": "…", "why": "…"}}         a turn that did not end
///   {"despite": ["the CPU: was …, is …"]}                        the run was resumed despite it
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/line_file.h"
#include "document/results.h"

namespace normbench {

/// The content of the journal of an interrupted run.
struct JournalContent {
  Json header = Json::object();               // config, options, tool and environment of the run
  std::map<std::size_t, GroupResult> groups;  // finished groups, by index in the plan
  /// For groups measured by several processes: what each process has measured, in order.
  std::map<std::size_t, std::vector<GroupResult>> parts = {};
  /// Cases that hung: group index -> name of the contender -> why.
  std::map<std::size_t, std::map<std::string, std::string>> hung;
  std::vector<std::string> despite = {};  // differences with which the run was resumed
  bool operator==(const JournalContent&) const = default;
};

/// The journal of a run. Only one process at a time can open it.
class Journal {
 public:
  /// Returns true if `path` is a journal with a complete first line, so that a run had begun.
  static bool begun(const std::string& path);
  /// Creates the file `path` with the first line. Replaces a journal whose first line is not
  /// complete. Throws CannotWrite if `path` is any other file, or if writing fails. No new file is
  /// left then.
  static Journal create(const std::string& path, const Json& header);
  /// Opens a journal to resume its run. The file does not change until the next line is added. That
  /// line overwrites a last line cut off by a kill. Throws Invalid if the file is no journal, is
  /// damaged elsewhere, has a newer version or is open in another process. Throws CannotWrite if it
  /// cannot be written.
  static Journal resume(const std::string& path);

  /// Adds a finished group. Each add function appends a line and syncs it. If that fails or the
  /// file was replaced, it appends nothing and throws CannotWrite.
  void add_group(std::size_t index, const GroupResult& group);
  /// Adds the next part of a group that is not finished.
  void add_part(std::size_t index, const GroupResult& part);
  void add_hung(std::size_t index, const std::string& contender, const std::string& why);
  /// Adds the differences that are not in the journal yet.
  void add_despite(const std::vector<std::string>& differences);

  /// Writes the whole content to a new journal in `path`. Throws CannotWrite.
  void copy_to(const std::string& path) const;

  /// Returns the content of the file, including what this process has added.
  const JournalContent& content() const { return content_; }

 private:
  explicit Journal(LineFile lines);
  void append(const Json& line);

  LineFile lines_;
  JournalContent content_;
};

}  // namespace normbench
