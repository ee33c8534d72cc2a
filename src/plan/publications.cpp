#include "plan/publications.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/issue.h"
#include "core/json.h"
#include "core/reader.h"

namespace normbench {
namespace {

/// Reads a required text, which must not be empty.
std::string said(Reader& reader, std::string_view key, std::string_view why) {
  if (!reader.require(key, why)) return "";
  const bool is_text = reader.member(key).is_string();
  std::string text = reader.text(key, "");
  if (is_text && text.empty()) reader.complain_at(key, "is empty");
  return text;
}

/// Reads a list of publications. Reports a word that is used twice among the names of publications
/// and the ids of experiments, because users select by both.
class PublicationsReader {
 public:
  std::vector<PublishedExperiment> read(Reader& reader) {
    if (reader.require("schema", "write \"schema\": 1") && reader.member("schema") != 1)
      reader.complain_at("schema", fmt::format("this version reads schema 1 only, not {}",
                                               reader.member("schema").dump()));
    if (reader.require("publications", "a list of publications"))
      reader.each_object("publications", [this](Reader& one) { read_publication(one); });
    refuse_empty(reader, "publications");
    reader.finish();
    return std::move(experiments_);
  }

 private:
  void read_publication(Reader& reader) {
    Publication source;
    source.name = new_word(reader, "name", "the word that asks for it");
    source.origin = said(reader, "origin", "where it comes from");
    source.says = said(reader, "says", "what it says");
    if (!reader.require("experiments", "a list of experiments")) return;
    refuse_empty(reader, "experiments");
    reader.each_object("experiments", [&](Reader& one) {
      PublishedExperiment experiment{.id = new_word(one, "id", "the word that asks for it"),
                                     .source = source,
                                     .about = said(one, "about", "what it measures")};
      if (one.has("missing")) experiment.missing = said(one, "missing", "why no config has it");
      experiments_.push_back(std::move(experiment));
    });
  }

  static void refuse_empty(Reader& reader, std::string_view key) {
    if (const Json& list = reader.member(key); list.is_array() && list.empty())
      reader.complain_at(key, "is an empty list (expected one or more)");
  }

  std::string new_word(Reader& reader, std::string_view key, std::string_view why) {
    std::string word = said(reader, key, why);
    if (!word.empty() && !words_.insert(word).second)
      reader.complain_at(key, fmt::format("\"{}\" is there twice (expected another word)", word));
    return word;
  }

  std::set<std::string> words_;
  std::vector<PublishedExperiment> experiments_;
};

}  // namespace

std::string publications_file(const std::string& folder) {
  return (std::filesystem::path(folder) / "publications" / "experiments.json").string();
}

std::vector<PublishedExperiment> read_publications(const std::string& file, std::string_view text) {
  std::vector<Issue> issues;
  std::vector<PublishedExperiment> experiments;
  try {
    const Json json = parse_json(text, issues);
    Reader reader(json, "", issues);
    experiments = PublicationsReader().read(reader);
  } catch (const Invalid& mistake) {
    issues.push_back({"", mistake.what()});
  }
  if (!issues.empty()) throw BadInput(file, std::move(issues));
  return experiments;
}

std::vector<PublishedExperiment> read_publications(const std::string& file) {
  std::string text;
  try {
    text = read_text(file);
  } catch (const Invalid& mistake) {
    throw BadInput(file, {{"", mistake.what()}});
  }
  return read_publications(file, text);
}

std::vector<Publication> publications_of(const std::vector<PublishedExperiment>& experiments) {
  std::vector<Publication> sources;
  for (const PublishedExperiment& one : experiments)
    if (std::ranges::find(sources, one.source) == sources.end()) sources.push_back(one.source);
  return sources;
}

}  // namespace normbench
