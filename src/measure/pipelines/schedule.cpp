/// The three ways in which host threads take items through a pipeline.
#include <algorithm>
#include <utility>

#include "machine/affinity.h"
#include "machine/start_thread.h"
#include "measure/pipelines/engine.h"
#include "record/thread_name.h"

namespace normbench {
namespace {

constexpr std::string_view threads_for = "items in flight";

/// "lane save", "lane save 2".
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

bool Engine::can_admit() const { return !error_ && admitted_ < items_ && !free_.empty(); }

bool Engine::is_over() const { return working_ == 0 && (error_ || done_ == items_); }

/// Starts the next item on the flight that has been free for longest. Call with the lock.
Engine::Passage& Engine::admit() {
  Passage& passage = *free_.front();
  free_.pop_front();
  passage.item = admitted_++;
  passage.visit = 0;
  ++passage.round;
  return passage;
}

/// After a visit: to the next lane, or free again. Call with the lock.
void Engine::pass_on(Passage& passage) {
  if (passage.visit < visits_.size()) {
    LaneState& lane = lanes_[visits_[passage.visit].lane];
    lane.ready.push_back(&passage);
    lane.wake.notify_one();
    return;
  }
  ++done_;
  free_.push_back(&passage);
  lanes_[visits_.front().lane].wake.notify_one();
}

/// The oldest item that is there for the lane, else a new one where they start; null for none.
Engine::Passage* Engine::take(std::size_t lane) {
  auto& ready = lanes_[lane].ready;
  if (!error_ && !ready.empty()) {
    const auto oldest = std::ranges::min_element(ready, {}, &Passage::item);
    Passage* const passage = *oldest;
    ready.erase(oldest);
    return passage;
  }
  return visits_.front().lane == lane && can_admit() ? &admit() : nullptr;
}

/// Throws where the system gives no more threads; none is left running then.
void Engine::start_hosts() {
  const auto divided = divide_cpus(work_, team_cpus());
  try {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      if (std::ranges::find(visits_, lane, &Visit::lane) == visits_.end()) continue;
      for (int server = 0; server < work_.pipeline->lanes[lane].servers; ++server) {
        const auto& cpus = divided[lane][static_cast<std::size_t>(server)];
        hosts_.push_back(std::make_unique<Host>());
        const auto work = [this, lane, server, cpus, &host = *hosts_.back()] {
          serve(lane, static_cast<std::size_t>(server), cpus, host.worker);
        };
        hosts_.back()->thread = start_thread(work, threads_for);
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

/// What a server's host thread does from its start to its end.
void Engine::serve(std::size_t lane, std::size_t server, const std::vector<int>& cpus,
                   Worker& worker) {
  name_this_thread(thread_name(work_.pipeline->lanes[lane], static_cast<int>(server)));
  std::exception_ptr error;
  try {
    if (!cpus.empty()) bind_this_thread(only(cpus.front()));
    for (const auto& backend : backends_.list) backend->enter_thread();
    worker = make_worker(lane);
    worker.host[lane]->cpus = cpus;
  } catch (...) {
    error = std::current_exception();
  }
  std::unique_lock lock(mutex_);
  ++started_;
  for (;;) {
    if (error && !error_) error_ = std::exchange(error, nullptr);
    if (is_over()) over_.notify_one();
    Passage* passage = nullptr;
    lanes_[lane].wake.wait(lock, [&] { return quit_ || (passage = take(lane)) != nullptr; });
    if (quit_) break;
    ++working_;
    lock.unlock();
    try {
      run_visit(*passage, server, worker);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --working_;
    if (!error) pass_on(*passage);
  }
  recorder_.leave();
}

void Engine::run_on_lanes() {
  std::unique_lock lock(mutex_);
  for (LaneState& lane : lanes_) lane.wake.notify_all();
  over_.wait(lock, [&] { return is_over(); });
  items_ = 0;
}

/// The oldest item whose next stage need not wait for a device, else a new one, else the oldest.
Engine::Passage& Engine::next_inline() {
  const auto found = std::ranges::find_if(flying_, [&](const Passage* passage) {
    return !passage->flight.must_wait(visits_[passage->visit].first);
  });
  if (found != flying_.end()) return **found;
  if (!can_admit()) return *flying_.front();
  return *flying_.emplace_back(&admit());
}

void Engine::run_inline() {
  try {
    while (done_ < items_) {
      Passage& passage = next_inline();
      run_visit(passage, 0, own_);
      if (passage.visit < visits_.size()) continue;
      ++done_;
      free_.push_back(&passage);
      std::erase(flying_, &passage);
    }
  } catch (...) {
    error_ = std::current_exception();
  }
}

/// An item from its first stage to its last, on a thread of its own.
void Engine::run_alone(Passage& passage) {
  std::exception_ptr error;
  try {
    name_this_thread("item");
    for (const auto& backend : backends_.list) backend->enter_thread();
    while (passage.visit < visits_.size()) run_visit(passage, 0, passage.worker);
  } catch (...) {
    error = std::current_exception();
  }
  recorder_.leave();
  const std::lock_guard lock(mutex_);
  if (error && !error_) error_ = error;
  ++done_;
  free_.push_back(&passage);
  over_.notify_one();
}

void Engine::run_on_threads() {
  std::unique_lock lock(mutex_);
  while (admitted_ < items_ && !error_) {
    over_.wait(lock, [&] { return !free_.empty(); });
    if (!can_admit()) break;
    Passage& passage = admit();
    lock.unlock();
    if (passage.thread.joinable()) passage.thread.join();
    std::exception_ptr error;
    try {
      passage.thread = start_thread([this, &passage] { run_alone(passage); }, threads_for);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !error_) error_ = error;
  }
  lock.unlock();
  for (const auto& passage : passages_)
    if (passage->thread.joinable()) passage->thread.join();
}

}  // namespace normbench
