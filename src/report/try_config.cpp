#include "report/try_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/issue.h"
#include "ops/op.h"
#include "ops/source.h"
#include "plan/changes.h"

namespace normbench {
namespace {

template <class E>
Json names_of(const std::vector<E>& values) {
  Json names = Json::array();
  for (const E value : values) names.push_back(name_of(value));
  return names;
}

/// If `values` has one element, returns the element. If there are several, adds them to `vary` as
/// the values of an axis with the name `axis`, and returns "$" + axis, which refers to this axis.
/// If `values` is empty or no array, returns null.
Json one_or_axis(const Json& values, const std::string& axis, Json& vary) {
  if (!values.is_array() || values.empty()) return {};
  if (values.size() == 1) return values.front();
  vary[axis] = values;
  return "$" + axis;
}

void put(Json& object, const char* key, Json value) {
  if (!value.is_null()) object[key] = std::move(value);
}

Json fresh(const char* op, const char* to = nullptr) {
  Json stage{{"op", op}};
  if (to != nullptr) stage["to"] = to;
  stage["output"] = "fresh";
  return stage;
}

/// Returns the layout to which eager_chain() must convert the images, or nothing if it keeps their
/// layout. Decoded photographs have the layout nhwc.
std::optional<Layout> changed_layout(const TryConfig& wanted) {
  const bool has_images = !wanted.images.empty();
  const Layout in = !wanted.layouts.empty() ? wanted.layouts.front()
                    : has_images            ? Layout::Nhwc
                                            : Layout::Nchw;
  const Layout out = !wanted.out_layouts.empty() ? wanted.out_layouts.front()
                     : has_images                ? Layout::Nchw
                                                 : in;
  const bool varies = wanted.layouts.size() > 1 && (has_images || !wanted.out_layouts.empty());
  return in == out && !varies ? std::nullopt : std::optional(out);
}

/// Returns the stages that training code usually runs, as PyTorch runs them: each writes a new
/// tensor.
Json eager_chain(const TryConfig& wanted) {
  Json stages = Json::array();
  const bool is_byte = wanted.dtypes.empty() || wanted.dtypes.front() == DType::UInt8;
  if (const auto layout = changed_layout(wanted))
    stages.push_back(fresh("layout", std::string(name_of(*layout)).c_str()));
  if (is_byte) stages.push_back(fresh("cast", "float32"));
  stages.push_back(fresh("sub"));
  stages.push_back(fresh("div"));
  const DType out = wanted.out_dtypes.empty() ? DType::Float32 : wanted.out_dtypes.front();
  const DType before = is_byte ? DType::Float32 : wanted.dtypes.front();
  if (out != before) stages.push_back(fresh("cast", std::string(name_of(out)).c_str()));
  return stages;
}

Json usual_variants(const TryConfig& wanted) {
  Json variants = Json::object();
  // The stages of this variant depend on the dtype of the images. So the variant is left out if the
  // images have several dtypes.
  if (wanted.dtypes.size() < 2)
    variants[wanted.images.empty() ? "step by step" : "decode, step by step"] = eager_chain(wanted);
  if (wanted.images.empty()) {
    variants["fused"] = Json::array({"normalize"});
    return variants;
  }
  variants["decode, fused"] = Json::array({"normalize"});
  variants["decode small, fused"] =
      Json::array({Json{{"op", "load"}, {"kernel", "scaled"}}, "normalize"});
  return variants;
}

/// Returns the experiment that --gpu adds. It gets the axes "out_dtype" and "out_layout" of `vary`,
/// because the defaults of `normalize` refer to them.
Json place_experiment(const TryConfig& wanted, const Json& vary) {
  Json experiment{{"name", "place"}, {"question", wanted.question}};
  experiment["may_differ"] = Json::array({"dtype", "layout"});
  for (const char* const axis : {"out_dtype", "out_layout"})
    if (vary.contains(axis)) experiment["vary"][axis] = vary.at(axis);
  experiment["source"] = {{"batch", wanted.batches.front()},
                          {"size", {wanted.height, wanted.width}},
                          {"memory", "pinned"}};
  experiment["variants"] = {{"CPU fused, send the result",
                             Json::array({Json{{"op", "normalize"}, {"memory", "pinned"}}, "h2d"})},
                            {"send uint8, GPU fused", Json::array({"h2d", "normalize"})}};
  return experiment;
}

/// Returns the stage that a word of the command line describes. Throws Invalid if it describes
/// none.
Json stage_of(const std::string& word) {
  if (word.starts_with('{')) {
    std::vector<Issue> duplicates;
    Json stage = parse_json(word, duplicates);
    if (!duplicates.empty()) throw Invalid("has a key twice");
    return stage;
  }
  const std::size_t colon = word.find(':');
  const std::string op = word.substr(0, colon);
  const std::vector<std::string> known = op_names();
  if (std::ranges::find(known, op) == known.end()) throw Invalid(unknown("op", op, known));
  if (colon == word.npos) return op;
  Json stage{{"op", op}};
  for (const std::string& field : split_values(word.substr(colon + 1))) {
    const std::size_t equals = field.find('=');
    if (equals == field.npos || equals == 0)
      throw Invalid(
          fmt::format("expected FIELD=VALUE after the colon, got \"{}\"{}", field,
                      stage.size() > 1 ? " (a list is in brackets: size=[224,224])" : ""));
    if (equals + 1 == field.size()) throw Invalid(fmt::format("nothing follows \"{}\"", field));
    const std::string key = field.substr(0, equals);
    if (stage.contains(key)) throw Invalid(fmt::format("says \"{}\" twice", key));
    stage[key] = json_or_text(field.substr(equals + 1));
  }
  return stage;
}

/// Returns the seconds for the rounds of one group. If the user does not set them, they are 4 s
/// divided by the number of points of the sweep over batches, rounded down to tenths, but at least
/// 1 s. With two or three points, `normbench try` thus takes about 10 s in all.
double seconds_of(const TryConfig& wanted) {
  constexpr double all = 4, least = 1;
  const auto points = static_cast<double>(std::max<std::size_t>(1, wanted.batches.size()));
  return wanted.seconds.value_or(std::max(least, std::floor(10 * all / points) / 10));
}

}  // namespace

bool runs(const Json& stages, std::string_view op) {
  return std::ranges::any_of(stages, [&](const Json& stage) {
    return stage == op || (stage.is_object() && value_at(stage, "/op") == op);
  });
}

std::vector<std::string> left_out_of(const TryConfig& wanted) {
  std::vector<std::string> texts;
  if (!wanted.variants.empty()) return texts;
  if (wanted.dtypes.size() > 1)
    texts.emplace_back(
        "\"step by step\" is left out: with several --dtype its steps would be others for each "
        "(one --dtype has it, or name it: cast:to=float32 sub div vs normalize)");
  else if (wanted.out_dtypes.size() > 1 || wanted.out_layouts.size() > 1)
    texts.emplace_back(
        "\"step by step\" is there once, with the first value: several --out-dtype and "
        "--out-layout are those of normalize");
  return texts;
}

Json try_config(const TryConfig& wanted) {
  Json vary = Json::object(), sweep = Json::object(), start = Json::object();
  if (!wanted.images.empty()) start["path"] = wanted.images;
  start["batch"] = one_or_axis(wanted.batches, "batch", sweep);
  start["size"] = {wanted.height, wanted.width};
  if (!wanted.images.empty()) start["on_error"] = "skip";
  put(start, "dtype", one_or_axis(names_of(wanted.dtypes), "dtype", vary));
  put(start, "layout", one_or_axis(names_of(wanted.layouts), "layout", vary));
  Json normalize{{"mean", {123.675, 116.28, 103.53}}, {"std", {58.395, 57.12, 57.375}}};
  put(normalize, "dtype", one_or_axis(names_of(wanted.out_dtypes), "out_dtype", vary));
  put(normalize, "layout", one_or_axis(names_of(wanted.out_layouts), "out_layout", vary));
  if (!wanted.images.empty() && wanted.out_layouts.empty()) normalize["layout"] = "nchw";
  Json experiment{{"name", "form"}, {"question", wanted.question}};
  experiment["may_differ"] = Json::array({"dtype", "layout"});
  const Json threads = one_or_axis(wanted.threads, "threads", vary);
  if (!sweep.empty()) experiment["sweep"] = sweep;
  if (!vary.empty()) experiment["vary"] = vary;
  experiment[wanted.images.empty() ? "source" : "load"] = start;
  put(experiment, "threads", threads);
  if (wanted.variants.empty()) {
    experiment["variants"] = usual_variants(wanted);
  } else {
    experiment["variants"] = Json::object();
    for (const auto& [name, stages] : wanted.variants) experiment["variants"][name] = stages;
  }
  Json experiments = Json::array({experiment});
  if (wanted.gpu) experiments.push_back(place_experiment(wanted, vary));
  Json defaults{{"normalize", normalize}, {"cast", {{"to", "float32"}}}};
  const auto has_source = [](const auto& variant) { return runs(variant.second, Source::name); };
  if (!wanted.images.empty() && std::ranges::any_of(wanted.variants, has_source)) {
    defaults["source"] = {{"batch", start.at("batch")}, {"size", start.at("size")}};
    defaults["source"]["layout"] = start.value("layout", Json("nhwc"));
  }
  return {{"schema", 1},
          {"name", "try"},
          {"measure", {{"precision", 0.02}, {"max_seconds_per_group", seconds_of(wanted)}}},
          {"defaults", defaults},
          {"experiments", experiments}};
}

std::vector<std::pair<std::string, Json>> variants_of(const std::vector<std::string>& words,
                                                      std::vector<std::string>& mistakes) {
  std::vector<std::pair<std::string, Json>> variants;
  std::string name;
  Json stages = Json::array();
  const auto finish = [&] {
    const auto same = [&](const auto& one) { return one.first == name; };
    const std::string misplaced = "\"vs\" stands between the stages of two variants";
    if (stages.empty()) {
      if (std::ranges::find(mistakes, misplaced) == mistakes.end()) mistakes.push_back(misplaced);
      return;
    }
    if (std::ranges::any_of(variants, same))
      mistakes.push_back(fmt::format("the variant \"{}\" is there twice", name));
    variants.emplace_back(std::exchange(name, ""), std::exchange(stages, Json::array()));
  };
  for (const std::string& word : words) {
    if (word == "vs") {
      finish();
      continue;
    }
    name += (name.empty() ? "" : " ") + word;
    try {
      stages.push_back(stage_of(word));
    } catch (const Invalid& mistake) {
      stages.emplace_back(word);
      mistakes.push_back(fmt::format("{}: {}", word, mistake.what()));
    }
  }
  if (!words.empty()) finish();
  return variants;
}

}  // namespace normbench
