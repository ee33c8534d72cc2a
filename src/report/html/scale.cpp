#include "report/html/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace normbench::html {
namespace {

/// Returns the multiples of `step` from `low` to `high`.
std::vector<double> multiples(double low, double high, double step) {
  std::vector<double> values;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); ++k)
    values.push_back(k * step);
  return values;
}

/// Returns the smallest value that is 1, 2 or 5 times a power of ten and not below `value`.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= value * (1 - 1e-9)) return step * power;
  return 10 * power;
}

std::vector<double> linear_ticks(double low, double high, std::size_t most) {
  const double least = (high - low) / static_cast<double>(most);
  std::vector<double> values;
  for (double step = round_step(least);; step = round_step(step * 1.5)) {
    values = multiples(low, high, step);
    if (values.size() <= most) return values;
  }
}

/// Returns all products of one of `steps` and a power of ten that lie from `low` to `high`, in
/// ascending order.
std::vector<double> in_each_power(double low, double high, std::span<const double> steps) {
  std::vector<double> values;
  for (double power = std::floor(std::log10(low)); std::pow(10.0, power) <= high; ++power)
    for (const double step : steps)
      if (const double value = step * std::pow(10.0, power); value >= low && value <= high)
        values.push_back(value);
  return values;
}

/// Returns the values from `low` to `high` that are 1, 2 or 5 times a power of ten. If there are
/// more than `most`, returns the values that are 1 or 3 times a power of ten. If these are still
/// too many, returns only every n-th power of ten.
std::vector<double> logarithmic_ticks(double low, double high, std::size_t most) {
  static constexpr std::array<double, 3> fine{1, 2, 5};
  static constexpr std::array<double, 2> coarse{1, 3};
  std::vector<double> values = in_each_power(low, high, fine);
  if (values.size() > most) values = in_each_power(low, high, coarse);
  if (values.size() <= most) return values;
  const auto powers = static_cast<std::size_t>(std::ceil(std::log10(high / low)));
  const auto every = static_cast<double>((powers + most - 1) / most);
  values.clear();
  for (double power = std::ceil(std::log10(low) - 1e-9); power <= std::log10(high) + 1e-9;
       power += std::max(1.0, every))
    values.push_back(std::pow(10.0, power));
  return values;
}

std::string points(const std::vector<std::pair<double, double>>& places) {
  std::string text;
  for (const auto& [x, y] : places)
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", number(x), number(y));
  return text;
}

std::vector<Attribute> of_class(std::string_view css_class) {
  return {{"class", std::string(css_class)}};
}

}  // namespace

Scale Scale::logarithmic(double low, double high) {
  const auto is_drawn = [](double value) { return std::isfinite(value) && value > 0; };
  if (!is_drawn(high)) high = is_drawn(low) ? 10 * low : 1;
  if (!is_drawn(low) || low > high) low = high / 10;
  const double room = std::pow(std::max(high / low, 1.02), 0.04);
  return {low / room, high * room, true};
}

Scale Scale::linear(double high) { return {0, high > 0 ? high : 1, false}; }

double Scale::part(double value) const {
  const double part = is_logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                                      : (value - low_) / (high_ - low_);
  return std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : value > low_ ? 1 : 0;
}

double Scale::at(double value) const { return drawing_width * part(value); }

double Scale::above(double value, double height) const { return height * (1 - part(value)); }

std::vector<double> Scale::ticks(std::size_t most) const {
  constexpr double small = 5;  // if high_ / low_ is at most this, ticks are equally spaced
  return is_logarithmic_ && high_ / low_ > small ? logarithmic_ticks(low_, high_, most)
                                                 : linear_ticks(low_, high_, most);
}

Markup labels(const Scale& scale, std::size_t most, Label label) {
  std::vector<std::pair<double, std::string>> texts;
  for (const double value : scale.ticks(most)) texts.emplace_back(value, label(value));
  return labels_at(scale, texts);
}

Markup labels_at(const Scale& scale, std::span<const std::pair<double, std::string>> texts) {
  constexpr double edge = 80;
  Markup all;
  for (const auto& [value, text] : texts) {
    const double x = scale.at(value);
    const std::string side = x < edge ? "start" : x > drawing_width - edge ? "end" : "middle";
    all +=
        Element{"span",
                {{"class", side},
                 {"style", fmt::format("left:{}%", number(100 * x / drawing_width))}}}(words(text));
  }
  return Element{"div",
                 {{"class", "labels"},
                  {"aria-hidden", "true"},
                  {"data-low", fmt::format("{:g}", scale.low())},
                  {"data-high", fmt::format("{:g}", scale.high())}}}(all);
}

Markup side_labels(const Scale& scale, std::size_t most, Label label) {
  Markup all;
  for (const double value : scale.ticks(most))
    all += Element{"span", {{"style", fmt::format("top:{}%", number(scale.above(value, 100)))}}}(
        words(label(value)));
  return Element{"div", {{"class", "side"}, {"aria-hidden", "true"}}}(all);
}

Markup drawing(double height, const Markup& shapes) {
  return Element{"svg",
                 {{"viewBox", fmt::format("0 0 {} {}", number(drawing_width), number(height))},
                  {"preserveAspectRatio", "none"},
                  {"style", fmt::format("height:{}px", number(height))},
                  {"aria-hidden", "true"},
                  {"focusable", "false"}}}(shapes);
}

Markup upright(double x, double height, std::string_view css_class) {
  return curve({{x, 0}, {x, height}}, css_class);
}

Markup rectangle(double x, double y, double width, double height, std::string_view css_class,
                 std::string_view tip) {
  const Element shape{"rect",
                      {{"class", std::string(css_class)},
                       {"x", number(x)},
                       {"y", number(y)},
                       {"width", number(width)},
                       {"height", number(height)}}};
  return tip.empty() ? shape.empty() : shape(Element{"title"}(words(tip)));
}

Markup dots(const std::vector<std::pair<double, double>>& places, std::string_view css_class) {
  std::string path;
  for (const auto& [x, y] : places) path += fmt::format("M{} {}h0", number(x), number(y));
  std::vector<Attribute> attributes = of_class(css_class);
  attributes.push_back({"d", path});
  return Element{"path", attributes}.empty();
}

Markup curve(const std::vector<std::pair<double, double>>& places, std::string_view css_class) {
  std::vector<Attribute> attributes = of_class(css_class);
  attributes.push_back({"points", points(places)});
  return Element{"polyline", attributes}.empty();
}

Markup area(const std::vector<std::pair<double, double>>& places, std::string_view css_class) {
  std::vector<Attribute> attributes = of_class(css_class);
  attributes.push_back({"points", points(places)});
  return Element{"polygon", attributes}.empty();
}

}  // namespace normbench::html
