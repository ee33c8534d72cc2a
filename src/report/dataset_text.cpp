#include "report/dataset_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.h"

namespace normbench {
namespace {

std::string said_of(Remark remark, bool one) {
  switch (remark) {
    case Remark::HighBytes:
      return fmt::format("{} 16 bits a sample, of which the upper 8 are used",
                         one ? "has" : "have");
    case Remark::Repaired:
      return one ? "is damaged or unusual, with all its pixels there"
                 : "are damaged or unusual, with all their pixels there";
    case Remark::Converted:
      return one ? "does not have the pixel format that is asked for and is converted"
                 : "do not have the pixel format that is asked for and are converted";
  }
  return "";
}

}  // namespace

std::string left_out_text(std::span<const BrokenFiles> broken, std::int64_t files) {
  if (broken.empty()) return "";
  return fmt::format("{} of {} files left out: {}", format_count(count_of(broken)),
                     format_count(files), fmt::join(broken_texts(broken), "; "));
}

std::vector<std::string> remark_texts(std::span<const RemarkedFiles> remarked,
                                      std::int64_t images) {
  std::vector<std::string> texts;
  for (const auto& [remark, count, names] : remarked)
    texts.push_back(fmt::format("{} of {} {}: {}", format_count(count), counted(images, "image"),
                                said_of(remark, count == 1), listed_few(names, count)));
  return texts;
}

std::vector<std::string> beside_texts(const Beside& beside) {
  std::vector<std::string> texts;
  if (!beside.others.empty())
    texts.push_back(fmt::format("{} there {} not read: {}", counted_others(beside.others),
                                count_of(beside.others) == 1 ? "is" : "are",
                                kinds_text(beside.others)));
  if (beside.in_folders > 0)
    texts.push_back(fmt::format(
        "{} in folders there {} not taken, only those beside the folders (a glob takes others: "
        "'*/*.jpg')",
        beside.in_folders == 1 ? "1 file" : format_count(beside.in_folders) + " files",
        beside.in_folders == 1 ? "is" : "are"));
  return texts;
}

std::vector<std::string> notes_of(const CaseResult& result) {
  std::vector<std::string> notes = result.notes;
  if (!result.dataset) return notes;
  const DatasetResult& dataset = *result.dataset;
  std::vector<std::string> more = beside_texts(dataset.beside);
  more.push_back(left_out_text(dataset.left_out, dataset.files + count_of(dataset.left_out)));
  std::ranges::copy(remark_texts(dataset.remarks, dataset.images), std::back_inserter(more));
  std::erase(more, "");
  notes.insert(notes.end(), more.begin(), more.end());
  return notes;
}

}  // namespace normbench
