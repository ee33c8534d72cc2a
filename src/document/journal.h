/// journal.jsonl: each finished group is on disk before the next starts. Its lines:
///   {"journal": 1, "header": {…}}                                first
///   {"group": 3, "result": {…}}                                  a finished group
///   {"group": 3, "part": 0, "result": {…}}                       what one of several processes
///   measured
///   {"hung": {"group": 4, "contender": "…", "why": "…"}}         a turn that did not end
///   {"despite": ["the CPU: was …, is …"]}                        gone on with, although it
///   differed
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/line_file.h"
#include "document/results.h"

namespace normbench {

/// What an interrupted run left behind.
struct JournalContent {
  Json header = Json::object();               // config, options, tool, environment of the run
  std::map<std::size_t, GroupResult> groups;  // the finished ones, by index in the plan
  /// For groups that several processes measure: what each process has measured, in order.
  std::map<std::size_t, std::vector<GroupResult>> parts = {};
  /// Cases that hung: group index -> names of contenders and why.
  std::map<std::size_t, std::map<std::string, std::string>> hung;
  std::vector<std::string> despite = {};  // differences in spite of which it was gone on with
  bool operator==(const JournalContent&) const = default;
};

/// The journal of a run. Only one process at a time has it open.
class Journal {
 public:
  /// True if `path` holds a journal with its first line: a run had begun.
  static bool begun(const std::string& path);
  /// Starts a journal in `path`, also over one that had not begun. Throws CannotWrite, also when
  /// there is a journal already; then it leaves nothing new behind.
  static Journal create(const std::string& path, const Json& header);
  /// Opens a journal to go on. Changes nothing before the next line, which overwrites a last line
  /// cut off by a kill. Throws Invalid for what is no journal, is damaged elsewhere, has a newer
  /// version or is open in another process; CannotWrite where it cannot be written.
  static Journal resume(const std::string& path);

  /// Appends and syncs a line, or nothing. Throws CannotWrite, also if the file was replaced.
  void add_group(std::size_t index, const GroupResult& group);
  /// Adds the next part of a group that is not finished.
  void add_part(std::size_t index, const GroupResult& part);
  void add_hung(std::size_t index, const std::string& contender, const std::string& why);
  /// Adds the differences that are not in the journal yet.
  void add_despite(const std::vector<std::string>& differences);

  /// Writes all its content to a new journal in `path`. Throws CannotWrite.
  void copy_to(const std::string& path) const;

  /// The content of the file: what was there before, and what this process has added.
  const JournalContent& content() const { return content_; }

 private:
  explicit Journal(LineFile lines);
  void append(const Json& line);

  LineFile lines_;
  JournalContent content_;
};

}  // namespace normbench
