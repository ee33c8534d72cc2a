#include "measure/selftest/selftest.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "backend/cpu/simd_targets.h"
#include "core/issue.h"
#include "measure/selftest/cases.h"
#include "measure/selftest/input.h"
#include "measure/selftest/rows.h"
#include "planted_backend.h"

namespace normbench::selftest::selftest_test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

constexpr auto dtypes = std::ssize(dtype_rows);
/// The cases of an op that takes any tensor: 5 extents in all dtypes and 2 layouts. `copy` also
/// gets 3 of these extents in all YCbCr formats.
constexpr std::int64_t rgb_cases = 5 * dtypes * 2;
constexpr std::int64_t quick_cases = rgb_cases + 3 * (std::ssize(pixel_format_rows) - 1);

/// Runs the quick self-test on these kernel rows of the CPU. Returns its findings.
PlaceFinding place_found(std::vector<Kernel> rows) {
  Backends backends;
  backends.list.push_back(std::make_unique<PlantedBackend>(std::move(rows)));
  return run(backends, {.quick = true}).places.at(0);
}

RowFinding found(const Kernel& row) { return place_found({row}).rows.at(0); }

/// Returns element `index` of a random dense float32 input of the self-test, as failures print it.
std::string float_text(std::int64_t index) {
  auto bytes = random_elements(DType::Float32, index, 1);
  const View view{bytes.data(),
                  dense(DType::Float32, Layout::Nchw, {1, 1, 1, 1}, Memory::Pageable)};
  return fmt::format("{:.9g}", to_double(view, 0, 1).values[0]);
}

TEST(Selftest, ARightRowIsRight) {
  const RowFinding row = found(planted<Copy, Bug::None>("right"));
  EXPECT_EQ(row.op, "copy");
  EXPECT_EQ(row.kernel, "right");
  EXPECT_EQ(row.offered, quick_cases);
  EXPECT_EQ(row.accepted, quick_cases);
  EXPECT_EQ(row.runs, 2 * quick_cases);
  EXPECT_EQ(row.wrong, 0);
  EXPECT_TRUE(row.compared);
  EXPECT_EQ(row.max_error, 0);
  EXPECT_EQ(row.bound, 0);
  EXPECT_EQ(row.failure, "");
}

TEST(Selftest, FindsAWrongValue) {
  const RowFinding row = found(planted<Copy, Bug::WrongValue>("bug"));
  EXPECT_EQ(row.wrong, 2 * 4);  // 2 layouts of float32, 4 of 5 extents (not 1x1x1x1)
  EXPECT_EQ(row.failure,
            fmt::format("1x3x2x16 float32 nchw -> float32 nchw: element 17: 1000 instead of {}, "
                        "bound 0",
                        float_text(17)));
  EXPECT_EQ(row.runs, 2 * quick_cases - 2 * 4);  // a wrong case is not run again
}

TEST(Selftest, FindsATailThatIsNotWritten) {
  EXPECT_EQ(found(planted<Copy, Bug::TailNotWritten>("bug")).failure,
            "1x3x2x16 uint8 nchw -> uint8 nchw: element 95 not written");
}

TEST(Selftest, FindsStrayWrites) {
  EXPECT_EQ(found(planted<Copy, Bug::PastEnd>("bug")).failure,
            "1x1x1x1 uint8 nchw -> uint8 nchw: wrote past the end of the output (byte 1 after it)");
  EXPECT_EQ(found(planted<Copy, Bug::BeforeStart>("bug")).failure,
            "1x1x1x1 uint8 nchw -> uint8 nchw: wrote before the start of the output (byte 2 before "
            "it)");
  EXPECT_EQ(found(planted<Copy, Bug::PastScratch>("bug")).failure,
            "1x1x1x1 uint8 nchw -> uint8 nchw: wrote past the end of the scratch memory (byte 10 "
            "after it)");
}

TEST(Selftest, FindsStrayWritesWhereValuesAreUndefined) {
  const RowFinding row = found(planted<Stream, Bug::PastEnd>("bug"));
  EXPECT_EQ(row.failure,
            "1x1x1x1 uint8 nchw -> uint8 nchw, read 1, write 1: wrote past the end of the output "
            "(byte 1 after it)");
  EXPECT_FALSE(row.compared);
}

TEST(Selftest, FindsNaN) {
  const RowFinding row = found(planted<Copy, Bug::NotANumber>("bug"));
  EXPECT_EQ(row.failure, fmt::format("1x1x1x1 float32 nchw -> float32 nchw: element 0: nan instead "
                                     "of {}, bound 0",
                                     float_text(0)));
  EXPECT_EQ(row.max_error, std::numeric_limits<double>::infinity());
}

TEST(Selftest, FindsAChangedInput) {
  EXPECT_EQ(found(planted<Copy, Bug::ChangesInput>("bug")).failure,
            "1x1x1x1 uint8 nchw -> uint8 nchw: changed its input (byte 0)");
}

TEST(Selftest, FindsWhatDependsOnTheTeamThoughWithinItsBound) {
  const RowFinding row = found(planted<Div, Bug::TeamMatters>("bug"));
  EXPECT_THAT(row.failure,
              testing::MatchesRegex("1x1x1x1 float32 nchw -> float32 nchw, one constant: element "
                                    "0: [^ ]+, but [^ ]+ in the first run, 3 threads, buffers 1 "
                                    "and 3 elements past a cache line"));
}

/// Runs the quick self-test of a kernel row on these instruction sets. Returns its finding.
RowFinding found_on(const Kernel& row, const std::vector<std::string>& simd) {
  Backends backends;
  backends.list.push_back(std::make_unique<PlantedBackend>(std::vector{row}));
  return run(backends, {.quick = true, .simd = simd}).places.at(0).rows.at(0);
}

TEST(Selftest, ForcesOneInstructionSetAfterTheOther) {
  const auto targets = simd_targets();
  const RowFinding right = found_on(planted<Copy, Bug::None>("right"), targets);
  EXPECT_EQ(right.runs, 2 * quick_cases * std::ssize(targets));
  EXPECT_EQ(right.failure, "");
  const Kernel bug = planted<Copy, Bug::SimdMatters>("bug");
  EXPECT_EQ(found_on(bug, targets).failure,
            fmt::format("1x1x1x1 float32 nchw -> float32 nchw: element 0: 1000 instead of {}, "
                        "bound 0, {}",
                        float_text(0), targets.back()));
  EXPECT_EQ(found_on(bug, {targets.front()}).failure,
            targets.size() > 1 ? "" : found_on(bug, targets).failure);
  EXPECT_EQ(simd_in_use(), targets.front());
}

TEST(Selftest, SaysWhatTheRowsOfACpuWereRunOn) {
  Backends backends;
  backends.list.push_back(
      std::make_unique<PlantedBackend>(std::vector{planted<Copy, Bug::Throws>("throws")}));
  const auto targets = simd_targets();
  const auto place = [&](const Options& options) { return run(backends, options).places.at(0); };
  EXPECT_THAT(place({.quick = true}).simd, IsEmpty());
  EXPECT_THAT(place({.quick = true}).notes, IsEmpty());
  const PlaceFinding all = place({.quick = true, .simd = targets, .threads = 2});
  EXPECT_EQ(all.simd, targets);
  EXPECT_THAT(all.teams, ElementsAre(1, 2));
  EXPECT_THAT(all.notes, ElementsAre(NotTested{.kind = NotTested::Kind::Simd,
                                               .missing = missing_simd_targets()}));
  const PlaceFinding one = place({.simd = {targets.back()}, .threads = 2});
  EXPECT_THAT(one.teams, ElementsAre(1, 2, 3));
  EXPECT_EQ(one.notes.at(0).unasked, std::vector(targets.begin(), targets.end() - 1));
}

TEST(Selftest, FindsTiesThatAreNotRoundedToEven) {
  const RowFinding row = found(planted<Cast, Bug::TiesAway>("bug"));
  EXPECT_THAT(row.failure, testing::MatchesRegex("1x1x1x[0-9]+ float32 nchw -> bfloat16 nchw, hard "
                                                 "to round: element [0-9]+: .+, bound 0"));
  EXPECT_EQ(found(planted<Cast, Bug::None>("right")).failure, "");
}

TEST(Selftest, FindsNaNThatIsNotKept) {
  const RowFinding row = found(planted<Cast, Bug::LosesNaN>("bug"));
  EXPECT_THAT(row.failure,
              testing::MatchesRegex("1x1x1x[0-9]+ float16 nchw -> float16 nchw, hard to round: "
                                    "element [0-9]+: inf instead of -?nan, bound 0"));
}

TEST(Selftest, HardElementsAreAllThereIsOfASmallDtypeAndWhatLiesBetween) {
  std::size_t patterns = 0;
  for (const DTypeRow& dtype : dtype_rows)
    if (is_float(dtype.value) && dtype.bytes < 4) patterns += std::size_t{1} << 8 * dtype.bytes;
  EXPECT_THAT(hard_elements(DType::Float16, 1), SizeIs(2 * 65536));
  EXPECT_THAT(hard_elements(DType::BFloat16, 3), SizeIs(2 * 21846));
  EXPECT_THAT(hard_elements(DType::Float32, 1), SizeIs(4 * (7 + 4 * patterns)));
}

TEST(Selftest, ARowThatAcceptsNothingIsNotRight) {
  EXPECT_EQ(found(planted<Copy, Bug::AcceptsNothing>("bug")).failure,
            fmt::format("accepts none of {} cases", quick_cases));
}

TEST(Selftest, ARowThatThrowsFailsAlone) {
  const auto rows =
      place_found({planted<Copy, Bug::Throws>("throws"), planted<Copy, Bug::None>("right")}).rows;
  EXPECT_EQ(rows.at(0).failure, "1x1x1x1 uint8 nchw -> uint8 nchw: a call failed");
  EXPECT_EQ(rows.at(0).offered, 1);
  EXPECT_EQ(rows.at(0).runs, 0);
  EXPECT_EQ(rows.at(1).failure, "");
  EXPECT_EQ(rows.at(1).runs, 2 * quick_cases);
}

TEST(Selftest, WhereNothingRunsAnyMoreTheOthersFailWithTheReason) {
  const PlaceFinding place =
      place_found({planted<Crop, Bug::None>("before"), planted<Copy, Bug::None>("beside"),
                   planted<Copy, Bug::Kills>("kills"), planted<Stream, Bug::None>("after")});
  const auto& rows = place.rows;
  const std::string lost =
      "not tested to the end, because nothing can run here any more: nothing works any more";
  EXPECT_EQ(rows.at(0).failure, "");
  EXPECT_EQ(rows.at(1).failure, lost);
  EXPECT_EQ(rows.at(2).failure, "1x1x1x1 uint8 nchw -> uint8 nchw: a call failed");
  EXPECT_EQ(rows.at(3).failure, lost);
  EXPECT_EQ(rows.at(3).offered, 0);
  EXPECT_EQ(place.lost, "nothing works any more");
  std::vector<bool> finished;
  for (const RowFinding& row : rows) finished.push_back(row.finished);
  EXPECT_THAT(finished, ElementsAre(true, false, true, false));
  EXPECT_EQ(failed_rows(place), 3);
  EXPECT_EQ(unfinished_rows(place), 0);
}

TEST(Selftest, ReferencesOfTheCpuAreNotTestedThoseOfADeviceAre) {
  EXPECT_THAT(place_found({planted<Copy, Bug::Throws>("reference")}).rows, IsEmpty());
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  backends.list.push_back(std::make_unique<PlantedBackend>(
      std::vector{planted<Copy, Bug::Throws>("reference", Place::Cuda)}, Place::Cuda));
  const auto found = run(backends, {.place = Place::Cuda, .quick = true}).places;
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].place, Place::Cuda);
  EXPECT_EQ(found[0].rows.at(0).wrong, 1);
}

const NotTested no_cases{.kind = NotTested::Kind::NoCases, .op = "load", .kernel = "decode"};

TEST(Selftest, RowsWithoutCasesAreLeftOutAndSaid) {
  const PlaceFinding place = place_found({planted<Load, Bug::None>("decode")});
  EXPECT_THAT(place.rows, IsEmpty());
  EXPECT_THAT(place.notes, ElementsAre(no_cases));
}

TEST(Selftest, AGlobChoosesRows) {
  Backends backends;
  backends.list.push_back(std::make_unique<PlantedBackend>(
      std::vector{planted<Copy, Bug::None>("one"), planted<Copy, Bug::None>("two"),
                  planted<Stream, Bug::None>("two")}));
  const auto chosen = [&](const std::string& glob) {
    std::vector<std::string> names;
    const Findings findings = run(backends, {.glob = glob, .quick = true});
    for (const RowFinding& row : findings.places.at(0).rows)
      names.push_back(row.op + "/" + row.kernel);
    return names;
  };
  EXPECT_THAT(chosen("copy"), ElementsAre("copy/one", "copy/two"));
  EXPECT_THAT(chosen("two"), ElementsAre("copy/two", "stream/two"));
  EXPECT_THAT(chosen("copy/t*"), ElementsAre("copy/two"));
  EXPECT_THROW(chosen("three"), Invalid);
}

TEST(Selftest, LargeTensorsAreLeftOutWhereTheyDoNotFit) {
  Backends backends;
  backends.list.push_back(
      std::make_unique<PlantedBackend>(std::vector{planted<Copy, Bug::Throws>("throws")}));
  const auto note = [&](std::int64_t host_bytes, bool large) {
    return run(backends, {.large = large, .host_bytes = host_bytes}).places.at(0).notes.at(0);
  };
  constexpr std::int64_t need = 6'487'965'000;  // bytes: 1 per input element, 2 per output element
  const NotTested unknown{.kind = NotTested::Kind::MemoryUnknown};
  EXPECT_EQ(note(0, true), unknown);
  EXPECT_EQ(note(16'200'000'000, true), (NotTested{.kind = NotTested::Kind::TooLarge,
                                                   .need_bytes = need,
                                                   .free_bytes = 16'200'000'000}));
  EXPECT_EQ(note(20'000'000'000, false), (NotTested{.kind = NotTested::Kind::NotAsked,
                                                    .need_bytes = need,
                                                    .free_bytes = 20'000'000'000}));
  EXPECT_THAT(run(backends, {.quick = true, .large = true}).places.at(0).notes,
              ElementsAre(unknown));
}

/// The launches of two planted kernel rows, which register and unregister memory. The backend
/// records which memory is registered. The self-test must unregister all of it.
Launch prepare_register(const Register&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View>, View) {
    if (!static_cast<PlantedBackend::PlantedQueue&>(queue)
             .backend.registered.insert(in[0].data)
             .second)
      throw std::runtime_error("registered twice");
  };
}
Launch prepare_unregister(const Unregister&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View>, View) {
    if (static_cast<PlantedBackend::PlantedQueue&>(queue).backend.registered.erase(in[1].data) != 1)
      throw std::runtime_error("not registered");
  };
}
template <class T>
bool all(const T&, const Signature&) {
  return true;
}

TEST(Selftest, RegistersMemoryAndGivesItBack) {
  auto device = std::make_unique<PlantedBackend>(
      std::vector{row<Register, all<Register>, prepare_register>("on", Place::Cuda),
                  row<Unregister, all<Unregister>, prepare_unregister>("off", Place::Cuda)},
      Place::Cuda);
  const PlantedBackend& kept = *device;
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  backends.list.push_back(std::move(device));
  const auto rows = run(backends, {.place = Place::Cuda, .quick = true}).places.at(0).rows;
  EXPECT_THAT(
      rows, Each(AllOf(Field(&RowFinding::failure, ""), Field(&RowFinding::accepted, rgb_cases))));
  EXPECT_THAT(kept.registered, IsEmpty());
}

TEST(Selftest, RunsWhatCanBeCapturedAsAGraph) {
  const auto graphs = [](bool (*capturable)(const Op&, const Signature&)) {
    Kernel kernel = planted<Copy, Bug::None>("right");
    kernel.capturable = capturable;
    auto backend = std::make_unique<PlantedBackend>(std::vector{kernel});
    const PlantedBackend& kept = *backend;
    Backends backends;
    backends.list.push_back(std::move(backend));
    EXPECT_EQ(run(backends, {.quick = true}).places.at(0).rows.at(0).failure, "");
    return kept.launched_graphs;
  };
  EXPECT_EQ(graphs([](const Op&, const Signature&) { return true; }), dtypes * 2);
  EXPECT_EQ(graphs(&never), 0);
}

TEST(Selftest, TransfersGoToAndFromEveryKindOfHostMemory) {
  std::vector<Memory> from, to, host;
  for (const Route& route : routes_of("h2d", Place::Cuda)) from.push_back(route.from);
  for (const Route& route : routes_of("d2h", Place::Cuda)) to.push_back(route.to);
  for (const auto& memory : words(Memory{}))
    if (memory.value != Memory::Device) host.push_back(memory.value);
  EXPECT_THAT(from, UnorderedElementsAreArray(host));
  EXPECT_THAT(to, UnorderedElementsAreArray(host));
}

TEST(Selftest, EveryRowOfTheCpuIsRightOnEveryInstructionSet) {
  Backends backends;
  backends.list.push_back(make_cpu_backend());
  const PlaceFinding place = run(backends, {.quick = true, .simd = simd_targets()}).places.at(0);
  const auto tested = std::ranges::count_if(backends.list[0]->kernels(), [](const Kernel& kernel) {
    return kernel.name != "reference" && kernel.op != Load::name && kernel.op != Save::name;
  });
  EXPECT_EQ(std::ssize(place.rows), tested);
  EXPECT_THAT(place.rows, Each(Field(&RowFinding::failure, "")));
  EXPECT_EQ(place.notes.at(0), no_cases);
}

}  // namespace
}  // namespace normbench::selftest::selftest_test
