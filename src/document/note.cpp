#include "document/note.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.h"

namespace normbench {

std::string sentence(const Note& note) {
  constexpr std::string_view rounding = "rounding alone may be as large as the values";
  const std::string names = fmt::format("{}", fmt::join(note.names, ", "));
  switch (note.kind) {
    case Note::Kind::ImagesOfATurn:
      return fmt::format("a turn loads {} of {} images", note.count, note.of);
    case Note::Kind::ImagesOfTurns:
      return fmt::format("all turns load {} of {} images", note.count, note.of);
    case Note::Kind::FewerIterations:
      return fmt::format(
          "a turn is {} of {} iterations long, to keep max_seconds_per_group: single files weigh "
          "more, and so does the start of a pipeline; intervals are wider",
          note.count, note.of);
    case Note::Kind::ChecksInTime:
      return "max_seconds_per_group leaves no time to check whole outputs";
    case Note::Kind::DecodedSmaller:
      return fmt::format(
          "{} decodes {} of {} files at a smaller size{}", note.names.at(0), note.count, note.of,
          note.count == 0 ? ", so it does not differ here from the kernel that never does" : "");
    case Note::Kind::SmallDataset:
      return fmt::format(
          "only {} images for a batch of {}: some images are loaded more than once, from a cache",
          note.count, note.of);
    case Note::Kind::NoReference:
      return fmt::format(
          "not checked: {} has no reference, and no other variant has the same output", names);
    case Note::Kind::Undefined:
      return fmt::format("not checked: what {} writes is undefined", names);
    case Note::Kind::PartOfAnEpoch:
      return fmt::format(
          "{}: a turn takes {} of the {} batches of an epoch, so the start of the loader, which "
          "your loop has once an epoch, weighs {} times as much (a longer time limit mends that)",
          names, note.count, note.of,
          format_significant(static_cast<double>(note.of) / static_cast<double>(note.count), 2));
    case Note::Kind::OwnCode:
      return fmt::format("not checked: {} {} your own code", names,
                         note.names.size() == 1 ? "is" : "are");
    case Note::Kind::Rounding:
      return fmt::format("not checked: {}", rounding);
    case Note::Kind::RoundingOfSome:
      return fmt::format("outputs not checked: {} ({})", names, rounding);
    case Note::Kind::Allowance:
      return fmt::format("bounds allow for {} that the peer keeps in the dtype of the output",
                         names);
    case Note::Kind::SameInput:
      return fmt::format(
          "{} is given the same input in every call: a result that it only remembered would pass",
          names);
  }
  return "";
}

std::string sentence(NoLimit why) {
  switch (why) {
    case NoLimit::NothingRuns:
      return "no variant of the group could run";
    case NoLimit::NothingTimed:
      return "nothing is measured";
    case NoLimit::Slower:
      return "other streams of the same bytes were faster when it was tried, and there was no "
             "time for all of them";
  }
  return "";
}

}  // namespace normbench
