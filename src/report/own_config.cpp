#include "report/own_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "analysis/own_code.h"
#include "core/json.h"
#include "core/units.h"
#include "document/batch_shape.h"

namespace normbench {
namespace {

std::string quoted(const std::string& text) { return Json(text).dump(); }

/// Returns the words of the command `wanted.words`, followed by `more`, as a JSON list.
std::string command(const OwnConfig& wanted, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words;
  for (const auto* list : {&wanted.words, &more})
    for (const std::string& word : *list) words.push_back(quoted(word));
  return fmt::format("[{}]", fmt::join(words, ", "));
}

/// Returns the members of a stage that say what the images of a batch are, like `"channels": 3,
/// "size": [224, 224], "dtype": "uint8", "layout": "nchw"`. If the array does not have four axes,
/// all axes but the first become one row of values: `"channels": 1, "size": [1, N]`. A dtype or
/// layout that has no name in configs is left out.
std::string image_members(const GivenResult& given, std::int64_t batch) {
  constexpr std::int64_t most_channels = 4;  // red, green, blue and alpha
  const std::vector<std::int64_t> shape = batch_shape(given);
  const std::string dtype = parse_word<DType>(given.dtype)
                                ? fmt::format(R"(, "dtype": "{}")", given.dtype)
                                : std::string();
  if (shape.size() != 4)
    return fmt::format(R"("channels": 1, "size": [1, {}]{})",
                       std::max<std::int64_t>(1, given.elements() / batch), dtype);
  const bool is_pixels = shape[1] > most_channels && shape[3] <= most_channels;
  const Layout layout =
      is_pixels || given.order == ArrayOrder::ChannelsLast ? Layout::Nhwc : Layout::Nchw;
  return fmt::format(R"("channels": {}, "size": [{}, {}]{}{})", shape[is_pixels ? 3 : 1],
                     shape[is_pixels ? 1 : 2], shape[is_pixels ? 2 : 3], dtype,
                     given.order == ArrayOrder::Strided
                         ? std::string()
                         : fmt::format(R"(, "layout": "{}")", name_of(layout)));
}

std::int64_t batch_of(const GivenResult& given) {
  const std::vector<std::int64_t> shape = batch_shape(given);
  return shape.empty() ? 1 : std::max<std::int64_t>(1, shape.front());
}

/// Returns the JSON text of the stages after the first one: the copy to the GPU and the step, if
/// they are wanted.
std::string next_stages(const OwnConfig& wanted) {
  return fmt::format("{}{}", wanted.gpu ? R"(, "h2d")" : "", wanted.has_step ? R"(, "step")" : "");
}

/// Returns the JSON text of a variant in which the peer (an external program) gives the batches. If
/// `is_cached`, the peer gives the first batch again and again.
std::string loop(const OwnConfig& wanted, const std::string& variant, const std::string& peer,
                 bool is_cached) {
  const std::int64_t batch = batch_of(wanted.given);
  return fmt::format(R"({}: {{"peer": {}, "stages": [
          {{"op": "batches", "batch": {}, {}{}}}{}
        ]}})",
                     quoted(variant), quoted(peer), batch, image_members(wanted.given, batch),
                     is_cached ? R"(, "cached": true)" : "", next_stages(wanted));
}

std::string cached_loop(const OwnConfig& wanted, const std::string& peer) {
  if (!wanted.has_step && !wanted.gpu) return "";
  return fmt::format(R"(,
        // The same loop with the first batch again and again: a loader that takes no time.
        {})",
                     loop(wanted, "batches that take no time", peer, true));
}

std::string question_of_loops(const OwnConfig& wanted) {
  return wanted.has_step || wanted.gpu ? "What does loading cost my loop?"
                                       : "How many batches does my loader give?";
}

std::string no_step_comment(const OwnConfig& wanted) {
  return wanted.has_step ? "" : R"(
      // With a function of a batch, such as a training step, the run also says what loading costs your loop:
      // normbench init --python FILE.py:OBJECT --step FILE.py:FUNCTION)";
}

std::string peers(const OwnConfig& wanted) {
  if (wanted.kind != OwnCodeKind::Dataset)
    return fmt::format(R"("{}": {})", "mine", command(wanted));
  return fmt::format(R"(
    "in this process": {},
    "{}": {}
  )",
                     command(wanted, {"--workers", "0"}), counted(wanted.workers, "worker"),
                     command(wanted, {"--workers", std::to_string(wanted.workers)}));
}

std::string loops(const OwnConfig& wanted) {
  if (wanted.kind == OwnCodeKind::Loader)
    return loop(wanted, wanted.object, "mine", false) + cached_loop(wanted, "mine");
  const std::string workers = counted(wanted.workers, "worker");
  return fmt::format(R"({},
        {}{})",
                     loop(wanted, "in this process", "in this process", false),
                     loop(wanted, workers, workers, false), cached_loop(wanted, workers));
}

std::string loader_experiment(const OwnConfig& wanted) {
  return fmt::format(R"(
    {{
      "name": "loader",
      "question": "{}",
      "threads": "all",  // of your code in its own process; workers come on top{}
      // A stage says what a batch should be. The run says what it really is, and whether the two differ.
      "variants": {{
        {}
      }}
    }})",
                     question_of_loops(wanted), no_step_comment(wanted), loops(wanted));
}

std::string transform_experiment(const OwnConfig& wanted) {
  const GivenResult& given = wanted.given;
  const bool is_float = parse_word<DType>(given.dtype).has_value() && given.dtype != "uint8";
  return fmt::format(R"(
    {{
      "name": "transform",
      "question": "How long does my transform of a batch take?",
      "threads": "all",
      "source": {{"dtype": "uint8", "batch": {}, "size": [224, 224]}},
      "variants": {{
        // What it computes is not checked: a kernel of yours that is held to normbench's reference is a peer
        // of its own (docs/peers.md).
        {}: {{"peer": "mine", "stages": [{{"op": "transform", {}}}]}}{}
      }}
    }})",
                     wanted.batch, quoted(wanted.object), image_members(given, batch_of(given)),
                     is_float ? fmt::format(R"(,
        // A yardstick: one pass that reads the source and writes normalised values.
        "normbench, one pass": [{{"op": "normalize", "mean": [123.675, 116.28, 103.53], "std": [58.395, 57.12, 57.375], "dtype": "{}"}}])",
                                            given.dtype)
                              : "");
}

}  // namespace

std::string own_config(const OwnConfig& wanted) {
  return fmt::format(R"({{
  "$schema": "./normbench.schema.json",  // editors complete and check this file by it
  "schema": 1,
  "name": {},  // results go to results/NAME-TIME

  // Every group of variants is measured until its ratios are known this well, or for so long.
  "measure": {{"precision": 0.02, "max_seconds_per_group": 30}},

  // What runs your code, from this file's folder; only with --allow-peers.
  "peers": {{{}}},

  "experiments": [{}
  ]
}}
)",
                     quoted(wanted.name), peers(wanted),
                     wanted.kind == OwnCodeKind::Transform ? transform_experiment(wanted)
                                                           : loader_experiment(wanted));
}

}  // namespace normbench
