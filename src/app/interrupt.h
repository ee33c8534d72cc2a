/// Ctrl-C, SIGTERM and a terminal that is closed.
#pragma once

#include <atomic>

namespace normbench {

/// Becomes true with the first signal, which ends a run after its turn. A second Ctrl-C or SIGTERM
/// ends the process at once, with Exit::Interrupted; what follows within 0.2 s is one signal sent
/// twice, as by timeout(1). Signals that the process was started to ignore (nohup) stay ignored.
const std::atomic<bool>& watch_for_interrupts();

}  // namespace normbench
