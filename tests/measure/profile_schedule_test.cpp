#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "measure/profiled_steps.h"

namespace normbench::profile_schedule_test {
namespace {

/// Returns one letter per step, for the step's action: N for none, W for warm-up, R for record, S
/// for record and save.
std::string schedule(const ProfileOptions& options, std::int64_t steps) {
  std::string text;
  for (std::int64_t step = 0; step < steps; ++step)
    text += "NWRS"[static_cast<int>(action_of_step(options, step))];
  return text;
}

/// Returns the letter of the action that torch.profiler.schedule() chooses for the step. The code
/// is its Python code, translated statement by statement.
char torch_schedule(const ProfileOptions& options, std::int64_t step) {
  if (step < options.skip_first) return 'N';
  step -= options.skip_first;
  if (options.skip_first_wait != 0) step += options.wait;
  const std::int64_t steps = options.wait + options.warmup + options.active;
  const double cycles = static_cast<double>(step) / static_cast<double>(steps);
  if (options.repeat > 0 && cycles >= static_cast<double>(options.repeat)) return 'N';
  const std::int64_t in_cycle = step % steps;
  if (in_cycle < options.wait) return 'N';
  if (in_cycle < options.wait + options.warmup) return 'W';
  return in_cycle < steps - 1 ? 'R' : 'S';
}

std::string torch_schedule_text(const ProfileOptions& options, std::int64_t steps) {
  std::string text;
  for (std::int64_t step = 0; step < steps; ++step) text += torch_schedule(options, step);
  return text;
}

std::string words_of(const ProfileOptions& o) {
  return fmt::format("skip_first {} wait {} warmup {} active {} repeat {} skip_first_wait {}",
                     o.skip_first, o.wait, o.warmup, o.active, o.repeat, o.skip_first_wait);
}

/// Calls `check` with 2,304 schedules.
void for_many_schedules(const std::function<void(const ProfileOptions&)>& check) {
  for (const std::int64_t skip_first : {0, 1, 5})
    for (std::int64_t wait = 0; wait < 4; ++wait)
      for (std::int64_t warmup = 0; warmup < 4; ++warmup)
        for (std::int64_t active = 1; active < 5; ++active)
          for (const std::int64_t repeat : {0, 1, 2, 5})
            for (const std::int64_t skip_first_wait : {0, 1, 2}) {
              const ProfileOptions options{.skip_first = skip_first,
                                           .wait = wait,
                                           .warmup = warmup,
                                           .active = active,
                                           .repeat = repeat,
                                           .skip_first_wait = skip_first_wait};
              SCOPED_TRACE(words_of(options));
              check(options);
            }
}

TEST(ProfileSchedule, IsThatOfTorch) {
  EXPECT_EQ(schedule({.skip_first = 2, .wait = 1, .warmup = 2, .active = 3, .repeat = 2}, 17),
            "NNNWWRRSNWWRRSNNN");
  EXPECT_EQ(schedule({.wait = 0, .warmup = 0, .active = 2}, 4), "RSNN");
  EXPECT_EQ(schedule({.wait = 2, .warmup = 1, .active = 1, .repeat = 2, .skip_first_wait = 1}, 8),
            "WSNNWSNN");
  EXPECT_EQ(schedule({.wait = 0, .warmup = 1, .active = 2, .repeat = 0}, 8), "WRSWRSWR");
}

TEST(ProfileSchedule, IsThatOfTorchWhateverItsParameters) {
  for_many_schedules([](const ProfileOptions& options) {
    EXPECT_EQ(schedule(options, 80), torch_schedule_text(options, 80));
  });
}

TEST(ProfileSchedule, EndsWithItsLastRecordedStep) {
  EXPECT_EQ(schedule_steps({.skip_first = 2, .wait = 1, .warmup = 2, .active = 3, .repeat = 2}),
            14);
  EXPECT_EQ(schedule_steps({.wait = 1, .warmup = 1, .active = 3, .repeat = 0}), 5);
  EXPECT_EQ(schedule_steps({.wait = 2, .warmup = 1, .active = 3, .skip_first_wait = 1}), 4);
  for_many_schedules([](const ProfileOptions& options) {
    const std::int64_t steps = schedule_steps(options);
    EXPECT_EQ(action_of_step(options, steps - 1), StepAction::RecordAndSave);
    if (options.repeat > 0) {
      EXPECT_EQ(schedule(options, steps + 40).find_first_not_of('N', steps), std::string::npos);
    }
  });
}

TEST(ProfileSchedule, RepeatedForEverIsOnceForACase) {
  for_many_schedules([](ProfileOptions options) {
    if (options.repeat != 0) return;
    const std::int64_t steps = schedule_steps(options);
    options.repeat = 1;
    EXPECT_EQ(schedule_steps(options), steps);
  });
}

TEST(ProfileSchedule, StretchesAreAlikeAndARecordedOneIsACycles) {
  for_many_schedules([](const ProfileOptions& options) {
    const std::int64_t steps = schedule_steps(options);
    std::string text;
    for (std::int64_t step = 0; step < steps;) {
      const Stretch stretch = stretch_from(options, step);
      ASSERT_EQ(stretch.first, step);
      ASSERT_GT(stretch.last, step);
      const auto length = static_cast<std::size_t>(stretch.last - stretch.first);
      if (stretch.action == StepAction::Record) {
        EXPECT_EQ(stretch.last - stretch.first, options.active);
      }
      text += stretch.action == StepAction::Record   ? std::string(length - 1, 'R') + 'S'
              : stretch.action == StepAction::Warmup ? std::string(length, 'W')
                                                     : std::string(length, 'N');
      step = stretch.last;
    }
    EXPECT_EQ(text, schedule(options, steps));
  });
}

TEST(ProfileSchedule, AStretchEndsWhereTheKindChanges) {
  const ProfileOptions options{.skip_first = 2, .wait = 1, .warmup = 2, .active = 3};
  EXPECT_EQ(stretch_from(options, 0).last, 3);  // 2 skipped steps and 1 waiting step
  EXPECT_EQ(stretch_from(options, 3).last, 5);
  EXPECT_EQ(stretch_from(options, 5).last, 8);
}

}  // namespace
}  // namespace normbench::profile_schedule_test
