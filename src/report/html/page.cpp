#include "report/html/page.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "report/html/style.h"

namespace normbench::html {
namespace {

/// Returns the SVG pattern "hatch", with which drawings fill hatched areas.
Markup hatch_pattern() {
  return Element{
      "svg",
      {{"width", "0"},
       {"height", "0"},
       {"style", "position:absolute;width:0"},
       {"aria-hidden", "true"}}}(Element{"defs"}(Element{"pattern",
                                                         {{"id", "hatch"},
                                                          {"width", "12"},
                                                          {"height", "12"},
                                                          {"patternUnits", "userSpaceOnUse"},
                                                          {"patternTransform", "rotate(45)"}}}(
      Element{"rect", {{"class", "hatch"}, {"width", "6"}, {"height", "12"}}}.empty())));
}

Markup head(const Page& page) {
  return Element{"head"}(
      Element{"meta", {{"charset", "utf-8"}}}.empty() +
      Element{"meta", {{"name", "viewport"}, {"content", "width=device-width,initial-scale=1"}}}
          .empty() +
      Element{"meta", {{"name", "generator"}, {"content", "normbench"}}}.empty() +
      Element{"title"}(words(page.title)) +
      Element{"link", {{"rel", "icon"}, {"href", "data:,"}}}.empty() +
      Element{"style"}(Markup::of_program(style_sheet())));
}

Markup banner(const Page& page) {
  Markup content = Element{"h1"}(name(page.title));
  if (!page.about.empty()) content += Element{"p", {{"class", "about"}}}(words(page.about));
  for (const std::string& fact : page.facts)
    content += Element{"p", {{"class", "facts"}}}(words(fact));
  return Element{"header"}(content);
}

/// Replaces each byte by "%XX", except letters, digits and the characters "-._~,:".
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view plain = "-._~,:";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        (byte < 0x80 && std::isalnum(byte) != 0) || plain.find(c) != std::string_view::npos;
    encoded += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

}  // namespace

std::string page(const Page& page) {
  const Markup body = Element{"body"}(
      Element{"a", {{"class", "skip"}, {"href", "#main"}}}(words("Skip to what was found")) +
      hatch_pattern() + banner(page) + Element{"main", {{"id", "main"}}}(page.body) +
      Element{"script"}(Markup::of_program(script())));
  return "<!DOCTYPE html>\n" + Element{"html", {{"lang", "en"}}}(head(page) + body).source() + "\n";
}

Markup section(std::string_view id, std::string_view heading, const Markup& content) {
  const std::string label = fmt::format("{}-heading", id);
  return Element{"section", {{"id", std::string(id)}, {"aria-labelledby", label}}}(
      Element{"h2", {{"id", label}}}(words(heading)) + content);
}

Markup how_to_read() {
  static constexpr std::array<std::string_view, 6> sentences{
      "All variants of an experiment take turns in rounds; what disturbs the machine disturbs all "
      "of them alike. Each dot is a round: the time of the baseline in that round over the time of "
      "the variant. Dots of the baseline, and of a variant alone, are its own median over its own "
      "time. Rounds run from top to bottom, so a slope is drift.",
      "The bar around the median is its 95 % interval, from the order of the rounds and no "
      "assumption about their distribution. The grey band is the margin: a difference counts when "
      "an interval lies outside of it that is wider than the bar, since its level is shared among "
      "all pairs of variants.",
      "Axes of ratios and of times are logarithmic: equal distances are equal factors. Rounds "
      "beyond an axis lie at its end.",
      "The dark bar under a stage is the time that this machine needs at least for the bytes that "
      "the stage moves, by a limit that was measured in the same rounds. The gap is what the stage "
      "could still gain.",
      "An output is compared with a reference in double, within a bound that its arithmetic "
      "allows; a "
      "case whose output is wrong is never ranked.",
      "Rounds that were disturbed are counted, never dropped from the numbers."};
  Markup content;
  for (const std::string_view sentence : sentences) content += Element{"p"}(words(sentence));
  return section("reading", "How to read this", content);
}

Markup download(std::string_view file, std::string_view media_type, std::string_view content,
                std::string_view label) {
  return Element{"p"}(Element{"a",
                              {{"download", std::string(file)},
                               {"href", fmt::format("data:{};charset=utf-8,{}", media_type,
                                                    percent_encoded(content))}}}(words(label)));
}

}  // namespace normbench::html
