#include "ops/model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace normbench {
namespace {

bool is_word(const std::string& text) {
  constexpr std::string_view spaces = " \t\r\n";
  return !text.empty() && text.find_first_of(spaces) == std::string::npos;
}

}  // namespace

Model Model::read(Reader& reader) {
  Model op{.network = reader.text("name", ""),
           .normalize = reader.word("normalize", ModelNormalize::None)};
  if (!reader.has("name"))
    reader.complain("no \"name\" (of the network: \"resnet18\")");
  else if (reader.member("name").is_string() && !is_word(op.network))
    reader.complain_at("name", "expected a word: the network's name, \"resnet18\"");
  // mean and std may come from the config's defaults for `normalize`. So they are allowed, and
  // read, even if they are not needed.
  const bool needed = op.normalize != ModelNormalize::None;
  if (needed || reader.has("mean")) op.mean = read_channel_values(reader, "mean");
  if (needed || reader.has("std")) op.std = read_channel_divisors(reader, "std");
  op.train = reader.boolean("train", op.train);
  op.learning_rate = reader.number("learning_rate", op.learning_rate, 0);
  if (reader.has("learning_rate") && !op.train)
    reader.complain_at("learning_rate", R"(goes with "train": true)");
  return op;
}

std::vector<TensorDesc> Model::infer(std::span<const TensorDesc> in) const {
  const TensorDesc& x = only_input(in);
  if (!is_float(x.dtype))
    throw Invalid(
        fmt::format("needs a floating-point input, got {} (cast first)", name_of(x.dtype)));
  if (x.shape.c != channels)
    throw Invalid(fmt::format("needs {} channels, got {}", channels, x.shape.c));
  if (normalize != ModelNormalize::None) {
    check_channels(mean, "means", channels);
    check_channels(std, "stds", channels);
  }
  return one_output(x.dtype, Layout::Nchw, {.n = x.shape.n, .c = classes, .h = 1, .w = 1},
                    x.memory);
}

}  // namespace normbench
