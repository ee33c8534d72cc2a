#include "report/link_text.h"

#include <fmt/format.h>

#include "core/units.h"
#include "report/document_text.h"

namespace normbench {
namespace {

std::string rate_text(double bytes_per_second) {
  return format_significant(bytes_per_second / 1e9, 3) + " GB/s";
}

std::string pcie_text(std::int64_t generation, std::int64_t width) {
  return generation > 0 && width > 0 ? fmt::format("PCIe {}.0 x{}", generation, width) : "";
}

/// Returns the rates of copies and their shares of the link's rate, like "55.0 GB/s to the GPU and
/// 54.1 GB/s from it, 87 % and 86 %".
std::string reached_text(const LinkSpeed& speed) {
  const std::string up = rate_text(speed.up) + " to the GPU", down = rate_text(speed.down);
  const std::string share_up = format_percent(speed.up / speed.bytes_per_second),
                    share_down = format_percent(speed.down / speed.bytes_per_second);
  if (speed.down == 0) return fmt::format("{}, {}", up, share_up);
  if (speed.up == 0) return fmt::format("{} from the GPU, {}", down, share_down);
  return fmt::format("{} and {} from it, {} and {}", up, down, share_up, share_down);
}

}  // namespace

std::string link_text(const Json& pcie) {
  return pcie_text(integer_at(pcie, "/generation", 0), integer_at(pcie, "/width", 0));
}

std::string negotiated_text(const Json& pcie) {
  const std::string link = link_text(pcie);
  const std::string most =
      pcie_text(integer_at(pcie, "/max_generation", 0), integer_at(pcie, "/max_width", 0));
  return link + (link.empty() || most.empty() || most == link ? "" : " (could be " + most + ")");
}

std::string link_speed_text(const LinkSpeed& speed) {
  return fmt::format("copies of pinned memory reach {} of what {} carries ({}){}",
                     reached_text(speed), pcie_text(speed.generation, speed.width),
                     rate_text(speed.bytes_per_second),
                     speed.is_another() ? ": they go over another link" : "");
}

std::string link_warning(const LinkSpeed& speed) {
  if (!speed.is_low()) return "";
  return fmt::format(
      "Warning: {}: a virtual machine may have a part of a GPU's link, or others use it, too; what "
      "crosses it may be faster elsewhere.",
      link_speed_text(speed));
}

std::string link_warning(const Experiment& experiment, const Results& results) {
  const auto speed = link_speed(results, experiment.groups);
  return speed ? link_warning(*speed) : "";
}

Json to_json(const LinkSpeed& speed) {
  const auto rate = [](double measured) { return measured > 0 ? Json(measured) : Json(); };
  return {{"generation", speed.generation},
          {"width", speed.width},
          {"bytes_per_second", speed.bytes_per_second},
          {"to_gpu_bytes_per_second", rate(speed.up)},
          {"from_gpu_bytes_per_second", rate(speed.down)},
          {"share", speed.share()}};
}

}  // namespace normbench
