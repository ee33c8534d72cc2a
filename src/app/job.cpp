#include "app/job.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/issue.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

Sides read_sides(const Json& json) { return {.host = json.at(0), .device = json.at(1)}; }

}  // namespace

Job read_new_job(const std::string& file, ConfigOptions options, const BackendOptions& backend,
                 const std::string& machine) {
  if (!options.images.empty()) options.images = fs::absolute(options.images).string();
  try {
    return {.file = file,
            .text = read_text(file),
            .options = std::move(options),
            .backend = backend,
            .machine = machine,
            .folder = fs::absolute(file).parent_path().string()};
  } catch (const Invalid& invalid) {
    throw BadInput(file, {{"", invalid.what()}});
  }
}

Json to_json(const Job& job) {
  return {{"file", job.file},
          {"text", job.text},
          {"options", to_json(job.options)},
          {"device", job.backend.device},
          {"simd", job.backend.simd},
          {"machine", job.machine},
          {"folder", job.folder},
          {"free_bytes", {job.free_bytes.host, job.free_bytes.device}}};
}

Job read_job(const Json& json, const std::string& dir) {
  try {
    return {.file = json.at("file"),
            .text = json.at("text"),
            .options = read_config_options(json.at("options")),
            .backend = {.device = json.value("device", 0), .simd = json.value("simd", "")},
            .machine = json.at("machine"),
            .dir = dir,
            .folder = json.value("folder", ""),
            .free_bytes = read_sides(json.value("free_bytes", Json::array({0, 0})))};
  } catch (const Json::exception& error) {
    throw Invalid(fmt::format("the journal in {} describes no run: {}", dir, error.what()));
  }
}

Plan make_plan(const Job& job, const Backends& backends) {
  PlanOptions options = plan_options(job.options, job.file, backends);
  if (job.free_bytes != Sides{}) {
    options.free_bytes = job.free_bytes;
    options.free_notes = {.host = "when the run began", .device = "when the run began"};
  }
  return make_plan(job.file, job.text, backends, options);
}

}  // namespace normbench
