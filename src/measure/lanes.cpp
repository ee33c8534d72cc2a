/// Runs a pipeline in one of three ways: all stages on the calling thread, one host thread for each
/// server of a lane, or one host thread for each item (batch). A lane is a set of stages. Each of
/// its servers runs these stages for one item at a time.
#include <algorithm>
#include <utility>

#include "machine/affinity.h"
#include "machine/start_thread.h"
#include "measure/engine.h"
#include "record/thread_name.h"

namespace normbench {
namespace {

constexpr std::string_view threads_for = "items in flight";

/// Returns the name of the host thread that runs a server of a lane. If the lane `save` has one
/// server, the thread is named "lane save". If it has several, the threads are named "lane save 1",
/// "lane save 2" and so on.
std::string thread_name(const Lane& lane, int server) {
  return lane.servers == 1 ? "lane " + lane.name
                           : "lane " + lane.name + " " + std::to_string(server + 1);
}

cpu_set_t only(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  return cpus;
}

}  // namespace

/// Returns true if the calling thread runs all stages: if the config requests it (Submit::One), or
/// if nothing can overlap, because there is only one item in flight or one lane.
bool Engine::runs_inline() const {
  if (in_turn()) return true;
  const Pipeline& pipeline = *planned_.pipeline;
  const bool one_lane = pipeline.part && !pipeline.part->lane.empty();
  return pipeline.in_flight == 1 || pipeline.submit == Submit::One || one_lane;
}

bool Engine::can_admit() const { return !error_ && admitted_ < count_ && !free_.empty(); }

bool Engine::is_over() const { return working_ == 0 && (error_ || done_ == count_); }

/// Starts the next item. Uses the `Item` that has been free for the longest time. The caller must
/// hold mutex_, except in run_inline().
Item& Engine::admit() {
  Item& item = *free_.front();
  free_.pop_front();
  item.number = admitted_++;
  item.visit = 0;
  ++item.round;
  return item;
}

/// Hands the item to the lane of its next visit (consecutive stages in one lane), as a ready item.
/// If the item has no more visits, adds it to the free items. The caller must hold mutex_.
void Engine::pass_on(Item& item) {
  if (item.visit < visits_.size()) {
    LaneState& lane = lanes_[visits_[item.visit].lane];
    lane.ready.push_back(&item);
    lane.wake.notify_one();
    return;
  }
  ++done_;
  free_.push_back(&item);
  lanes_[visits_.front().lane].wake.notify_one();
}

/// Takes the item with the lowest number that is ready for the lane. If none is ready, and items
/// start in this lane, starts a new item. Returns null if no item can run in the lane now.
Item* Engine::take(std::size_t lane) {
  auto& ready = lanes_[lane].ready;
  if (!error_ && !ready.empty()) {
    const auto oldest = std::ranges::min_element(ready, {}, &Item::number);
    Item* const item = *oldest;
    ready.erase(oldest);
    return item;
  }
  return visits_.front().lane == lane && can_admit() ? &admit() : nullptr;
}

/// Starts the host threads of all lanes and waits until they are ready. If the system cannot start
/// a thread, or a thread fails while it starts, ends all host threads and throws.
void Engine::start_hosts() {
  const auto divided = divide_cpus(planned_, team_cpus());
  try {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      if (std::ranges::find(visits_, lane, &Visit::lane) == visits_.end()) continue;
      for (int server = 0; server < lanes_[lane].lane.servers; ++server) {
        const auto& cpus = divided[lane][static_cast<std::size_t>(server)];
        hosts_.push_back(std::make_unique<Host>());
        const auto serving = [this, lane, server, cpus, &host = *hosts_.back()] {
          serve(lane, static_cast<std::size_t>(server), cpus, host.worker);
        };
        hosts_.back()->thread = start_thread(serving, threads_for);
      }
    }
  } catch (...) {
    stop_hosts();
    throw;
  }
  {
    std::unique_lock lock(mutex_);
    over_.wait(lock, [&] { return started_ == hosts_.size(); });
    if (!error_) return;
  }
  stop_hosts();
  std::rethrow_exception(error_);
}

void Engine::stop_hosts() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  for (LaneState& lane : lanes_) lane.wake.notify_all();
  for (const auto& host : hosts_)
    if (host->thread.joinable()) host->thread.join();
}

/// The function that the host thread of a server runs. It returns after stop_hosts() was called.
void Engine::serve(std::size_t lane, std::size_t server, const std::vector<int>& cpus,
                   std::optional<Worker>& worker) {
  name_this_thread(thread_name(lanes_[lane].lane, static_cast<int>(server)));
  std::exception_ptr error;
  try {
    if (!cpus.empty()) bind_this_thread(only(cpus.front()));
    for (const auto& backend : backends_.list) backend->enter_thread();
    worker.emplace(make_worker(lane));
    if (worker->host[lane]) worker->host[lane]->cpus = cpus;
  } catch (...) {
    error = std::current_exception();
  }
  std::unique_lock lock(mutex_);
  ++started_;
  for (;;) {
    if (error && !error_) error_ = std::exchange(error, nullptr);
    if (is_over()) over_.notify_one();
    Item* item = nullptr;
    lanes_[lane].wake.wait(lock, [&] { return quit_ || (item = take(lane)) != nullptr; });
    if (quit_) break;
    ++working_;
    lock.unlock();
    try {
      run_visit(*item, server, *worker);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --working_;
    if (!error) pass_on(*item);
  }
  recorder_.leave();
}

void Engine::run_on_lanes() {
  std::unique_lock lock(mutex_);
  for (LaneState& lane : lanes_) lane.wake.notify_all();
  over_.wait(lock, [&] { return is_over(); });
  count_ = 0;
}

/// Chooses the item whose next stage run_inline() runs: the oldest item in flight whose next stage
/// need not wait for a device. If there is none, starts and returns a new item. If no new item may
/// start, returns the oldest item in flight.
Item& Engine::next_inline() {
  const auto found = std::ranges::find_if(
      flying_, [&](const Item* item) { return !item->must_wait(visits_[item->visit].first); });
  if (found != flying_.end()) return **found;
  if (!can_admit()) return *flying_.front();
  return *flying_.emplace_back(&admit());
}

void Engine::run_inline() {
  try {
    while (done_ < count_) {
      Item& item = next_inline();
      run_visit(item, 0, *own_);
      if (item.visit < visits_.size()) continue;
      ++done_;
      free_.push_back(&item);
      std::erase(flying_, &item);
    }
  } catch (...) {
    error_ = std::current_exception();
  }
}

/// Runs all stages of an item. This is the function of the thread that is started for the item.
void Engine::run_alone(Item& item) {
  std::exception_ptr error;
  try {
    name_this_thread("item");
    for (const auto& backend : backends_.list) backend->enter_thread();
    while (item.visit < visits_.size()) run_visit(item, 0, item_workers_[item.seat]);
  } catch (...) {
    error = std::current_exception();
  }
  recorder_.leave();
  const std::lock_guard lock(mutex_);
  if (error && !error_) error_ = error;
  ++done_;
  free_.push_back(&item);
  over_.notify_one();
}

void Engine::run_on_threads() {
  std::unique_lock lock(mutex_);
  while (admitted_ < count_ && !error_) {
    over_.wait(lock, [&] { return !free_.empty(); });
    if (!can_admit()) break;
    Item& item = admit();
    lock.unlock();
    std::thread& thread = item_threads_[item.seat];
    if (thread.joinable()) thread.join();
    std::exception_ptr error;
    try {
      thread = start_thread([this, &item] { run_alone(item); }, threads_for);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !error_) error_ = error;
  }
  lock.unlock();
  for (std::thread& thread : item_threads_)
    if (thread.joinable()) thread.join();
}

}  // namespace normbench
