/// The published experiments that normbench reproduces, by id.
#pragma once

#include <span>
#include <string_view>

#include "core/enums.h"

namespace normbench {

enum class Publication { Blog, Pix2pix, Torchvision, GroupNorm, Slides };
constexpr auto words(Publication) {
  return std::to_array<Word<Publication>>({{Publication::Blog, "blog"},
                                           {Publication::Pix2pix, "pix2pix"},
                                           {Publication::Torchvision, "torchvision"},
                                           {Publication::GroupNorm, "group-norm"},
                                           {Publication::Slides, "slides"}});
}

/// Where a publication comes from: "post on GPU normalisation, 2024-12".
std::string_view origin_of(Publication publication);

/// What it says, as a paragraph begins: "It normalises …". Its sizes are claims' and figures'.
std::string_view said_by(Publication publication);

struct PublishedExperiment {
  std::string_view id;
  Publication source;
  std::string_view about;
  std::string_view missing = "";  // why no config has it; "": one has
};

/// All published experiments, in order.
std::span<const PublishedExperiment> published_experiments();

}  // namespace normbench
