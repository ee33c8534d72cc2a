/// A preparation: the images, the form and the folder of a dataset to make.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ops/images/manifest.h"

namespace normbench {

struct Preparation {
  std::vector<std::string> sources;  // image files, in order
  std::string folder;                // folder of the dataset
  DatasetForm form;
  std::string root = {};  // common start of the source paths; the rest is the name of a source

  /// Returns the source's name in manifests, like "a.jpg" or "cat/a.jpg".
  std::string name_of(const std::string& source) const { return source.substr(root.size()); }
};

/// Returns all mistakes of the preparation; empty if there are none. Does not read its folder.
std::vector<std::string> mistakes_of(const Preparation& preparation);

/// A file to make from `count` sources, beginning with source `first`.
struct Output {
  std::string name;  // "a.jpg", "cat/a.jpg", "shard-0000-of-0004.npy"
  std::size_t first = 0, count = 1;
};

/// Returns all files of the dataset, in the order of their images: one for each source, or shards
/// whose numbers of images differ by at most one. The preparation must have no mistakes.
std::vector<Output> outputs_of(const Preparation& preparation);

/// Returns the differences between an existing dataset and the requested one. `was` and `were` are
/// the form and the image names of the existing one, `is` and `are` those of the requested one.
/// Each difference is a text like "storage was npy, is raw".
std::vector<std::string> differences(const DatasetForm& was, const DatasetForm& is,
                                     const std::vector<std::string>& were,
                                     const std::vector<std::string>& are);

}  // namespace normbench
