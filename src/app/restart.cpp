#include "app/restart.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "app/child.h"
#include "app/commands.h"
#include "app/say.h"
#include "core/file.h"
#include "measure/peer/child_process.h"

namespace normbench {

Restart::Restart(Journal& journal, double limit_seconds, std::vector<std::string> command)
    : journal_(journal), limit_seconds_(limit_seconds), command_(std::move(command)) {}

void Restart::without(std::size_t group, const std::string& contender) {
  const std::string why = fmt::format("a turn took more than {:g} s", limit_seconds_);
  try {
    journal_.add_hung(group, contender, why);
  } catch (const CannotWrite& error) {
    tell("\n{}: {}\nnormbench: {}\n", contender, why, error.what());
    _exit(static_cast<int>(Exit::NotWritten));
  }
  tell("\n{}: {}; going on without it\n", contender, why);
  end_all_children();
  become(command_);
  _exit(static_cast<int>(Exit::Failed));
}

}  // namespace normbench
