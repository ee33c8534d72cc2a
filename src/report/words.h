/// Words and phrases that sentences and tables share.
#pragma once

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
                                                  {NotRun, "not testable here"},
                                                  {Interrupted, "interrupted"},
                                                  {NotJudged, "not judged here"}});
}

/// A name in a sentence: quoted when it has punctuation of its own.
std::string spoken(std::string_view name);
/// "A", "A and B", "A, B and C".
std::string enumerate(std::span<const std::string> items);
/// "A and B" of cases' names, in the group's order.
std::string spoken_cases(const GroupResult& group, std::vector<int> indices);
/// The entry of a key, which is added at the end if it is new.
template <class T>
T& under(std::vector<std::pair<std::string, T>>& entries, const std::string& key) {
  for (auto& [other, value] : entries)
    if (other == key) return value;
  return entries.emplace_back(key, T()).second;
}
/// "34.0", "0.72": three digits, of a ratio below 1 two.
std::string ratio_number(double value);
/// "34.0x", "0.72x".
std::string factor(double value);
/// "56.6 ms wall", "0.71x the baseline".
std::string figure_text(FigureKind kind, double value);
/// What noise hides, by the smallest visible difference: "differences below 9.3 % cannot be seen
/// here", "… below 5.3x …", "too noisy to tell".
std::string hidden_text(double visible);
/// A value of a sweep axis: "64", "720x1280", "uint8"; the "name" of an object that has one.
std::string axis_value(const Json& value);
/// A point of a sweep: "batch=64, size=720x1280"; "" for no axes.
std::string point_text(const Json& point);
/// A point of a sweep without the axes' names: "64, 720x1280".
std::string axes_values(const Json& point);
/// "stolen 3, preempted 2".
std::string flags_text(const std::map<Flag, std::size_t>& flagged);

}  // namespace normbench
