#include "measure/pipelines/flight.h"

#include <exception>
#include <utility>

namespace normbench {

Flight::~Flight() {
  try {
    wait();
  } catch (const std::exception&) {
    // Work that failed was reported by the wait that saw it.
  }
}

void Flight::begin(std::int64_t item, const BufferSlots& buffers) {
  wait();
  if (!work_.pipeline->part) stages_.free_all();
  stages_.use(buffers);
  item_ = item;
}

void Flight::wait_before(Queue& queue) {
  if (!queue.is_asynchronous())
    wait();
  else if (pending_ != nullptr && pending_ != &queue)
    queue.wait_for(*std::exchange(pending_, nullptr), mark_);
}

void Flight::run(std::size_t stage, Queue& queue, std::optional<Poison> poison) {
  queue.item = item_;
  stages_.allocate_fresh(stage, queue, poison);
  stages_.submit(stage, queue);
  if (work_.uses_gpu() || work_.pipeline->part) return;
  for (const std::size_t slot : stages_.finished(stage))
    if (!buffers_.is_output(slot)) stages_.free(slot);
}

void Flight::mark_end(Queue& queue) {
  mark_ = queue.mark();
  pending_ = &queue;
}

void Flight::finish() {
  if (!work_.uses_gpu() && !work_.pipeline->part) stages_.free_all();
}

bool Flight::must_wait(std::size_t stage) const {
  return pending_ != nullptr && work_.stages[stage].place == Place::Cpu;
}

void Flight::wait() {
  if (Queue* const queue = std::exchange(pending_, nullptr)) queue->wait(mark_);
}

}  // namespace normbench
