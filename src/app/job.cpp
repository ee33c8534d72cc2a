#include "app/job.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/issue.h"

namespace normbench {
namespace {

Sides read_sides(const Json& json) { return {.host = json.at(0), .device = json.at(1)}; }

Json::json_pointer place_of(const Option& row) {
  return Json::json_pointer(std::string(row.journal));
}

}  // namespace

std::vector<Option> job_options(JobOptions& options) {
  std::vector<Option> rows = config_options(options.config);
  rows.push_back({"--allow-peers", "",
                  "Run the commands in the config's `peers` (normbench check FILE shows them)",
                  &options.config.allow_peers, "/options/allow_peers", Option::Newer});
  rows.push_back(device_option(options.backend));
  rows.push_back(simd_option(options.backend));
  rows.push_back({"--machine", "NAME",
                  "A name for documents instead of the host's; compare treats machines of one name "
                  "for one",
                  &options.machine, "/machine"});
  return rows;
}

Job read_new_job(const std::string& file, JobOptions options) {
  std::string& images = options.config.images;
  if (!images.empty()) images = std::filesystem::absolute(images).string();
  try {
    return {.file = file,
            .text = read_text(file),
            .options = std::move(options),
            .folder = std::filesystem::absolute(file).parent_path().string()};
  } catch (const Invalid& invalid) {
    throw BadInput(file, {{"", invalid.what()}});
  }
}

Json to_json(const Job& job) {
  Json json{{"file", job.file}, {"text", job.text}};
  JobOptions options = job.options;
  for (const Option& row : job_options(options)) json[place_of(row)] = value_of(row);
  json["folder"] = job.folder;
  json["free_bytes"] = {job.free_bytes.host, job.free_bytes.device};
  return json;
}

Job read_job(const Json& json, const std::string& dir) {
  try {
    Job job{.file = json.at("file"),
            .text = json.at("text"),
            .dir = dir,
            .folder = json.value("folder", ""),
            .free_bytes = read_sides(json.value("free_bytes", Json::array({0, 0})))};
    for (const Option& row : job_options(job.options))
      if ((row.rules & Option::Newer) == 0 || json.contains(place_of(row)))
        set_value(row, json.at(place_of(row)));
    return job;
  } catch (const Json::exception& error) {
    throw Invalid(fmt::format("the journal in {} describes no run: {}", dir, error.what()));
  }
}

Plan make_plan(const Job& job, const Backends& backends) {
  PlanOptions options = plan_options(job.options.config, job.file, backends);
  if (job.free_bytes != Sides{}) {
    options.free_bytes = job.free_bytes;
    options.free_notes = {.host = "when the run began", .device = "when the run began"};
  }
  return make_plan(job.file, job.text, backends, options);
}

}  // namespace normbench
