/// The config that `normbench try` makes from its options.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enums.h"
#include "core/json.h"

namespace normbench {

struct TryConfig {
  std::string question;              // shown in the report
  std::string images;                // the path of photographs to load; "": random images
  Json batches = Json::array({32});  // numbers of images; several become a sweep
  std::int64_t height = 224, width = 224;
  std::vector<DType> dtypes = {};      // dtypes of images in memory; empty: uint8; unused with
                                       // `images`
  std::vector<Layout> layouts = {};    // layouts of the images in memory; empty: the op's default
  std::vector<DType> out_dtypes = {};  // dtypes of the normalised values; empty: float32
  // Layouts of the normalised values. Empty: the layout of the images in memory, or nchw for
  // photographs.
  std::vector<Layout> out_layouts = {};
  Json threads = {};              // numbers of threads, or "all" among them; null: the default
  std::optional<double> seconds;  // for a group's rounds; nothing: chosen by the number of points
  bool gpu = false;               // also compares normalising on the CPU and on the GPU
  // The stages of each variant, by its name; empty: the usual forms of normalising.
  std::vector<std::pair<std::string, Json>> variants = {};
};

/// Returns true if one of `stages`, as a config has them, has the op `op`.
bool runs(const Json& stages, std::string_view op);

/// Returns a sentence if the variant "step by step" is left out, or if it uses only the first of
/// several requested values. Returns no sentence if `wanted.variants` is not empty, because the
/// config then has only these variants.
std::vector<std::string> left_out_of(const TryConfig& wanted);

/// Returns the config. Several numbers of images become an axis of `sweep`. Several values of any
/// other option become an axis of `vary`, so that the values are measured against each other. The
/// config allows outputs to differ in dtype and layout.
Json try_config(const TryConfig& wanted);

/// Reads variants from words of the command line. A word is the name of an op,
/// `OP:FIELD=VALUE,...`, a JSON object, or "vs" between two variants. A VALUE that is not JSON is a
/// string. Mistakes are added to `mistakes`.
std::vector<std::pair<std::string, Json>> variants_of(const std::vector<std::string>& words,
                                                      std::vector<std::string>& mistakes);

}  // namespace normbench
