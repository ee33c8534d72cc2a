/// The published experiments that normbench reproduces, by id: a file beside the configs has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normbench {

struct Publication {
  std::string name;
  std::string origin;  // where it comes from: "post on GPU normalisation, 2024-12"
  std::string says;    // as a paragraph begins: "It normalises …"; sizes are claims' and figures'
  bool operator==(const Publication&) const = default;
};

inline const std::string& name_of(const Publication& publication) { return publication.name; }
inline const std::string& origin_of(const Publication& publication) { return publication.origin; }
inline const std::string& said_by(const Publication& publication) { return publication.says; }

struct PublishedExperiment {
  std::string id;
  Publication source;
  std::string about;
  std::string missing = {};  // why no config has it; "": one has
};

/// Where the published experiments stand, in a folder of configs.
std::string publications_file(const std::string& folder);

/// All experiments in a file's text, in order. Throws BadInput with all mistakes.
std::vector<PublishedExperiment> read_publications(const std::string& file, std::string_view text);
/// Reads them from a file. Throws BadInput, also where it cannot be read.
std::vector<PublishedExperiment> read_publications(const std::string& file);

/// The publications of the experiments, each once, in order.
std::vector<Publication> publications_of(const std::vector<PublishedExperiment>& experiments);

}  // namespace normbench
