#include "report/first_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "report/words.h"

namespace normbench {
namespace {

std::string quoted(const std::string& text) { return Json(text).dump(); }

/// Returns a path as JSON. A "$" at its beginning is doubled, because a string that begins with a
/// single "$" is the name of a sweep axis.
std::string path_text(const std::string& path) {
  return quoted(path.starts_with('$') ? "$" + path : path);
}

bool is_half(const FirstConfig& wanted) { return wanted.dtype != DType::Float32; }

/// Returns a comma and the JSON text of a stage that casts float32 to the wanted dtype. Returns ""
/// if float32 is wanted. `more` has further members of the stage, like `, "output": "fresh"`.
std::string cast_after(const FirstConfig& wanted, std::string_view more) {
  return is_half(wanted)
             ? fmt::format(R"(, {{"op": "cast", "to": "{}"{}}})", name_of(wanted.dtype), more)
             : "";
}

std::string head(const FirstConfig& wanted) {
  return fmt::format(R"({{
  "$schema": "./normbench.schema.json",  // editors complete and check this file by it
  "schema": 1,
  "name": {},  // results go to results/NAME-TIME

  // Every group of variants is measured until its ratios are known this well, or for so long.
  "measure": {{"precision": 0.02, "max_seconds_per_group": 15}},

  "defaults": {{
    // What stages get that do not say it themselves: here ImageNet's mean and std, for values from 0 to 255.
    "normalize": {{"mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375], "dtype": "{}"}}
  }},

  "experiments": [)",
                     quoted(wanted.name), name_of(wanted.dtype));
}

std::string loader(const FirstConfig& wanted) {
  const auto& [path, count] = *wanted.images;
  const std::int64_t batch = std::min(wanted.batch, count);
  return fmt::format(R"(
    {{
      "name": "loader",
      "question": "From photographs to a normalised batch: what takes the time?",
      // {} there can be read; a batch takes {} of them. Others are left out, which is said. A path is as seen
      // from this file's folder.
      "load": {{"path": {}, "batch": {}, "size": [{}, {}], "on_error": "skip"}},
      "threads": "all",  // or a number: that of one worker of your loader
      // The baseline is what most training code does. The first variant is it, unless "baseline" names another.
      "variants": {{
        "decode, then cast, sub, div": [
          {{"op": "layout", "to": "nchw", "output": "fresh"}},
          {{"op": "cast", "to": "float32", "output": "fresh"}},
          {{"op": "sub", "output": "fresh"}},
          {{"op": "div", "output": "fresh"}}{}
        ],
        "decode, then one fused pass": [{{"op": "normalize", "layout": "nchw"}}],
        // JPEGs at least twice as large as needed are decoded at a fraction of their size: not the same pixels,
        // but checked to be close (28 dB at least).
        "decode small, then one fused pass": [
          {{"op": "load", "path": {}, "batch": {}, "size": [{}, {}], "on_error": "skip", "kernel": "scaled"}},
          {{"op": "normalize", "layout": "nchw"}}
        ]
      }}
    }},)",
                     counted(count, "file"), batch, path_text(path), batch, wanted.height,
                     wanted.width, cast_after(wanted, R"(, "output": "fresh")"), path_text(path),
                     batch, wanted.height, wanted.width);
}

std::string form(const FirstConfig& wanted) {
  return fmt::format(R"(
    {{
      "name": "form",
      "question": "How should a uint8 batch become normalised {0} on this CPU?",
      // To see how the answer depends on the batch, give it an axis:
      //   "sweep": {{"batch": [1, {1}]}}, and "batch": "$batch" below.
      "source": {{"dtype": "uint8", "batch": {1}, "size": [{2}, {3}]}},
      "variants": {{
        // As (x - mean) / std in PyTorch: each step writes a new tensor.
        "cast, sub, div": [
          {{"op": "cast", "to": "float32", "output": "fresh"}},
          {{"op": "sub", "output": "fresh"}},
          {{"op": "div", "output": "fresh"}}{4}
        ],
        // The same steps into tensors that are kept.
        "cast, sub, div, outputs reused": [{{"op": "cast", "to": "float32"}}, "sub", "div"{5}],
        // One pass over the data.
        "fused": ["normalize"]
      }}
    }})",
                     name_of(wanted.dtype), wanted.batch, wanted.height, wanted.width,
                     cast_after(wanted, R"(, "output": "fresh")"), cast_after(wanted, ""));
}

std::string place(const FirstConfig& wanted) {
  return fmt::format(R"(,
    {{
      "name": "place",
      "question": "Normalise on the CPU, or send uint8 and normalise on the GPU?",
      // "pageable" is what malloc gives; "pinned" (page-locked) memory is what the GPU's copy engine reads at full speed.
      "source": {{"dtype": "uint8", "batch": {1}, "size": [{2}, {3}], "memory": "pinned"}},
      "variants": {{
        "CPU normalize, send {0}": [{{"op": "normalize", "memory": "pinned"}}, "h2d"],
        "send uint8, GPU cast, sub, div": ["h2d", {{"op": "cast", "to": "float32"}}, "sub", "div"{4}],
        "send uint8, GPU fused": ["h2d", "normalize"]
      }}
    }})",
                     name_of(wanted.dtype), wanted.batch, wanted.height, wanted.width,
                     cast_after(wanted, ""));
}

}  // namespace

std::string first_config(const FirstConfig& wanted) {
  std::string text = head(wanted);
  if (wanted.images) text += loader(wanted);
  text += form(wanted);
  if (wanted.gpu) text += place(wanted);
  return text + "\n  ]\n}\n";
}

}  // namespace normbench
