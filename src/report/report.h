/// The reports on a results document.
#pragma once

#include "analysis/analysed.h"
#include "core/text.h"
#include "report/table_formats.h"

namespace normbench {

struct Report {
  std::string_view name, about;
  std::string_view file;  // the file in which a run saves the report; "": none
  std::string (*render)(const Analysed&, const Screen&);  // use Screen{} for a file
};

/// Returns the reports: text (which `run` prints), table (all tables), html (a page), and json (the
/// document).
std::span<const Report> reports();
/// Returns the report called `name`. If there is none, throws Invalid with the known names.
const Report& report_named(std::string_view name);

/// Returns the document as in results.json: the measurements and the members derived from them.
Json document(const Analysed& analysed);
/// Returns the text of document(). It makes the JSON of one group at a time, to save memory.
std::string document_json(const Analysed& analysed);

std::string terminal(const Analysed& analysed, const Screen& screen = {});
/// Returns the text for a terminal, with a profiler table of `profile_kind`.
std::string terminal(const Analysed& analysed, TableKind profile_kind, const Screen& screen = {});
std::string table(const Analysed& analysed);

}  // namespace normbench
