#include "analysis/simulate_pipeline.h"

#include <algorithm>
#include <limits>
#include <set>

namespace normbench {
namespace {

constexpr double kDone = 1e-6;  // ns: less work than this is a rounding error and counts as done

class Simulation {
 public:
  explicit Simulation(const PipelineModel& model)
      : model_(model), waiting_(model.lanes.size()), visit_(model.work_ns.size()) {
    for (const ModelLane& lane : model.lanes) free_.push_back(lane.servers);
  }

  double run() {
    for (;;) {
      for (std::size_t lane = 0; lane < free_.size(); ++lane) serve(lane);
      if (working_.empty()) return now_ns_;
      advance();
    }
  }

 private:
  struct Work {
    std::size_t item;
    double left_ns;  // time that the rest of the work takes at full speed
  };

  std::size_t lane_of(std::size_t item) const { return model_.visits[visit_[item]]; }

  /// Starts waiting items on the free servers of the lane.
  void serve(std::size_t lane) {
    for (; free_[lane] > 0; --free_[lane]) {
      if (waiting_[lane].empty() && !admit(lane)) return;
      const std::size_t item = *waiting_[lane].begin();
      waiting_[lane].erase(item);
      working_.push_back({item, model_.work_ns[item][visit_[item]]});
    }
  }

  /// Admits the next item if its first visit is to `lane` and fewer than `in_flight` items are in
  /// flight. The item then waits for the lane. Returns false if no item was admitted.
  bool admit(std::size_t lane) {
    if (lane != model_.visits.front() || admitted_ == model_.work_ns.size() ||
        flying_ == model_.in_flight)
      return false;
    ++flying_;
    waiting_[lane].insert(admitted_++);
    return true;
  }

  double cores_of(const Work& work) const { return model_.lanes[lane_of(work.item)].cores; }

  /// Advances the time until the next piece of work ends.
  void advance() {
    double busy = 0;
    for (const Work& work : working_) busy += cores_of(work);
    const double shared = model_.cores > 0 && busy > model_.cores ? model_.cores / busy : 1;
    const auto speed = [&](const Work& work) { return cores_of(work) > 0 ? shared : 1; };
    double step_ns = std::numeric_limits<double>::max();
    for (const Work& work : working_) step_ns = std::min(step_ns, work.left_ns / speed(work));
    for (Work& work : working_) work.left_ns -= step_ns * speed(work);
    now_ns_ += step_ns;
    std::erase_if(working_, [&](const Work& work) {
      if (work.left_ns >= kDone) return false;
      pass_on(work.item);
      return true;
    });
  }

  void pass_on(std::size_t item) {
    ++free_[lane_of(item)];
    if (++visit_[item] < model_.visits.size())
      waiting_[lane_of(item)].insert(item);
    else
      --flying_;
  }

  const PipelineModel& model_;
  std::vector<std::set<std::size_t>> waiting_;  // waiting items of each lane
  std::vector<std::size_t> visit_;  // index of the present or the next visit of each item
  std::vector<std::int64_t> free_;  // number of free servers of each lane
  std::vector<Work> working_;
  std::size_t admitted_ = 0;
  std::int64_t flying_ = 0;
  double now_ns_ = 0;
};

}  // namespace

double simulated_ns(const PipelineModel& model) { return Simulation(model).run(); }

}  // namespace normbench
