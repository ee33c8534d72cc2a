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

/// Adds the table `members` to the schema of an object, like "environment". The object is the
/// member `name` of the objects with the definition `holder`. Before the call, its schema accepts
/// any object, because field_definitions() has no table of its members.
void refine(Json& definitions, const char* holder, const char* name, const Members& members) {
  define(members, definitions);
  Json& at = definitions[holder]["properties"][name];  // define() moves what `definitions` holds
  at.erase("type");
  at.update(defined(members.name));
}

void refine_facts(Json& definitions) {
  refine(definitions, "results", "tool", kTool);
  refine(definitions, "results", "environment", kEnvironment);
  refine(definitions, "results", "calibration", kCalibration);
  refine(definitions, "group", "condition_before", kCondition);
  refine(definitions, "group", "condition_after", kCondition);
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
          {"description", fmt::format("{}, in results.json; this is version {} of the document",
                                      results["description"].get<std::string>(), document_schema)},
          {"type", "object"},
          {"properties", std::move(results["properties"])},
          {"required", std::move(results["required"])},
          {"$defs", std::move(definitions)}};
}

}  // namespace normbench
