// Prints the documents of all example results as a JSON list. tests/app/results_schema_test.py
// checks them against the schema.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "example_results.h"
#include "report/report.h"

int main() {
  using namespace normbench;
  using namespace normbench::examples;
  Json documents = Json::array();
  for (Results (*const example)() :
       {blog,     blog_no_counters, swept,     published,          skipped_gpu, failed,
        unfair,   tie,              busy,      inconclusive,       quick,       interrupted,
        traced,   decoding,         labelled,  gpu,                gpu_device_clock,
        pinning,  constants,        peers,     why_slow,           constants_reused,
        pipelines})
    documents.push_back(document(Analysed(example())));
  std::puts(documents.dump().c_str());
}
