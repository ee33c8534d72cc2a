/// Plans every config of the repository, once with the backends of this build and once with a fake
/// GPU.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "fake_backends.h"
#include "plan/pipeline.h"
#include "plan/publications.h"
#include "report/plan_text.h"
#include "source_dir.h"

namespace normbench::configs_test {
namespace {

/// Calls `look` with the plan of every config.
void plan_all(const Backends& backends, const std::function<void(const Plan&)>& look) {
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/configs")) {
    SCOPED_TRACE(entry.path().filename());
    if (entry.path().extension() != ".json") continue;
    PlanOptions options;
    options.base_dir = entry.path().parent_path().string();
    options.all_threads = 2;
    options.allow_peers = true;
    try {
      const Plan plan = make_plan(entry.path().string(), backends, options);
      EXPECT_EQ(plan.name, entry.path().stem());
      look(plan);
    } catch (const BadInput& bad) {
      ADD_FAILURE() << bad.what();
    }
  }
}

/// Returns the real CPU backend, because configs name its kernel rows, and a fake GPU.
const Backends& with_gpu() {
  static const Backends all = [] {
    Backends real;
    real.list.push_back(make_cpu_backend());
    real.list.push_back(
        std::make_unique<fakes::FakeBackend>(Place::Cuda, std::nullopt, fakes::cuda_rows()));
    return real;
  }();
  return all;
}

TEST(Configs, AreAllPlannedAndExplained) {
  plan_all(make_backends(), [](const Plan& plan) {
    EXPECT_THAT(plan.about, testing::Not(testing::IsEmpty()));
    EXPECT_THAT(plan.groups, testing::Not(testing::IsEmpty()));
    EXPECT_THAT(plan_text(plan, {.host = 32 << 20, .device = 50 << 20}),
                testing::StartsWith(plan.name));
  });
}

TEST(Configs, AskAQuestionAndSayWhereFiguresStand) {
  plan_all(with_gpu(), [](const Plan& plan) {
    for (const Group& group : plan.groups) {
      EXPECT_THAT(group.question, testing::EndsWith("?")) << group.experiment;
      for (const Published& one : group.published)
        EXPECT_NE(one.where, "") << group.experiment << ", " << one.variant;
    }
  });
}

TEST(Configs, VariantsOfAnExperimentEndAlike) {
  plan_all(with_gpu(), [](const Plan& plan) {
    for (const Group& group : plan.groups) {
      const TensorDesc& first = group.cases.front().result();
      for (const Case& one : group.cases)
        EXPECT_EQ(fmt::format("{} {} {}", name_of(one.result().dtype), name_of(one.result().layout),
                              one.result().memory == Memory::Device ? "device" : "host"),
                  fmt::format("{} {} {}", name_of(first.dtype), name_of(first.layout),
                              first.memory == Memory::Device ? "device" : "host"))
            << group.experiment << ", " << one.variant;
    }
  });
}

/// Returns a text with all that the measurement of a limit depends on, but without the limit's
/// name. A limit is a case that measures what the machine can do. Two limits with equal texts would
/// measure the same.
std::string measured_with(const Case& limit) {
  std::string text = fmt::format("{} {} {}", limit.pipeline.has_value(), limit.resident,
                                 describe(limit.values[0].desc));
  for (std::size_t s = 0; s < limit.stages.size(); ++s) {
    if (limit.pipeline && !stages_that_run(limit)[s]) continue;
    const Stage& stage = limit.stages[s];
    text +=
        fmt::format(" {} {} {} {} {}", name_of(stage.op), stage.kernel->name, name_of(stage.place),
                    describe(stage.signature.out[0]), stage.parameters.dump());
    if (stage.place == Place::Cpu) text += fmt::format(" {}", limit.threads);
  }
  return text;
}

TEST(Configs, HaveEveryLimitOnce) {
  plan_all(with_gpu(), [](const Plan& plan) {
    for (const Group& group : plan.groups) {
      std::vector<std::string> names, work;
      for (const Case& limit : group.limits) {
        names.push_back(limit.variant);
        work.push_back(measured_with(limit));
      }
      for (auto* list : {&names, &work}) {
        std::ranges::sort(*list);
        EXPECT_EQ(std::ranges::adjacent_find(*list), list->end())
            << group.experiment << ": " << fmt::format("{}", fmt::join(*list, "\n"));
      }
    }
  });
}

TEST(Configs, RunWhollyWhereThereIsAGpu) {
  plan_all(with_gpu(), [](const Plan& plan) {
    for (const Group& group : plan.groups)
      for (const Case& one : group.cases)
        EXPECT_THAT(one.skip.value_or(""), testing::AnyOf("", "no images given (--images DIR)",
                                                          testing::StartsWith("no dataset \"")))
            << group.experiment << ", " << one.variant;
  });
}

std::vector<PublishedExperiment> shipped() {
  return read_publications(publications_file(source_dir() + "/configs"));
}

TEST(Publications, HaveAllIdsInOrder) {
  std::vector<std::string> expected, found;
  for (const auto& [letter, count] : {std::pair("A", 8), std::pair("B", 12), std::pair("C", 5),
                                      std::pair("D", 5), std::pair("F", 12)})
    for (int i = 1; i <= count; ++i) expected.push_back(letter + std::to_string(i));
  for (const PublishedExperiment& one : shipped()) found.push_back(one.id);
  EXPECT_EQ(found, expected);
}

TEST(Publications, AreInAConfigWithAFigureOrAClaimOrSayWhyNot) {
  std::set<std::string> named, judged;
  const auto add = [](const std::vector<std::string>& ids, std::set<std::string>& to) {
    to.insert(ids.begin(), ids.end());
  };
  plan_all(with_gpu(), [&](const Plan& plan) {
    for (const Group& group : plan.groups) {
      add(group.ids, named);
      for (const Published& one : group.published) add(one.ids, judged);
      for (const Claim& one : group.claims) add(one.ids, judged);
    }
  });
  for (const PublishedExperiment& one : shipped()) {
    const std::string& id = one.id;
    EXPECT_EQ(judged.contains(id), one.missing.empty()) << id << ": " << one.missing;
    EXPECT_EQ(named.erase(id), judged.erase(id)) << id << " is its experiment's and a figure's";
  }
  EXPECT_THAT(named, testing::IsEmpty());  // ids that no publication has
  EXPECT_THAT(judged, testing::IsEmpty());
}

}  // namespace
}  // namespace normbench::configs_test
