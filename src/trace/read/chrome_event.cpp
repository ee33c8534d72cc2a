#include "trace/read/chrome_event.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace normbench {
namespace {

struct MemberKey {
  std::string_view text;
  Member member;
};
constexpr MemberKey event_keys[] = {
    {"ph", Member::Phase},     {"cat", Member::Category}, {"name", Member::Name},
    {"pid", Member::Pid},      {"tid", Member::Tid},      {"ts", Member::Start},
    {"dur", Member::Duration}, {"args", Member::Args},    {"id", Member::Id},
    {"id2", Member::Id2},      {"scope", Member::Scope}};
// The keys include the spellings of PyTorch before 1.12, like "external id".
constexpr MemberKey args_keys[] = {{"External id", Member::ExternalId},
                                   {"external id", Member::ExternalId},
                                   {"correlation", Member::Correlation},
                                   {"stream", Member::Stream},
                                   {"device", Member::Device},
                                   {"bytes", Member::Bytes},
                                   {"source", Member::Source},
                                   {"over_link", Member::OverLink},
                                   {"Input Dims", Member::Shapes},
                                   {"Input dims", Member::Shapes},
                                   {"normbench label", Member::Label},
                                   {"Bytes", Member::AllocatedBytes},
                                   {"Device Type", Member::DeviceType},
                                   {"count", Member::EventCount},
                                   {"avg ms", Member::EventMean},
                                   {"finished", Member::Finished},
                                   {"dropped_event_count", Member::DroppedEvents}};
constexpr MemberKey id2_keys[] = {{"local", Member::LocalId}, {"global", Member::Id}};

Member member_in(std::span<const MemberKey> keys, std::string_view text) {
  for (const MemberKey& key : keys)
    if (key.text == text) return key.member;
  return Member::None;
}

template <class T>
std::optional<T> number_in(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns the integer in `text`. An integer that fits only into uint64 keeps its 64 bits, and so
/// becomes negative. Other numbers are rounded. Returns nothing for text that is not a number, and
/// for other numbers with an absolute value of 9e18 or more.
std::optional<std::int64_t> integer_in(std::string_view text) {
  if (const auto value = number_in<std::int64_t>(text)) return value;
  if (const auto value = number_in<std::uint64_t>(text)) return static_cast<std::int64_t>(*value);
  constexpr double most = 9e18;
  const auto value = number_in<double>(text);
  return value && std::abs(*value) < most ? std::optional(std::llround(*value)) : std::nullopt;
}

/// A Member, and the data member of ChromeEvent that stores its value unchanged.
template <class T>
struct MemberPlace {
  Member member;
  T ChromeEvent::*place;
};
constexpr MemberPlace<std::string> text_places[] = {
    {Member::Phase, &ChromeEvent::phase},  {Member::Category, &ChromeEvent::category},
    {Member::Name, &ChromeEvent::name},    {Member::Source, &ChromeEvent::source},

    {Member::Pid, &ChromeEvent::pid_text}, {Member::Tid, &ChromeEvent::tid_text},
    {Member::Label, &ChromeEvent::label},  {Member::Id, &ChromeEvent::id},
    {Member::Scope, &ChromeEvent::scope}};
constexpr MemberPlace<std::int64_t> number_places[] = {
    {Member::Pid, &ChromeEvent::pid},
    {Member::Tid, &ChromeEvent::tid},
    {Member::Correlation, &ChromeEvent::correlation},
    {Member::Stream, &ChromeEvent::stream},
    {Member::Device, &ChromeEvent::device},
    {Member::Bytes, &ChromeEvent::bytes},
    {Member::AllocatedBytes, &ChromeEvent::allocated_bytes},
    {Member::DeviceType, &ChromeEvent::device_type},
    {Member::DroppedEvents, &ChromeEvent::dropped_events}};

/// Returns the data member of the event for `member`, or null if `places` has none.
template <class T>
T* place_of(ChromeEvent& event, std::span<const MemberPlace<T>> places, Member member) {
  const auto found = std::ranges::find(places, member, &MemberPlace<T>::member);
  return found == places.end() ? nullptr : &(event.*found->place);
}

struct Category {
  std::string_view name;
  TraceKind kind;
};
constexpr Category old_categories[] = {{"Operator", TraceKind::CpuOp},
                                       {"Runtime", TraceKind::CudaRuntime},
                                       {"Kernel", TraceKind::Kernel},
                                       {"Memcpy", TraceKind::GpuMemcpy},
                                       {"Memset", TraceKind::GpuMemset}};
/// Categories of runtime and driver calls for devices other than CUDA ones. These calls get the
/// same kinds as CUDA calls. `words(TraceKind)` has only one category for each kind, so it does not
/// have these categories.
constexpr Category other_devices[] = {
    {"xpu_runtime", TraceKind::CudaRuntime},  {"mtia_runtime", TraceKind::CudaRuntime},
    {"glow_runtime", TraceKind::CudaRuntime}, {"privateuse1_runtime", TraceKind::CudaRuntime},
    {"xpu_driver", TraceKind::CudaDriver},    {"privateuse1_driver", TraceKind::CudaDriver}};

TraceKind kind_in(std::span<const Category> categories, std::string_view name) {
  const auto found = std::ranges::find(categories, name, &Category::name);
  return found == categories.end() ? TraceKind::Other : found->kind;
}

/// The latest and the earliest accepted time (in 2096 and in 1957), in microseconds since the
/// epoch. With these limits, a start plus a duration fits into 64-bit nanoseconds, and so does the
/// difference of two such sums.
constexpr std::int64_t most_us = 4'000'000'000'000'000, least_us = -400'000'000'000'000;

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Converts microseconds to nanoseconds. `whole` has the digits before the decimal point, and
/// `decimals` has those after it. Rounds up if the fourth decimal is at least 5. Returns nothing
/// for a time after `most_us`.
std::optional<std::int64_t> exact_ns(std::string_view whole, std::string_view decimals) {
  std::int64_t ns = 0;
  std::from_chars(whole.data(), whole.data() + whole.size(), ns);
  if (ns > most_us) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) ns = 10 * ns + (i < decimals.size() ? decimals[i] - '0' : 0);
  return ns + (decimals.size() > 3 && decimals[3] >= '5' ? 1 : 0);
}

std::optional<std::int64_t> rounded_ns(std::string_view text) {
  double us = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), us);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(us >= static_cast<double>(least_us) && us <= static_cast<double>(most_us)))
    return std::nullopt;
  return std::llround(us * 1000);
}

}  // namespace

Member member_of_event(std::string_view key) { return member_in(event_keys, key); }
Member member_of_args(std::string_view key) { return member_in(args_keys, key); }
Member member_of_id2(std::string_view key) { return member_in(id2_keys, key); }

void set_boolean(ChromeEvent& event, Member member, bool value) {
  if (member == Member::OverLink) event.over_link = value;
  if (member == Member::Finished) event.unfinished = !value;
}

void set_number(ChromeEvent& event, Member member, std::string_view text) {
  if (member == Member::None) return;
  if (member == Member::Start) {
    event.start_ns = ns_of_microseconds(text);
  } else if (member == Member::Duration) {
    event.duration_ns = ns_of_microseconds(text);
  } else if (member == Member::Id || member == Member::LocalId) {
    set_text(event, member, text);
  } else if (member == Member::EventCount) {
    event.has_count = true;
  } else if (member == Member::EventMean) {
    event.has_mean = true;
  } else if (const auto value = integer_in(text)) {
    if (member == Member::ExternalId)
      event.external_id = static_cast<std::uint64_t>(*value);
    else if (auto* const place = place_of<std::int64_t>(event, number_places, member))
      *place = *value;
  }
}

void set_text(ChromeEvent& event, Member member, std::string_view text) {
  if (member == Member::Start || member == Member::Duration) return set_number(event, member, text);
  if (member == Member::LocalId) {
    event.local_id = true;
    event.id = text;
    return;
  }
  auto* const place = place_of<std::string>(event, text_places, member);
  const bool is_place = member == Member::Pid || member == Member::Tid;
  if (place != nullptr && !(is_place && number_in<std::int64_t>(text)))
    *place = text;
  else if (number_in<std::int64_t>(text))
    set_number(event, member, text);
}

void clear(ChromeEvent& event) {
  for (const auto& [member, text] : text_places) (event.*text).clear();
  event.shapes.clear();
  event.line = 0;
  event.over_link = event.local_id = event.has_count = event.has_mean = event.unfinished = false;
  for (const auto& [member, number] : number_places) event.*number = 0;
  event.start_ns = event.duration_ns = std::nullopt;
  event.external_id = 0;
  event.correlation = event.stream = event.device = -1;
}

TraceKind kind_of_category(std::string_view category) {
  return parse_word<TraceKind>(category).value_or(kind_in(other_devices, category));
}

TraceKind old_kind_of_category(std::string_view category) {
  return kind_in(old_categories, category);
}

bool is_common_word(std::string_view category) {
  constexpr auto words = std::to_array<std::string_view>(
      {"kernel", "overhead", "python_function", "cuda_sync", "cpu_thread"});
  return std::ranges::find(words, category) != words.end();
}

std::optional<std::int64_t> ns_of_microseconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view size = text.substr(negative ? 1 : 0);
  const auto point = std::min(size.find('.'), size.size());
  const std::string_view whole = size.substr(0, point);
  const std::string_view decimals = size.substr(std::min(point + 1, size.size()));
  if (whole.empty() || whole.size() > 16 || !is_digits(whole) || !is_digits(decimals))
    return rounded_ns(text);
  const std::optional<std::int64_t> ns = exact_ns(whole, decimals);
  if (!negative || !ns) return ns;
  return *ns <= -1000 * least_us ? std::optional(-*ns) : std::nullopt;
}

}  // namespace normbench
