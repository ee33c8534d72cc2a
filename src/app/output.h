/// The folder that a run writes to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/journal.h"
#include "document/results.h"
#include "trace/model.h"

namespace normbench {

/// Creates `dir` for a new run; when it is empty, "results/NAME-20261120T235400Z". Throws Invalid
/// when it already holds a run, CannotWrite when it cannot be created.
std::string make_output_dir(const std::string& dir, const std::string& name);

/// Where the files of a run went.
struct Written {
  std::vector<std::string> names;    // in its folder
  std::vector<std::string> errors;   // why others are not: "cannot write out/table.txt: …"
  std::string other;                 // the folder that took some of these, or ""
  std::vector<std::string> rescued;  // their names
};

/// How the trace's file is written.
struct TraceFile {
  bool gzip = false;             // trace.json.gz
  std::int64_t max_events = -1;  // see ChromeOptions
};

/// Writes results.json, table.txt and, when the finished `trace` has lanes, trace.json or
/// trace.json.gz. What cannot be written to `dir` goes to a new folder beside it or in $TMPDIR,
/// with `unkept` (null: none), the journal that could not be written to `dir`.
Written write_outputs(const std::string& dir, const Results& results, const TraceModel& trace,
                      const TraceFile& file, const Journal* unkept);

}  // namespace normbench
