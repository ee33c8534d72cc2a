/// The report that `normbench report --table answer` prints: the verdicts of results documents, and
/// a table with a row for each case (a variant at one point of a sweep).
#pragma once

#include <span>
#include <string>

#include "analysis/analysed.h"
#include "core/text.h"
#include "report/table_formats.h"

namespace normbench {

/// The maximum size of the Markdown in bytes. A comment on a pull request has room for 65,536
/// characters.
constexpr std::size_t most_answer_bytes = 60'000;

/// Returns the answer of all `documents` in `format`.
/// - Markdown has the verdict of each experiment above its table, and text has it below.
/// - Markdown begins with an HTML comment that names the documents. A program that posts answers
///   finds its earlier post by this comment. If the text would be too long, tables are reduced to
///   the fastest cases and the baseline. If that is not enough, tables are left out, then
///   experiments. The text tells what is left out.
/// - CSV and JSON have a row for each case: experiment, point, variant, whether it is the baseline,
///   whether it is among the fastest, status and reason, time in ms with its 95 % interval,
///   speed-up over the baseline with its interval, speed-up computed from the two median times, a
///   remark if the two speed-ups contradict each other, images per second, and the share of the
///   machine's limit that the case reaches. If `names` is not empty, each row begins with the name
///   of its document.
std::string answer_report(std::span<const Analysed> documents, std::span<const std::string> names,
                          TableFormat format, const Screen& screen);

}  // namespace normbench
