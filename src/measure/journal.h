/// journal.jsonl: each finished group is on disk before the next starts. Its lines:
///   {"journal": 1, "header": {…}}                                first
///   {"group": 3, "result": {…}}                                  a finished group
///   {"hung": {"group": 4, "contender": "…", "why": "…"}}         a turn that did not end
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "measure/results.h"

namespace normbench {

/// What an interrupted run left behind.
struct JournalContent {
  Json header = Json::object();               // config, options, tool, environment of the run
  std::map<std::size_t, GroupResult> groups;  // finished, by index in the plan
  /// Cases that hung: group index -> names of contenders and why.
  std::map<std::size_t, std::map<std::string, std::string>> hung;
};

class Journal {
 public:
  /// Starts a journal in `path`. Throws CannotWrite, also when the file is there already.
  static Journal create(const std::string& path, const Json& header);
  /// Opens an existing one to go on; a last line cut off by a kill is dropped. Throws Invalid for
  /// what is no journal or is damaged elsewhere.
  static Journal resume(const std::string& path);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// Appends and syncs a line. Throws CannotWrite, and leaves no part of the line behind.
  void add_group(std::size_t index, const GroupResult& group);
  void add_hung(std::size_t index, const std::string& contender, const std::string& why);

  /// What the file holds: what was there before and what this process has added.
  const JournalContent& content() const { return content_; }

 private:
  Journal(std::string path, int file, JournalContent content);
  void append(const Json& line);

  std::string path_;
  int file_;
  JournalContent content_;
};

}  // namespace normbench
