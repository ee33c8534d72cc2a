#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "app/commands.h"
#include "app/documents.h"
#include "app/options.h"
#include "app/output.h"
#include "machine/affinity.h"
#include "measure/peer/child_process.h"
#include "report/reproduction_text.h"
#include "report/text.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

enum class ReproductionFormat { Text, Markdown, Json };
constexpr auto words(ReproductionFormat) {
  return std::to_array<Word<ReproductionFormat>>({{ReproductionFormat::Text, "text"},
                                                  {ReproductionFormat::Markdown, "markdown"},
                                                  {ReproductionFormat::Json, "json"}});
}

struct ReproduceOptions {
  std::vector<std::string> what;
  std::string configs, out, resume;
  ReproductionFormat format = ReproductionFormat::Text;
  bool list = false, allow_peers = false, quick = false;
};

/// A config, and its experiments that are asked for.
struct Chosen {
  std::string file, name;
  std::vector<std::string> experiments;
};

/// What a published experiment takes here.
struct Needs {
  std::vector<std::string> experiments;  // "blog-cpu/chains"
  std::set<std::string> peers;
  bool gpu = false;
  double seconds = 0;  // at most
};

/// Those of the sources and ids in `what`; all for none. Throws Invalid naming all that is unknown.
std::vector<PublishedExperiment> asked_for(const std::vector<std::string>& what) {
  std::vector<std::string> known = all_words<Publication>(), unknown_ones;
  for (const PublishedExperiment& one : published_experiments()) known.emplace_back(one.id);
  for (const std::string& word : what)
    if (std::ranges::find(known, word) == known.end())
      unknown_ones.push_back(unknown("source or id", word, known));
  if (!unknown_ones.empty())
    throw Invalid(fmt::format("{} (reproduce --list shows all)", fmt::join(unknown_ones, "\n")));
  std::vector<PublishedExperiment> chosen;
  for (const PublishedExperiment& one : published_experiments())
    if (what.empty() || std::ranges::any_of(what, [&](const std::string& word) {
          return word == one.id || word == name_of(one.source);
        }))
      chosen.push_back(one);
  return chosen;
}

/// The folder of the configs: as given, else beside this program as built or as packaged.
std::string configs_folder(const std::string& given) {
  if (!given.empty()) return given;
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* const place : {"../share/normbench/configs", "../../configs"})
    if (fs::is_directory(here / place)) return fs::weakly_canonical(here / place).string();
  throw Invalid("no configs beside this program (name their folder: --configs DIR)");
}

std::vector<std::string> config_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  if (error || files.empty())
    throw Invalid(fmt::format("--configs {}: {}", shell_word(folder),
                              error ? error.message() : "holds no configs"));
  std::ranges::sort(files);
  return files;
}

bool has(const std::vector<std::string>& ids, std::string_view id) {
  return std::ranges::find(ids, id) != ids.end();
}

/// The plans of all configs, by file. Throws BadFiles.
std::vector<std::pair<std::string, Plan>> plan_all(const ReproduceOptions& options,
                                                   const Backends& backends) {
  std::vector<std::pair<std::string, Plan>> plans;
  const std::vector<std::string> files = config_files(configs_folder(options.configs));
  ConfigOptions how;
  how.quick = options.quick;
  how.allow_peers = true;  // nothing is run
  each_file(files, [&](const std::string& file) {
    plans.emplace_back(file, make_plan(file, backends, plan_options(how, file, backends)));
  });
  return plans;
}

Needs needs_of(std::string_view id, const std::vector<std::pair<std::string, Plan>>& plans) {
  Needs needs;
  for (const auto& [file, plan] : plans)
    for (const Group& group : plan.groups) {
      if (!has(group.ids, id)) continue;
      const std::string name = plan.name + "/" + group.experiment;
      if (!has(needs.experiments, name)) needs.experiments.push_back(name);
      needs.seconds += plan.measure.max_seconds_per_group;
      for (const Case& one : group.cases) {
        needs.gpu = needs.gpu || one.uses_gpu();
        if (!one.peer.empty()) needs.peers.insert(one.peer);
      }
    }
  return needs;
}

Exit list_all(const ReproduceOptions& options, const Backends& backends) {
  const auto plans = plan_all(options, backends);
  Column id{"id", {}, true}, source{"source", {}, true}, about{"experiment", {}, true},
      needs{"needs", {}, true}, seconds{"at most", {}, false}, where{"config", {}, true};
  for (const PublishedExperiment& one : asked_for(options.what)) {
    const Needs found = needs_of(one.id, plans);
    std::vector<std::string> needed(found.peers.begin(), found.peers.end());
    if (found.gpu) needed.insert(needed.begin(), "GPU");
    id.cells.emplace_back(one.id);
    source.cells.emplace_back(name_of(one.source));
    about.cells.emplace_back(one.about);
    needs.cells.push_back(fmt::format("{}", fmt::join(needed, ", ")));
    seconds.cells.push_back(found.seconds > 0 ? fmt::format("{:.0f} s", found.seconds) : "");
    where.cells.push_back(one.missing.empty()
                              ? fmt::format("{}", fmt::join(found.experiments, ", "))
                              : fmt::format("- ({})", one.missing));
  }
  say("{}", columns_text({id, source, about, needs, seconds, where}, 2, 1000));
  std::string origins;
  for (const auto& word : words(Publication{}))
    origins += fmt::format("  {}: {}\n", word.name, origin_of(word.value));
  say("{}", origins);
  return Exit::Fine;
}

/// The configs with experiments that have one of the ids.
std::vector<Chosen> choose(const std::vector<PublishedExperiment>& asked,
                           const std::vector<std::pair<std::string, Plan>>& plans) {
  std::vector<Chosen> chosen;
  for (const auto& [file, plan] : plans) {
    Chosen config{.file = file, .name = plan.name, .experiments = {}};
    for (const Group& group : plan.groups)
      if (std::ranges::any_of(asked, [&](const auto& one) { return has(group.ids, one.id); }) &&
          !has(config.experiments, group.experiment))
        config.experiments.push_back(group.experiment);
    if (!config.experiments.empty()) chosen.push_back(std::move(config));
  }
  return chosen;
}

/// Waits for the run; a signal to this process is one to the run as well.
int status_of(pid_t run) {
  const Descriptor watched(static_cast<int>(syscall(SYS_pidfd_open, run, 0)));
  pollfd end{.fd = watched.number(), .events = POLLIN, .revents = 0};
  while (watched.is_open() && poll(&end, 1, -1) < 0 && errno == EINTR) kill(run, SIGTERM);
  int status = 0;
  while (waitpid(run, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Runs this program with `arguments`; what it would print goes to its folder alone.
Exit run_again(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "normbench");
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const Unpinned everywhere;
  const pid_t run = fork();
  if (run < 0) throw std::runtime_error(fmt::format("cannot start a run: {}", strerror(errno)));
  if (run == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    execv("/proc/self/exe", words.data());
    _exit(static_cast<int>(Exit::NotWritten));
  }
  const int status = status_of(run);
  if (WIFEXITED(status)) return static_cast<Exit>(WEXITSTATUS(status));
  tell("normbench: a run was ended by signal {}\n", WTERMSIG(status));
  return Exit::Failed;
}

/// The run of one config in its folder below `out`: a new one, what is left of it, or none.
Exit run_config(const Chosen& config, const std::string& out, const ReproduceOptions& options) {
  const std::string dir = (fs::path(out) / config.name).string();
  std::vector<std::string> arguments{"run"};
  if (holds_run(dir)) {
    arguments.insert(arguments.end(), {"--resume", dir});
  } else {
    arguments.insert(arguments.end(), {"--config", config.file, "--out", dir});
    for (const std::string& experiment : config.experiments)
      arguments.insert(arguments.end(), {"--only", experiment});
    if (options.quick) arguments.emplace_back("--quick");
  }
  if (options.allow_peers) arguments.emplace_back("--allow-peers");
  tell("{} ({})\n", config.name, fmt::join(config.experiments, ", "));
  return run_again(std::move(arguments));
}

std::vector<Reproduction> reproductions(const std::vector<PublishedExperiment>& asked,
                                        const std::vector<Results>& documents,
                                        const std::vector<std::vector<Experiment>>& analysed) {
  std::vector<Reproduction> all;
  for (const PublishedExperiment& one : asked) {
    Reproduction& reproduction = all.emplace_back(Reproduction{.experiment = one, .lines = {}});
    for (std::size_t i = 0; i < documents.size(); ++i)
      std::ranges::move(reproduced(analysed[i], documents[i], std::string(one.id)),
                        std::back_inserter(reproduction.lines));
  }
  return all;
}

void show(const std::vector<PublishedExperiment>& asked, const std::vector<Chosen>& chosen,
          const std::string& out, ReproductionFormat format) {
  std::vector<std::string> files;
  for (const Chosen& config : chosen)
    if (const auto file = fs::path(out) / config.name / "results.json"; fs::exists(file))
      files.push_back(file.string());
  std::vector<BadInput> mistakes;
  const std::vector<Results> documents = read_documents(files, mistakes);
  for (const BadInput& bad : mistakes) tell("{}\n", bad.what());
  std::vector<std::vector<Experiment>> analysed;
  for (const Results& document : documents) analysed.push_back(experiments(document));
  const std::vector<Reproduction> all = reproductions(asked, documents, analysed);
  if (format == ReproductionFormat::Json)
    say("{}\n", pretty(reproduction_json(all), 2));
  else if (format == ReproductionFormat::Markdown)
    say("{}", reproduction_markdown(all));
  else
    say("{}", reproduction_text(all));
  tell("Documents: {}\n", out);
}

Exit reproduce(const ReproduceOptions& options) {
  const std::vector<PublishedExperiment> asked = asked_for(options.what);
  const Backends backends = make_backends({});
  if (options.list) return list_all(options, backends);
  const std::vector<Chosen> chosen = choose(asked, plan_all(options, backends));
  const std::string out =
      options.resume.empty() ? make_output_dir(options.out, "reproduce") : options.resume;
  for (const Chosen& config : chosen)
    if (const auto dir = fs::path(out) / config.name;
        options.resume.empty() && holds_run(dir.string()))
      throw Invalid(run_is_there(dir.string()));
  const std::atomic<bool>& interrupted = watch_for_interrupts();
  Exit worst = Exit::Fine;
  for (const Chosen& config : chosen) {
    worst = std::max(worst, run_config(config, out, options));
    if (interrupted) worst = Exit::Interrupted;
    if (worst == Exit::Interrupted) break;
  }
  show(asked, chosen, out, options.format);
  if (worst == Exit::Interrupted)
    tell("normbench: interrupted; go on with: normbench reproduce{} --resume {}\n",
         options.what.empty() ? "" : fmt::format(" {}", fmt::join(options.what, " ")),
         shell_word(out));
  return worst;
}

}  // namespace

Subcommand make_reproduce() {
  const auto options = std::make_shared<ReproduceOptions>();
  return {.options = {{"WHAT", "",
                       "Sources (" + known_words<Publication>() +
                           ") or ids (A1 to F12); all when absent",
                       &options->what, "", Option::Several},
                      {"--list", "",
                       "Show the experiments, what each needs and how long it takes; run nothing",
                       &options->list},
                      {"--out", "DIR", "Where each config's documents go", &options->out},
                      {"--resume", "DIR", "Go on with a reproduction that was interrupted",
                       &options->resume, "", 0, "--out"},
                      {"--allow-peers", "",
                       "Run the commands of peers that configs name (scripts/peers/setup)",
                       &options->allow_peers},
                      {"--quick", "", "Fewer rounds: wide intervals", &options->quick},
                      {"--configs", "DIR", "The configs, if not those of this program",
                       &options->configs},
                      {"--format", "NAME", "text, markdown or json",
                       word_of<ReproductionFormat>(options->format)}},
          .run = [options] { return reproduce(*options); }};
}

}  // namespace normbench
