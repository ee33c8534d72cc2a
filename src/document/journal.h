/// The file journal.jsonl of a run. A group is all variants at one point of the sweep. Each
/// finished group is written to the journal before the next group starts. The lines of the file:
///   {"journal": 1, "header": {…}}                                first line
///   {"group": 3, "result": {…}}                                  a finished group
///   {"group": 3, "part": 0, "result": {…}}                       rounds that one process measured
///   {"group": 3, "seconds": 1.5, "result": {…}}                  all rounds so far of a group
///   {"hung": {"group": 4, "contender": "…", "why": "…"}}         a turn that did not end
///   {"despite": ["the CPU: was …, is …"]}                        changes seen at a resume
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/line_file.h"
#include "document/results.h"

namespace normbench {

/// All rounds so far of a group that is not finished.
struct BegunGroup {
  GroupResult result;
  double seconds = 0;  // from the first to the last round, without pauses between processes
  bool operator==(const BegunGroup&) const = default;
};

/// The content of a journal.
struct JournalContent {
  Json header = Json::object();               // config, options, tool, environment of the run
  std::map<std::size_t, GroupResult> groups;  // finished groups, by index in the plan
  /// For groups that several processes measure: the part of each process, in order. Key: index in
  /// the plan.
  std::map<std::size_t, std::vector<GroupResult>> parts = {};
  std::map<std::size_t, BegunGroup> begun = {};  // unfinished groups without parts, by index
  /// Contenders that hung, by index of the group and name of the contender, with the reason.
  std::map<std::size_t, std::map<std::string, std::string>> hung;
  std::vector<std::string> despite = {};  // changes of machine or program seen at a resume
  bool operator==(const JournalContent&) const = default;
};

/// The journal of a run, which one process at a time can open.
class Journal {
 public:
  /// Returns true if `path` is a journal with a complete first line. A run without that line has
  /// measured nothing.
  static bool begun(const std::string& path);
  /// Creates the file `path` with its first line. Replaces a journal without a complete first line.
  /// Throws CannotWrite if `path` is any other file or if writing fails; no new file is left then.
  static Journal create(const std::string& path, const Json& header);
  /// Opens a journal to resume its run. If a kill cut off the last line, the next added line
  /// overwrites it. Throws Invalid if the file is no journal, has other damage, has a newer version
  /// or is open in another process. Throws CannotWrite if it cannot be written.
  static Journal resume(const std::string& path);

  /// Adds a finished group. Each of the add functions appends one line and syncs it. If that fails,
  /// or if the path no longer names the open file, the function appends nothing and throws
  /// CannotWrite. Even then content() includes what was added, so that copy_to() can write it
  /// elsewhere.
  void add_group(std::size_t index, const GroupResult& group);
  /// Adds the part of a group that one process measured. Other processes measure the other parts.
  void add_part(std::size_t index, const GroupResult& part);
  /// Adds all rounds so far of a group that is being measured. They replace the rounds that earlier
  /// calls have added for this group.
  void add_begun(std::size_t index, const BegunGroup& group);
  void add_hung(std::size_t index, const std::string& contender, const std::string& why);
  /// Adds the texts of `differences` that the journal does not have yet.
  void add_despite(const std::vector<std::string>& differences);

  /// Writes the content to a new journal at `path`. Throws CannotWrite.
  void copy_to(const std::string& path) const;

  /// Returns the content of the file, and what this process has added.
  const JournalContent& content() const { return content_; }

 private:
  explicit Journal(LineFile lines);
  void append(const Json& line);

  LineFile lines_;
  JournalContent content_;
};

}  // namespace normbench
