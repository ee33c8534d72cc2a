/// What a document says of a case beside its numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normbench {

struct Note {
  enum class Kind {
    ImagesOfATurn,   // `count` images of `of` that there are
    SmallDataset,    // `count` images for a batch of `of`
    NoReference,     // of the op `names`, and no other variant gave the same
    Undefined,       // what the op `names` writes
    Rounding,        // no output is checked: rounding may be as large as the values
    RoundingOfSome,  // … the outputs `names` are not
    Allowance,       // what a peer holds in the dtype of the output: `names`
    SameInput,       // the peer `names` is given the same in every call
  };

  Kind kind;
  std::vector<std::string> names = {};
  std::int64_t count = 0, of = 0;
};

/// The note as it stands in a document.
std::string sentence(const Note& note);

/// Why something is missing that a run did not look for.
inline constexpr const char* kNotLookedFor = "not looked for";

/// Why a limit of a group is not measured.
enum class NoLimit {
  NothingRuns,   // no variant of the group does
  NothingTimed,  // the run measures nothing
};

/// The reason as it stands in a document.
std::string sentence(NoLimit why);

}  // namespace normbench
