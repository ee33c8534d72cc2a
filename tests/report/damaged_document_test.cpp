/// Tests with documents in which one number is damaged. Either the document is refused, or all its
/// reports can be made. Nothing may crash, and no report may have a NaN or an infinity.
#include <gmock/gmock.h>

#include <cctype>
#include <fstream>
#include <iterator>

#include "analysis/compare/compare.h"
#include "document/read_document.h"
#include "report/comparison.h"
#include "report/report.h"
#include "source_dir.h"

namespace normbench::damaged_document_test {
namespace {

std::string kept(const std::string& name) {
  std::ifstream in(source_dir() + "/results/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Adds the pointers to all numbers in `json` to `pointers`. In an array of numbers, only the
/// first, the middle and the last number count.
void add_numbers(const Json& json, const std::string& pointer, std::vector<std::string>& pointers) {
  if (json.is_number()) pointers.push_back(pointer);
  if (!json.is_structured()) return;
  std::size_t index = 0;
  for (const auto& [key, value] : json.items()) {
    const bool is_sampled = json.is_object() || !value.is_number() || index == 0 ||
                            index == json.size() / 2 || index + 1 == json.size();
    ++index;
    if (is_sampled) add_numbers(value, pointer + "/" + pointer_token(key), pointers);
  }
}

/// Returns true if `text` has `word`, with no letter before or after it.
bool has_word(const std::string& text, std::string_view word) {
  const auto is_letter = [&](std::size_t i) {
    return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  return false;
}

/// Reads a damaged document and makes all reports of it, alone and compared with `whole`, the
/// undamaged document. Sets `was_read` to whether the document could be read. Returns a description
/// of the first mistake, or "".
std::string fault(const std::string& text, const Results& whole, bool& was_read) {
  std::vector<std::string> texts;
  was_read = false;
  try {
    const Results results = read_document("damaged.json", text);
    was_read = true;
    const Analysed analysed(results);
    for (const Report& report : reports()) texts.push_back(report.render(analysed, Screen{}));
    for (const bool is_base : {true, false}) {
      const Comparison comparison = is_base ? compare({results}, {whole}, std::nullopt)
                                            : compare({whole}, {results}, std::nullopt);
      for (const ComparisonReport& report : comparison_reports())
        texts.push_back(report.render(comparison, Screen{}));
    }
  } catch (const BadInput& bad) {
    const bool has_place = std::ranges::all_of(
        bad.issues, [](const Issue& issue) { return issue.pointer.starts_with('/'); });
    return has_place && !was_read ? "" : bad.what();
  } catch (const std::exception& error) {
    return std::string("throws ") + error.what();
  }
  for (const std::string& made : texts)
    for (const char* word : {"nan", "inf", "NaN", "Infinity"})
      if (has_word(made, word)) {
        const auto at = made.find(word);
        return made.substr(at < 60 ? 0 : at - 60, 100);
      }
  return "";
}

class Damaged : public testing::TestWithParam<const char*> {};

TEST_P(Damaged, NumbersAreBadInputOrLeftOut) {
  std::vector<Issue> issues;
  const Json document = parse_json(kept(GetParam()), issues);
  const Results whole = read_document(GetParam(), document.dump());
  std::vector<std::string> pointers;
  add_numbers(document, "", pointers);
  ASSERT_GT(pointers.size(), 100u);
  const std::vector<Json> damages{0, -1, 1e308, nullptr, "", Json::array()};
  // Only every `step`th pair of a number and a damage is tried, to save time. `step` is odd, so
  // that the damage changes from pair to pair.
  constexpr std::size_t most = 250;
  const std::size_t all = pointers.size() * damages.size();
  const std::size_t step = std::max<std::size_t>(1, all / most) | 1;
  int read = 0, refused = 0;
  for (std::size_t i = 0; i < all; i += step) {
    const std::string& pointer = pointers[i / damages.size()];
    const Json& damage = damages[i % damages.size()];
    // A text with a damaged /schema is no document, so this damage is left out. An error or a bound
    // may be null, which means infinity, and reports may print this infinity.
    if (pointer == "/schema") continue;
    if (damage.is_null() && (pointer.ends_with("/max_abs_error") || pointer.ends_with("/bound")))
      continue;
    Json damaged = document;
    damaged[Json::json_pointer(pointer)] = damage;
    bool was_read = false;
    EXPECT_EQ(fault(damaged.dump(), whole, was_read), "") << pointer << " = " << damage.dump();
    ++(was_read ? read : refused);
  }
  EXPECT_GT(read, 20);
  EXPECT_GT(refused, 20);
}

INSTANTIATE_TEST_SUITE_P(Kept, Damaged,
                         testing::Values("quickstart-xeon-480m-2c-20261123.json",
                                         "images-xeon-480m-2c-20261123.json",
                                         "blog-cpu-xeon-emr-2c-20261128.json",
                                         "peers-load-epyc-zen4-2c-20261126.json",
                                         "reproduce/serving.json"));

}  // namespace
}  // namespace normbench::damaged_document_test
