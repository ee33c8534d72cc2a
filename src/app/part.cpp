#include "app/part.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <iterator>
#include <stdexcept>

#include "app/begin.h"
#include "app/commands.h"
#include "app/progress.h"
#include "app/run_context.h"
#include "core/child_process.h"
#include "machine/affinity.h"
#include "measure/measure_group.h"
#include "measure/turn_shape.h"

namespace normbench {
namespace {

void send_answer(const Json& json) {
  write_result(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Exit measure_asked_part(const Json& asked) {
  if (!end_with(asked.at("asker").get<pid_t>(), SIGKILL)) return Exit::Interrupted;
  const Job job = read_job(asked.at("job"), "");
  const Backends backends = make_backends(job.options.backend);
  Plan plan = make_plan(job, backends);
  const auto scratch = make_scratch(plan, asked.value("scratch", ""), backends);
  const auto processes = static_cast<double>(plan.measure.processes);
  plan.measure.max_seconds_per_group /= processes;
  for (Group& group : plan.groups)
    if (group.own.max_seconds_per_group) *group.own.max_seconds_per_group /= processes;
  std::optional<GroupResult> first;
  if (!asked.at("first").is_null()) first = read_group(asked.at("first"));

  Silent silent;
  OwnRunContext own(backends, silent, plan, [](std::size_t, const std::string& contender) {
    send_answer({{"hung", contender}});
    _exit(static_cast<int>(Exit::Fine));
  });
  own.context.part = {.index = asked.at("part"),
                      .first = first ? &*first : nullptr,
                      .limits = asked.at("limits"),
                      .hung = asked.at("hung")};
  const auto group = measure_group(plan, asked.at("group"), own.context, clock_cost_ns(own.clock));
  send_answer({{"result", group ? to_json(*group) : Json()}});
  return Exit::Fine;
}

/// Starts `normbench part` in a new process. The process may run on all CPUs that this one may use,
/// even if the calling thread is bound to one of them.
ChildProcess start_part() {
  const Unpinned everywhere;
  return ChildProcess({.argv = {"/proc/self/exe", "part"}});
}

/// Sends `asked` to a new `normbench part` process, and returns the line with its answer. Throws
/// std::runtime_error if the process cannot be started, fails, or writes no whole line.
std::string answer_of_part(std::string asked) {
  using std::chrono::milliseconds;
  ChildProcess part = start_part();
  std::string line, no_errors;
  while (!part.is_silent()) {
    part.write(asked);
    if (asked.empty()) part.close_input();
    part.wait(!asked.empty(), milliseconds(-1));
    part.read(line, std::string::npos - 1, no_errors);
  }
  std::optional<ChildEnd> end = part.ended();
  for (; !end; end = part.ended()) part.wait(false, milliseconds(1));
  if (*end == ChildEnd{} && line.ends_with('\n')) return line;
  throw std::runtime_error(fmt::format("a measuring process ended with {}", to_text(*end)));
}

}  // namespace

std::optional<GroupResult> measure_part(const Job& job, std::size_t group, const Part& part,
                                        const std::function<void(const std::string&)>& on_hung,
                                        const std::string& scratch) {
  const Json asked{{"asker", getpid()},
                   {"job", to_json(job)},
                   {"group", group},
                   {"part", part.index},
                   {"first", part.first ? to_json(*part.first) : Json()},
                   {"limits", part.limits},
                   {"hung", part.hung},
                   {"scratch", scratch}};
  const Json answered = Json::parse(answer_of_part(asked.dump()));
  if (answered.contains("hung")) on_hung(answered.at("hung"));
  if (!answered.contains("result") || answered.at("result").is_null()) return std::nullopt;
  return read_group(answered.at("result"));
}

Subcommand make_part() {
  return {.options = {}, .run = [] {
            const std::string text((std::istreambuf_iterator<char>(std::cin)),
                                   std::istreambuf_iterator<char>());
            return measure_asked_part(Json::parse(text));
          }};
}

}  // namespace normbench
