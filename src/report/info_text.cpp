#include "report/info_text.h"

#include <fmt/format.h>

#include <cmath>

#include "core/units.h"
#include "report/document_text.h"
#include "report/machine_facts.h"
#include "report/text.h"

namespace normbench {

namespace {

constexpr std::size_t kWidth = 100, kLabelEnd = 25;

/// "normbench 0.1.0 (abc1234, Release, GNU 12.2.0 -O3)".
std::string title(const Json& tool) {
  const std::string flags = text_at(tool, "/flags", "");
  return fmt::format("normbench {} ({}, {}, {}{})\n", text_at(tool, "/version", "?"),
                     text_at(tool, "/revision", "?"), text_at(tool, "/build", "?"),
                     text_at(tool, "/compiler", "?"), flags.empty() ? "" : " " + flags);
}

std::string nanoseconds(const Json& costs, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  if (!costs.contains(at) || !costs.at(at).is_number()) return "";
  const double ns = costs.at(at).get<double>();
  return (ns == std::round(ns) ? format_count(std::llround(ns)) : format_significant(ns, 3)) +
         " ns";
}

/// "  label   value", the value's further lines below its first.
std::string fact_line(const std::string& label, const std::string& value) {
  const std::string text = wrapped(value, kLabelEnd, kWidth);
  return fmt::format("  {:<{}}{}", label, kLabelEnd - 2, text.substr(kLabelEnd));
}

std::string section(const std::string& title, const Facts& facts) {
  std::string text;
  for (const auto& [label, value] : facts)
    if (!value.empty()) text += fact_line(label, value);
  return text.empty() ? "" : "\n" + title + "\n" + text;
}

Facts costs_facts(const Json& costs) {
  const std::string step = nanoseconds(costs, "/clock_step_ns");
  return {{"reading the clock",
           nanoseconds(costs, "/clock_ns") + (step.empty() ? "" : ", in steps of " + step)},
          {"a range, recorded", nanoseconds(costs, "/range_recorded_ns")},
          {"a range, not recorded", nanoseconds(costs, "/range_ns")},
          {"its NVTX range alone", nanoseconds(costs, "/nvtx_ns")}};
}

std::string missing_section(const Json& missing) {
  if (missing.empty()) return "\nNothing is missing here.\n";
  std::string text = "\nMissing here, and what that means\n";
  for (const auto& [key, part] : missing.items()) {
    text += fact_line(text_at(part, "/name", key), text_at(part, "/why", ""));
    text += fact_line("", "-> " + text_at(part, "/means", ""));
  }
  return text;
}

}  // namespace

std::string info_text(const Json& info) {
  const Json environment = info.value("environment", Json::object());
  std::string text = title(info.value("tool", Json::object()));
  text += section("Machine", machine_facts(environment));
  text += section("GPU", gpu_facts(environment, info.value("pci_gpus", Json::array())));
  text += section("What measuring costs", costs_facts(info.value("costs", Json::object())));
  text += machine_limits_text(info.value("limits", Json::array()));
  return text + missing_section(info.value("missing", Json::object()));
}

}  // namespace normbench
