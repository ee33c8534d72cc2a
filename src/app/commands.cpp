#include "app/commands.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "machine/environment.h"

namespace normbench {
namespace {

template <class N>
N read_within(std::string_view what, const std::string& name, const std::string& given, N least,
              N most) {
  N value{};
  const char* const end = given.data() + given.size();
  const auto [at, error] = std::from_chars(given.data(), end, value);
  if (!given.empty() && error == std::errc() && at == end && value >= least && value <= most)
    return value;
  constexpr auto open = std::numeric_limits<N>::has_infinity ? std::numeric_limits<N>::infinity()
                                                             : std::numeric_limits<N>::max();
  throw Invalid(fmt::format("{} {}: expected {} from {}{}", name, given, what, least,
                            most == open ? "" : fmt::format(" to {}", most)));
}

}  // namespace

Take noted(Take take, std::vector<std::string>& mistakes) {
  const auto call = [call = std::move(take.call), &mistakes](const std::string& name,
                                                             const std::string& given) {
    try {
      call(name, given);
    } catch (const Invalid& mistake) {
      mistakes.emplace_back(mistake.what());
    }
  };
  return {.call = call, .words = std::move(take.words)};
}

std::string version_text() {
  const Json built = tool();
  return fmt::format("normbench {} ({}, {})", built.at("version").get<std::string>(),
                     built.at("revision").get<std::string>(), built.at("build").get<std::string>());
}

Json value_of(const Option& option) {
  return std::visit(
      []<class T>(const T& target) -> Json {
        if constexpr (std::is_pointer_v<T>) return *target;
        return {};
      },
      option.target);
}

void set_value(const Option& option, const Json& value) {
  std::visit(
      [&]<class T>(const T& target) {
        if constexpr (std::is_pointer_v<T>) value.get_to(*target);
      },
      option.target);
}

std::int64_t read_whole(const std::string& name, const std::string& given, std::int64_t least,
                        std::int64_t most) {
  return read_within("a whole number", name, given, least, most);
}

double read_number(const std::string& name, const std::string& given, double least, double most) {
  return read_within("a number", name, given, least, most);
}

std::span<const ExitMeaning> exit_meanings() {
  static constexpr auto kMeanings =
      std::to_array<ExitMeaning>({{Exit::Fine, "fine"},
                                  {Exit::Failed, "a case failed, or a regression was found"},
                                  {Exit::BadInput, "bad input"},
                                  {Exit::Incomparable, "not to be compared or resumed"},
                                  {Exit::Inconclusive, "inconclusive (with --strict)"},
                                  {Exit::NotWritten, "outputs could not be written"},
                                  {Exit::Interrupted, "interrupted"}});
  return kMeanings;
}

std::string_view purpose() {
  return "Where, and in which form, should images be cast, normalised and moved to the GPU?";
}

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::span<const Command> commands() {
  static constexpr auto kCommands = std::to_array<Command>({
      {"try", "Answer a question in a line, without a config: which form of images is fastest?",
       "normbench try normalize --batch 16 --size 480 640 --out-dtype float32,float16", &make_try},
      {"init", "Write a first config, with comments, for your own question.",
       "normbench init --images photos --batch 16 --size 480 640", &make_init},
      {"run", "Measure what a config describes; write results, tables and a trace.",
       "normbench run --config configs/quickstart.json --quick", &make_run},
      {"check", "Explain what a config would run: stages, bytes, memory, time. Runs nothing.",
       "normbench check configs/blog-cpu.json", &make_check},
      {"compare", "Compare two sides of the same measurements: what became slower, beyond doubt.",
       "normbench compare results/before results/after --format markdown", &make_compare},
      {"report", "Render results documents again.",
       "normbench report results/blog-cpu-20261120T235400Z --format table", &make_report},
      {"reproduce",
       "Run published experiments by name, and compare their claims with what is measured here.",
       "normbench reproduce blog torchvision --allow-peers", &make_reproduce},
      {"prepare", "Make a dataset of images: decoded, resized and stored in one form.",
       "normbench prepare photos dataset --storage npy --size 224 224 --shards 8", &make_prepare},
      {"table", "Show the profiler table of a trace, of PyTorch's own too.",
       "normbench table trace.json.gz --sort-by self_cpu_time_total", &make_table},
      {"info", "Show this machine, this build, and what is missing here.",
       "normbench info --format json", &make_info},
      {"list", "List ops, kernels, report formats and configs.", "normbench list ops crop",
       &make_list},
      {"selftest", "Check every kernel against its op's reference, on the CPU and on the GPU.",
       "normbench selftest --place cuda", &make_selftest},
      {"calibrate",
       "Measure pairs with a known answer: how small a difference this machine can show.",
       "normbench calibrate --minutes 3", &make_calibrate},
      {"schema",
       "Print the JSON Schema of configs, by which editors complete and check them, or of results.",
       "normbench schema --of results --out results.schema.json", &make_schema},
      {"help", "Show what a subcommand takes.", "normbench help run", &make_help},
      {"completion", "Print what completes this command line in bash, zsh or fish.",
       "source <(normbench completion bash)", &make_completion},
      {"man", "Print the manual page.", "normbench man > normbench.1 && man ./normbench.1",
       &make_man},
      {"peer", "Take turns in the rounds of another normbench, whose config names this as a peer.",
       "normbench peer < requests.jsonl", &make_peer},
      {"part", "", "", &make_part},
  });
  return kCommands;
}

}  // namespace normbench
