/// Words and phrases that sentences and tables share.
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

/// Returns a name for a sentence, in quotes if it contains any of the characters , : ; ( ).
std::string spoken(std::string_view name);
/// Returns the items as "A", "A and B" or "A, B and C".
std::string enumerate(std::span<const std::string> items);
/// Returns the names of cases as "A and B", in the group's order. Of more than 12 cases, names 10
/// and counts the others.
std::string spoken_cases(const GroupResult& group, std::vector<int> indices);
/// Values by text, in the order in which the texts were first named.
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
/// Returns a case's speed-up over the baseline, like "3.21x". If the times of the two cases
/// contradict it, " (by ms 11.1x)" follows; unlike_times_text() explains that. Needs `ratio`.
std::string speed_up_text(const CaseAnalysis& analysis);
/// Returns " (by ms 11.1x)" if the case's times contradict its ratio, else "".
std::string by_times_text(const CaseAnalysis& analysis);
/// Returns the explanation of "by ms" if the row of any case of the group has it, else "".
std::string unlike_times_text(const GroupAnalysis& analysis);
/// Returns the half-width of the interval of a case's time, like "1.1 %", or "busy" if other
/// programs disturbed too many of the case's rounds.
std::string width_text(const GroupAnalysis& analysis, int index);
/// Returns how many cases of the group failed, like "2 of 3 failed"; "" if none did.
std::string failed_text(const GroupResult& group);
/// Returns a figure like "56.6 ms wall" or "0.71x the baseline".
std::string figure_text(FigureKind kind, double value);
/// Returns a text like "differences below 9.3 % cannot be seen here". `visible` is the smallest
/// visible difference, as a fraction. From 1 on, the text is like "differences below 5.3x …", and
/// from 9 on "too noisy to tell".
std::string hidden_text(double visible);
/// Returns a text like "float32 nchw 32x3x224x224 on the host".
std::string output_text(const TensorDesc& desc);
/// Returns an error of values, like "2.4e-7".
std::string max_error_text(double error);

/// Returns a value of a sweep axis, like "64", "720x1280" or "uint8". An object is shown by its
/// "name", if it has one.
std::string axis_value(const Json& value);
/// Returns a point of a sweep, like "batch=64, size=720x1280"; "" without axes.
std::string point_text(const Json& point);
/// Returns a point of a sweep without the axes' names, like "64, 720x1280".
std::string axes_values(const Json& point);
/// Returns a text like "stolen 3, preempted 2" for the numbers of rounds that have each flag.
std::string flags_text(const std::map<Flag, std::size_t>& flagged);

}  // namespace normbench
