/// An item of a pipeline between its first and its last stage.
#pragma once

#include "measure/bound_stages.h"

namespace normbench {

/// Holds one set of buffers, and knows where the item's work on a device has got to. One thread at
/// a time uses it.
class Flight {
 public:
  /// `number` counts the flights of the case.
  Flight(const Case& work, const CaseBuffers& buffers, GroupMemory& memory,
         const Backends& backends, std::size_t number)
      : work_(work), buffers_(buffers), stages_(work, buffers, memory, backends, number) {}
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  std::int64_t item() const { return item_; }
  BoundStages& stages() { return stages_; }

  /// Starts an item on these buffers, once a device is done with the item before.
  void begin(std::int64_t item, const BufferSlots& buffers);
  /// What is submitted to `queue` from now on starts when the item's earlier work on other queues
  /// is done. The host waits for that only if it does the work itself.
  void wait_before(Queue& queue);
  /// Submits a stage; `poison` fills what it makes fresh.
  void run(std::size_t stage, Queue& queue, std::optional<Poison> poison);
  /// Marks the end of what it submitted to a device, for what comes next elsewhere.
  void mark_end(Queue& queue);
  /// Frees what it has fresh, unless a device may still work on it.
  void finish();
  /// True if the stage could start only after the host has waited for a device.
  bool must_wait(std::size_t stage) const;
  /// The mark of its last work on a device that the host has not waited for; null for none.
  Queue* pending() const { return pending_; }
  int pending_mark() const { return mark_; }
  /// Returns when no device works on it.
  void wait();

 private:
  const Case& work_;
  const CaseBuffers& buffers_;
  BoundStages stages_;
  std::int64_t item_ = 0;
  Queue* pending_ = nullptr;  // with a mark that the host has not waited for
  int mark_ = 0;
};

}  // namespace normbench
