/// Ctrl-C and SIGTERM.
#pragma once

#include <atomic>

namespace normbench {

/// Becomes true with the first signal, which ends a run after its turn; the second ends the
/// process.
const std::atomic<bool>& watch_for_interrupts();

}  // namespace normbench
