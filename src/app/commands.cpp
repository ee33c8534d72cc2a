#include "app/commands.h"

#include <array>

namespace normbench {

std::span<const Command> commands() {
  static constexpr auto kCommands = std::to_array<Command>({
      {"run", "Measure what a config describes; write results, tables and a trace.",
       "normbench run --config configs/quickstart.json --quick", &declare_run},
      {"check", "Explain what a config would run: stages, bytes, memory, time. Runs nothing.",
       "normbench check configs/blog-cpu.json", &declare_check},
      {"compare", "Compare two sides of the same measurements: what became slower, beyond doubt.",
       "normbench compare results/before results/after --format markdown", &declare_compare},
      {"report", "Render results documents again.",
       "normbench report results/blog-cpu-20261120T235400Z/results.json --format table",
       &declare_report},
      {"table", "Show the profiler table of a trace, of PyTorch's own too.",
       "normbench table trace.json.gz --sort-by self_cpu_time_total", &declare_table},
      {"info", "Show this machine, this build, and what is missing here.",
       "normbench info --format json", &declare_info},
      {"list", "List ops, kernels and report formats.", "normbench list kernels", &declare_list},
      {"selftest", "Hold every kernel to its op's reference, on the CPU and on the GPU.",
       "normbench selftest --place cuda", &declare_selftest},
      {"calibrate", "Measure pairs with a known answer: what can be told apart on this machine.",
       "normbench calibrate --minutes 3", &declare_calibrate},
      {"peer", "Take turns in the rounds of another normbench, whose config names this as a peer.",
       "normbench peer < requests.jsonl", &declare_peer},
  });
  return kCommands;
}

}  // namespace normbench
