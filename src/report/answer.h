/// The answer of documents as a table with a row for each case, for programs and pull requests.
#pragma once

#include <span>
#include <string>

#include "analysis/analysed.h"
#include "core/text.h"
#include "report/table_formats.h"

namespace normbench {

/// The most bytes of the Markdown. Comments on pull requests may have 65,536 characters.
constexpr std::size_t most_answer_bytes = 60'000;

/// Returns the cases of all groups.
/// - Text and Markdown have the verdict of each experiment above its table. Markdown begins with
///   an HTML comment that names the documents, by which a program finds its comment again. If it
///   would be too long, tables have only the fastest cases and the baseline, then none, and then
///   whole experiments are left out. What is left out is named or counted.
/// - CSV and JSON have a row for each case: experiment, point, variant, whether it is the baseline
///   and among the fastest, times in ms with their 95 % interval, speed-up over the baseline,
///   the same by the two times, a remark if these contradict it, images per second, share of the
///   limit; status and reason of a case that was not measured. If `names` is not empty, the
///   document's name is in front.
std::string answer_report(std::span<const Analysed> documents, std::span<const std::string> names,
                          TableFormat format, const Screen& screen);

}  // namespace normbench
