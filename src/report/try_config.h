/// The config that `normbench try` makes of its options.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/enums.h"
#include "core/json.h"

namespace normbench {

struct TryConfig {
  std::string question;                // shown in the report
  std::string images;                  // the path of photographs to load; "": random images
  Json batches = Json::array({32});    // numbers of images; several are swept
  std::int64_t height = 224, width = 224;
  std::vector<DType> dtypes = {};      // of the images in memory; empty: uint8. Not with `images`
  std::vector<Layout> layouts = {};    // of the images in memory; empty: the default of the op
  std::vector<DType> out_dtypes = {};  // of the normalised values; empty: float32
  // Layouts of the normalised values. Empty: as the images in memory, or nchw for photographs.
  std::vector<Layout> out_layouts = {};
  Json threads = {};                   // numbers of threads, or ["all"]; null: the default
  double seconds = 4;                  // of rounds for each group
  bool gpu = false;                    // also compares normalising on the CPU and on the GPU
  // The stages of each variant, by its name; empty: the usual forms of normalising.
  std::vector<std::pair<std::string, Json>> variants = {};
};

/// Returns what the usual variants leave out of what was asked for: a sentence for each. Empty if
/// the variants are given.
std::vector<std::string> left_out_of(const TryConfig& wanted);

/// Returns the config. Several values of an option become an axis of `vary`, so that each is a case
/// of its own. Outputs may differ in dtype and layout.
Json try_config(const TryConfig& wanted);

/// Reads variants from words: names of ops, `OP:FIELD=VALUE,…` or JSON objects; "vs" is between two
/// variants. A VALUE that is not JSON is a string. Adds mistakes to `mistakes`.
std::vector<std::pair<std::string, Json>> variants_of(const std::vector<std::string>& words,
                                                      std::vector<std::string>& mistakes);

}  // namespace normbench
