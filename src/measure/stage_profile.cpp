#include "measure/stage_profile.h"

namespace normbench {

StageProfile::Scope::Scope(StageProfile* profile, std::string_view label, bool on_device)
    : profile_(profile) {
  if (profile_ == nullptr) return;
  auto found = profile_->faults_.find(label);
  if (found == profile_->faults_.end())
    found = profile_->faults_.emplace(std::string(label), 0).first;
  faults_ = &found->second;
  if (on_device) {
    external_id_ = profile_->tracing_.next_id();
    profile_->tracing_.push(external_id_);
  }
  before_ = profile_->clock_.counters();
}

StageProfile::Scope::~Scope() {
  if (profile_ == nullptr) return;
  const Counters spent = profile_->clock_.counters() - before_;
  *faults_ += spent.minor_faults + spent.major_faults;
  if (external_id_ != 0) profile_->tracing_.pop();
}

}  // namespace normbench
