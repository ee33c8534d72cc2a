/// What images become a dataset, how and where; mistakes in that; the files that it will have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ops/images/manifest.h"

namespace normbench {

struct Preparation {
  std::vector<std::string> sources;  // image files in order
  std::string folder;                // where the dataset goes
  DatasetForm form;
  std::string root = {};  // the start of all sources; what follows it is a source's name

  /// The source's name in manifests: "a.jpg", "cat/a.jpg".
  std::string name_of(const std::string& source) const { return source.substr(root.size()); }
};

/// All mistakes in it, without looking into its folder; empty when there are none.
std::vector<std::string> mistakes_of(const Preparation& preparation);

/// A file to make from `count` sources, from source `first` on.
struct Output {
  std::string name;  // "a.jpg", "cat/a.jpg", "shard-0000-of-0004.npy"
  std::size_t first = 0, count = 1;
};

/// All files, in the order of their images: one for each source, or shards whose sizes differ by at
/// most one. The preparation must be free of mistakes.
std::vector<Output> outputs_of(const Preparation& preparation);

/// How a dataset differs from what is asked for, a text for each difference: "storage was npy, is
/// raw". `were` and `are` are the names of the images.
std::vector<std::string> differences(const DatasetForm& was, const DatasetForm& is,
                                     const std::vector<std::string>& were,
                                     const std::vector<std::string>& are);

}  // namespace normbench
