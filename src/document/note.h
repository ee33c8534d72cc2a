/// Notes on the results of cases. A document has the sentence of each note.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace normbench {

struct Note {
  enum class Kind {
    ImagesOfATurn,    // a turn loads only `count` of the dataset's `of` images
    ImagesOfTurns,    // all turns load only `count` of the dataset's `of` images
    FewerIterations,  // a turn has `count` instead of `of` iterations, because of the time limit
    ChecksInTime,     // the time limit left no time to check whole outputs
    DecodedSmaller,   // the kernel `names` decodes `count` of `of` files at a smaller size
    SmallDataset,     // a batch of `of` images has only `count` different ones
    NoReference,      // no reference for op `names`, and no other variant has the same output
    Undefined,        // the output of op `names` is undefined
    PartOfAnEpoch,    // a turn takes `count` of the `of` batches of the user's own loader
    OwnCode,          // op `names` is the user's own code, whose output is compared with nothing
    Rounding,         // no output is checked: rounding errors may be as large as the values
    RoundingOfSome,   // as Rounding, but only for the outputs `names`
    Allowance,  // a peer rounds `names` to the dtype of the output, and the bounds allow for it
    SameInput,  // the peer `names` gets the same input in every call
  };

  Kind kind;
  std::vector<std::string> names = {};
  std::int64_t count = 0, of = 0;
};

/// Returns the note as it is written in a document.
std::string sentence(const Note& note);

/// The reason that a document gives if a fact is missing because the run did not look for it.
inline constexpr const char* kNotLookedFor = "not looked for";

/// Why limits of the machine were not measured for a group.
enum class NoLimit {
  NothingRuns,   // no variant of the group can run
  NothingTimed,  // the run checks or profiles the cases, but times none
  Slower,        // other memory streams were faster when tried; there was no time for all
};

/// Returns the reason as it is written in a document.
std::string sentence(NoLimit why);

}  // namespace normbench
