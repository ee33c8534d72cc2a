#include "report/results_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "document/field_schema.h"
#include "document/results.h"
#include "report/derived_members.h"
#include "report/fact_members.h"

namespace normbench {
namespace members {
namespace {

/// Adds `members` to the schema `at` of an object of facts, like "environment". Without them, `at`
/// accepts any object, because the tables of the document's fields do not describe the members of
/// facts.
void refine(Json& at, const Members& members, Json& definitions) {
  define(members, definitions);
  at.erase("type");
  at.update(defined(members.name));
}

void refine_facts(Json& definitions) {
  Json& results = definitions["results"]["properties"];
  refine(results["tool"], kTool, definitions);
  refine(results["environment"], kEnvironment, definitions);
  refine(results["calibration"], kCalibration, definitions);
  Json& group = definitions["group"]["properties"];
  refine(group["condition_before"], kCondition, definitions);
  refine(group["condition_after"], kCondition, definitions);
  definitions["tool"]["properties"]["name"] =
      described({{"const", "normbench"}}, {"The program, by which a results document is known"});
  definitions["tool"]["required"] = {"name"};
}

/// Returns the definitions of all objects in a document. The definition "results" is the whole
/// document.
Json definitions_of_results() {
  Json definitions = field_definitions();
  for (const Members* const derived : {&kStage, &kLane, &kPipeline, &kCase, &kGroup, &kResults})
    define(*derived, definitions);
  refine_facts(definitions);
  Json& results = definitions["results"];
  Json members = {
      {"schema", described({{"const", document_schema}},
                           {"The version of the document: changes with its meaning, not with new "
                            "members"})}};
  members.update(results["properties"]);
  results["properties"] = std::move(members);
  results["required"].insert(results["required"].begin(), "schema");
  return definitions;
}

}  // namespace
}  // namespace members

Json results_schema() {
  Json definitions = members::definitions_of_results();
  Json results = std::move(definitions["results"]);
  definitions.erase("results");
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", kResultsSchemaTitle},
          {"description",
           fmt::format("{}, in results.json; this is version {} of the document",
                       results["description"].get<std::string>(), document_schema)},
          {"type", "object"},
          {"properties", std::move(results["properties"])},
          {"required", std::move(results["required"])},
          {"$defs", std::move(definitions)}};
}

}  // namespace normbench
