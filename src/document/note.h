/// Notes on cases, which a document keeps as sentences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normbench {

struct Note {
  enum class Kind {
    ImagesOfATurn,   // a turn loads `count` of `of` images
    SmallDataset,    // there are only `count` images for a batch of `of`
    NoReference,     // op `names` has no reference, and no other variant has this output
    Undefined,       // the output of op `names` is undefined
    Rounding,        // no output is checked: rounding may be as large as the values
    RoundingOfSome,  // outputs `names` are not checked: rounding may be as large as the values
    Allowance,       // bounds allow for rounded `names`: a peer holds them in the output's dtype
    SameInput,       // the peer `names` gets the same input in every call
  };

  Kind kind;
  std::vector<std::string> names = {};
  std::int64_t count = 0, of = 0;
};

/// Returns the note as it is written in a document.
std::string sentence(const Note& note);

/// Why a fact is missing in a document: the run did not look for it.
inline constexpr const char* kNotLookedFor = "not looked for";

/// Why a limit of a group is not measured.
enum class NoLimit {
  NothingRuns,   // no variant of the group can run
  NothingTimed,  // the run measures nothing
};

/// Returns the reason as it is written in a document.
std::string sentence(NoLimit why);

}  // namespace normbench
