/// The published experiments that configs of normbench reproduce, read from the file
/// "publications/experiments.json" in the folder of the configs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normbench {

struct Publication {
  std::string name;
  std::string origin;  // where it was published: "post on GPU normalisation, 2024-12"
  // What it reports, as the start of a paragraph: "It normalises ...".
  std::string says;
  bool operator==(const Publication&) const = default;
};

struct PublishedExperiment {
  std::string id;
  Publication source;
  std::string about;
  std::string missing = {};  // why no config reproduces it; "" if one does
};

/// Returns the path of the file with the published experiments. `folder` is the folder of the
/// configs.
std::string publications_file(const std::string& folder);

/// Reads all published experiments in `text`, the content of `file`. Throws BadInput with all
/// mistakes.
std::vector<PublishedExperiment> read_publications(const std::string& file, std::string_view text);
/// Reads all published experiments from a file. Throws BadInput with all mistakes, or if the file
/// cannot be read.
std::vector<PublishedExperiment> read_publications(const std::string& file);

/// Returns the publications of the experiments, each once, in order of first appearance.
std::vector<Publication> publications_of(const std::vector<PublishedExperiment>& experiments);

}  // namespace normbench
