/// What a dataset is to be made of, how and where; what is wrong with that; which files it gives.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ops/images/manifest.h"

namespace normbench {

struct Preparation {
  std::vector<std::string> sources;  // image files in order
  std::string folder;                // the dataset's own
  DatasetForm form;
  std::string root = {};  // of all sources: what follows in the path of one is its name

  /// "a.jpg", "cat/a.jpg": what manifests call the source.
  std::string name_of(const std::string& source) const { return source.substr(root.size()); }
};

/// Everything that is wrong with it but what is in the folder already; empty when nothing is.
std::vector<std::string> mistakes_of(const Preparation& preparation);

/// A file to make of `count` sources from the `first` on.
struct Output {
  std::string name;  // "a.jpg", "cat/a.jpg", "shard-0000-of-0004.npy"
  std::size_t first = 0, count = 1;
};

/// All files, in the order of their images: one for each source, or shards whose sizes differ by at
/// most one. Of a preparation without mistakes.
std::vector<Output> outputs_of(const Preparation& preparation);

/// What differs between a dataset and what is asked for, a text each: "storage was npy, is raw".
/// `were` and `are` name the images.
std::vector<std::string> differences(const DatasetForm& was, const DatasetForm& is,
                                     const std::vector<std::string>& were,
                                     const std::vector<std::string>& are);

}  // namespace normbench
