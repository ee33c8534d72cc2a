#include "app/table_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <span>
#include <string_view>

#include "report/torch_table.h"

namespace normbench {
namespace {

struct Meaning {
  std::string_view title;
  std::string_view text;
};

constexpr auto torch_columns = std::to_array<Meaning>({
    {"Name",
     "An op, a range, a call of the CUDA runtime, or work of a device. One name can have\n"
     "two rows: of the host, and of what it is on the device."},
    {"Self CPU", "Host time of all calls, without that of the calls below them on their thread."},
    {"Self CPU %", "Of the sum of Self CPU over all rows: this column adds up to 100 %."},
    {"CPU total", "Host time of all calls, with that of the calls below them."},
    {"CPU total %", "Of the sum of Self CPU: ranges around others reach 100 % too."},
    {"CPU time avg", "CPU total over # of Calls."},
    {"Self CUDA",
     "Host rows: the device's time of work submitted by these calls themselves.\n"
     "Device rows: the time of this work. So each piece counts in two rows."},
    {"Self CUDA %", "Of Self CUDA time total: this column adds up to about 200 %."},
    {"CUDA total", "The same with work submitted by the calls below."},
    {"CUDA time avg", "CUDA total over # of Calls of this row, not over pieces of work."},
    {"# of Calls", "A call that is all that one of its name calls counts with that."},
    {"Input Shapes", "With --group-by-input-shape."},
});

constexpr auto stats_columns = std::to_array<Meaning>({
    {"place", "Where the time was spent: cpu, or cuda for work of a device."},
    {"shapes", "With --group-by-input-shape."},
    {"count", "Calls, or pieces of work."},
    {"min p50 p95 max", "Of the times of single calls; percentiles are times that occurred."},
    {"GB/s", "Bytes of all calls over the device's time, without any over the host's."},
    {"% of limit", "Of what this machine can do; only a run's own tables know it."},
    {"faults", "Page faults of all calls; only a run's own tables know them."},
});

constexpr auto footers = std::to_array<Meaning>({
    {"Self CPU time total",
     "The sum of Self CPU. Threads count on their own, so it can exceed the\n"
     "wall time."},
    {"Self CUDA time total",
     "The sum of device rows but for annotations. Work at the same time\n"
     "counts on its own, so it can exceed the wall time."},
    {"Wall time", "Of the steps (ProfilerStep#N), or of the whole trace without any."},
    {"GPU busy",
     "While at least one piece of device work ran, within the steps; as a share of\n"
     "their wall time."},
    {"Overlap", "While at least two pieces of device work ran."},
    {"Exposed transfers", "While data went over the link and no kernel ran."},
    {"Gaps", "Between pieces of device work within a step, on all streams."},
    {"Device times", "What they come from: CUPTI's records, or CUDA events around the stages."},
    {"Lost", "What the trace shows to be missing: launches without work, work without launch."},
});

std::string lines(std::string_view title, std::span<const Meaning> meanings) {
  constexpr std::size_t column = 24;
  std::string text = fmt::format("{}:\n", title);
  for (const Meaning& meaning : meanings) {
    text += fmt::format("  {:<{}}", meaning.title, column - 2);
    for (const char c : meaning.text)
      text += c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, c);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string sort_help() {
  return fmt::format("{}, or none: by first call (default: cpu_time_total; cuda stands for device)",
                     fmt::join(sort_key_names(), ", "));
}

std::string columns_help() {
  return lines("Columns of torch", torch_columns) + "\n" +
         lines("Columns of stats", stats_columns) + "\n" + lines("Lines below", footers);
}

}  // namespace normbench
