/// Words and phrases that the sentences and tables of reports share.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/limits.h"
#include "analysis/noise.h"
#include "analysis/published.h"
#include "analysis/why/claims.h"
#include "analysis/why/parts.h"
#include "core/units.h"

namespace normbench {

constexpr auto words(LimitKind) {
  return std::to_array<Word<LimitKind>>({{LimitKind::Link, "link"},
                                         {LimitKind::Launch, "launch"},
                                         {LimitKind::PageFaults, "page faults"},
                                         {LimitKind::Memory, "memory"}});
}
constexpr auto words(Flag) {
  return std::to_array<Word<Flag>>({{Flag::Stolen, "stolen"},
                                    {Flag::Throttled, "throttled"},
                                    {Flag::HeldUp, "held up"},
                                    {Flag::Preempted, "preempted"},
                                    {Flag::SlowClock, "slow clock"},
                                    {Flag::Outlier, "outlier"},
                                    {Flag::DeviceClock, "GPU clock"},
                                    {Flag::DeviceThrottled, "GPU held back"}});
}
constexpr auto words(Resource) {
  return std::to_array<Word<Resource>>({{Resource::Decode, "decode"},
                                        {Resource::Reading, "reading"},
                                        {Resource::Link, "link"},
                                        {Resource::Pinning, "pinning"},
                                        {Resource::Gpu, "GPU"},
                                        {Resource::Cpu, "CPU"}});
}
constexpr auto words(FigureKind) {
  return std::to_array<Word<FigureKind>>({{FigureKind::Wall, "wall"},
                                          {FigureKind::Device, "device"},
                                          {FigureKind::Sum, "host and device"},
                                          {FigureKind::Submitted, "until submitted"},
                                          {FigureKind::FirstCall, "first call"},
                                          {FigureKind::SpeedUp, "the baseline"}});
}
constexpr auto words(Judgement::Outcome) {
  using enum Judgement::Outcome;
  return std::to_array<Word<Judgement::Outcome>>({{Confirmed, "confirmed"},
                                                  {DirectionOnly, "direction only"},
                                                  {Contradicted, "contradicted"},
                                                  {Inconclusive, "inconclusive"},
                                                  {Failed, "failed"},
                                                  {NotRun, "not testable here"},
                                                  {Interrupted, "interrupted"},
                                                  {NotJudged, "not judged here"}});
}

/// Returns a name as it stands in a sentence: in quotes if it contains any of the
/// characters , : ; ( ).
std::string spoken(std::string_view name);
/// Returns the items as "A", "A and B" or "A, B and C".
std::string enumerate(std::span<const std::string> items);
/// Returns the names of cases as "A and B", in the group's order. If there are more than 12 cases,
/// returns the names of 10 and the number of the others.
std::string spoken_cases(const GroupResult& group, std::vector<int> indices);
/// A map from texts to values. Iteration is in the order in which the texts were added.
template <class T>
class InOrder {
 public:
  /// Returns the value of `key`. If there is none, adds the key at the end with the value T().
  T& under(const std::string& key) {
    const auto [at, is_new] = indices_.emplace(key, entries_.size());
    if (is_new) entries_.emplace_back(key, T());
    return entries_[at->second].second;
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<std::pair<std::string, T>> entries_;
  std::unordered_map<std::string, std::size_t> indices_;
};

/// Returns a ratio like "34.0" with three digits, or like "0.72" with two if it is below 1.
std::string ratio_number(double value);
/// Returns a ratio like "34.0x" or "0.72x".
std::string factor(double value);
/// Returns a case's speed-up over the baseline, like "3.21x". The case must have a `ratio`. If the
/// median times of the case and the baseline contradict the `ratio`, " (by ms 11.1x)" follows.
/// unlike_times_text() returns an explanation of "by ms".
std::string speed_up_text(const CaseAnalysis& analysis);
/// If the speed-up by the median times of the case and the baseline contradicts the case's `ratio`
/// (a median of ratios), returns it as text, like " (by ms 11.1x)". Otherwise returns "".
std::string by_times_text(const CaseAnalysis& analysis);
/// Returns the explanation of "by ms" if by_times_text() returns a text for any case of the group,
/// else "".
std::string unlike_times_text(const GroupAnalysis& analysis);
/// Returns the half-width of the interval of a case's time, like "1.1 %". Returns "busy" if other
/// programs disturbed too many of the case's rounds.
std::string width_text(const GroupAnalysis& analysis, int index);
/// Returns how many cases of the group failed, like "2 of 3 failed", or "" if none did.
std::string failed_text(const GroupResult& group);
/// Returns a time or a speed-up, like "56.6 ms wall" or "0.71x the baseline".
std::string figure_text(FigureKind kind, double value);
/// Returns a text like "differences below 9.3 % cannot be seen here". `visible` is the smallest
/// visible difference, as a fraction: 0.093 is 9.3 %. If it is 1 or more, the text is like
/// "differences below 5.3x ...". If it is 9 or more, the text is "too noisy to tell".
std::string hidden_text(double visible);
/// Returns a text like "float32 nchw 32x3x224x224 on the host".
std::string output_text(const TensorDesc& desc);
/// Returns the largest error of an output, like "2.4e-7".
std::string max_error_text(double error);

/// Returns a value of a sweep axis, like "64", "720x1280" or "uint8". For an object with a member
/// "name", returns that name.
std::string axis_value(const Json& value);
/// Returns a point of a sweep, like "batch=64, size=720x1280", or "" if it has no axes.
std::string point_text(const Json& point);
/// Returns the values of a point of a sweep without the names of the axes, like "64, 720x1280".
std::string axes_values(const Json& point);
/// Returns the number of rounds that have each flag (a reason why a round was disturbed), like
/// "stolen 3, preempted 2".
std::string flags_text(const std::map<Flag, std::size_t>& flagged);

}  // namespace normbench
