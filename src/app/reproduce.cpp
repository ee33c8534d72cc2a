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
#include "core/file.h"
#include "core/reader.h"
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

/// What was asked for. The folder of a reproduction keeps it for --resume, in this file.
struct Request {
  std::vector<std::string> what;
  std::string configs;  // their folder
  bool allow_peers = false, quick = false;
};
constexpr const char* kRequest = "reproduce.json";

struct ReproduceOptions {
  Request request;
  std::string out, resume;
  ReproductionFormat format = ReproductionFormat::Text;
  bool list = false;
};

/// A config, and its experiments that are asked for.
struct Chosen {
  std::string file;
  std::vector<std::string> experiments;

  std::string name() const { return fs::path(file).stem().string(); }
};

/// What a published experiment takes here.
struct Needs {
  std::vector<std::string> experiments;  // "blog-cpu/chains"
  std::set<std::string> peers;
  bool gpu = false;
  double seconds = 0;  // of rounds, at most
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
  if (!given.empty()) return fs::absolute(given).string();
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* const place : {"../share/normbench/configs", "../../configs"})
    if (fs::is_directory(here / place)) return fs::weakly_canonical(here / place).string();
  throw Invalid("no configs beside this program (name their folder: --configs DIR)");
}

std::vector<std::string> config_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json" && fs::is_regular_file(entry.path()))
      files.push_back(entry.path().string());
  if (error || files.empty())
    throw Invalid(fmt::format("--configs {}: {}", shell_word(folder),
                              error ? error.message() : "holds no configs"));
  std::ranges::sort(files);
  return files;
}

/// The plans of all configs. Throws BadFiles.
std::vector<Plan> plan_all(const Request& request, const Backends& backends) {
  std::vector<Plan> plans;
  ConfigOptions how;
  how.quick = request.quick;
  how.allow_peers = true;  // nothing is run
  const std::vector<std::string> files = config_files(request.configs);
  each_file(files, [&](const std::string& file) {
    plans.push_back(make_plan(file, backends, plan_options(how, file, backends)));
  });
  return plans;
}

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

Needs needs_of(std::string_view id, const std::vector<Plan>& plans) {
  Needs needs;
  for (const Plan& plan : plans)
    for (const Group& group : plan.groups) {
      if (!has(group.ids, id)) continue;
      const std::string name = plan.name + "/" + group.experiment;
      if (!has(needs.experiments, name)) needs.experiments.push_back(name);
      needs.seconds += plan.measure_of(group).max_seconds_per_group;
      for (const Case& one : group.cases) {
        needs.gpu = needs.gpu || one.uses_gpu();
        if (!one.peer.empty()) needs.peers.insert(one.peer);
      }
    }
  return needs;
}

Exit list_all(const Request& request) {
  const Backends backends = make_backends({});
  const std::vector<Plan> plans = plan_all(request, backends);
  Column id{"id", {}, true}, source{"source", {}, true}, about{"experiment", {}, true},
      needs{"needs", {}, true}, seconds{"rounds take", {}, false}, where{"config", {}, true};
  for (const PublishedExperiment& one : asked_for(request.what)) {
    const Needs found = needs_of(one.id, plans);
    std::vector<std::string> needed(found.peers.begin(), found.peers.end());
    if (found.gpu) needed.insert(needed.begin(), "GPU");
    id.cells.emplace_back(one.id);
    source.cells.emplace_back(name_of(one.source));
    about.cells.emplace_back(one.about);
    needs.cells.push_back(fmt::format("{}", fmt::join(needed, ", ")));
    seconds.cells.push_back(found.seconds > 0 ? fmt::format("up to {:.0f} s", found.seconds) : "");
    where.cells.push_back(one.missing.empty()
                              ? fmt::format("{}", fmt::join(found.experiments, ", "))
                              : fmt::format("- ({})", one.missing));
  }
  std::string text = columns_text({id, source, about, needs, seconds, where}, 2, 1000);
  for (const auto& word : words(Publication{}))
    text += fmt::format("  {}: {}\n", word.name, origin_of(word.value));
  say("{}", text);
  return Exit::Fine;
}

/// The experiments of a config that have one of the ids. Throws Invalid for what is no JSON.
std::vector<std::string> experiments_with(const std::vector<PublishedExperiment>& asked,
                                          const std::string& file) {
  std::vector<std::string> names;
  std::vector<Issue> issues;
  const Json config = parse_json(read_text(file), issues);
  for (const Json& experiment : value_at(config, "/experiments")) {
    const Json &ids = value_at(experiment, "/ids"), &name = value_at(experiment, "/name");
    const auto is_of = [&](const PublishedExperiment& one) {
      return ids == one.id || (ids.is_array() && std::ranges::find(ids, one.id) != ids.end());
    };
    if (name.is_string() && std::ranges::any_of(asked, is_of)) names.push_back(name);
  }
  return names;
}

/// The configs that are to be run. Their mistakes are found by `check`, in a process of its own:
/// this one holds no device meanwhile.
std::vector<Chosen> choose(const std::vector<PublishedExperiment>& asked,
                           const std::string& folder) {
  std::vector<Chosen> chosen;
  const std::vector<std::string> files = config_files(folder);
  each_file(files, [&](const std::string& file) {
    try {
      Chosen config{.file = file, .experiments = experiments_with(asked, file)};
      if (!config.experiments.empty()) chosen.push_back(std::move(config));
    } catch (const Invalid& mistake) {
      throw BadInput(file, {{"", mistake.what()}});
    }
  });
  return chosen;
}

/// While this lives, signals that end a run are seen only where `mask` lets them through.
struct Blocked {
  Blocked() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    sigprocmask(SIG_BLOCK, &ending, &mask);
  }
  ~Blocked() { sigprocmask(SIG_SETMASK, &mask, nullptr); }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;

  sigset_t mask = {};
};

/// Waits for the end of a child. A signal to this process is one to the child as well.
int status_of(pid_t child, const sigset_t& mask, const std::atomic<bool>& interrupted) {
  const Descriptor watched(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  pollfd end{.fd = watched.number(), .events = POLLIN, .revents = 0};
  const timespec a_while{.tv_sec = 0, .tv_nsec = 100'000'000};  // where Linux is before 5.3
  bool told = false;
  for (int status = 0;;) {
    if (interrupted && !told) told = kill(child, SIGTERM) == 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return status;
    ppoll(&end, 1, watched.is_open() ? nullptr : &a_while, &mask);
  }
}

/// Runs this program with `arguments`, without its stdout.
Exit run_again(std::vector<std::string> arguments, const std::atomic<bool>& interrupted) {
  arguments.insert(arguments.begin(), "normbench");
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const Unpinned everywhere;
  const Blocked blocked;
  const pid_t asker = getpid(), child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("cannot start a run: {}", strerror(errno)));
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})  // until the program has its own handlers
      if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
    sigprocmask(SIG_SETMASK, &blocked.mask, nullptr);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == asker)
      execv("/proc/self/exe", words.data());
    _exit(static_cast<int>(Exit::Failed));
  }
  const int status = status_of(child, blocked.mask, interrupted);
  if (WIFEXITED(status)) return static_cast<Exit>(WEXITSTATUS(status));
  tell("normbench: {} was ended by signal {}\n", arguments[1], WTERMSIG(status));
  return Exit::Failed;
}

/// Finds all mistakes of all configs before the first of them runs.
Exit check(const std::vector<Chosen>& chosen, const std::atomic<bool>& interrupted) {
  std::vector<std::string> arguments{"check", "--fit"};
  for (const Chosen& config : chosen) arguments.push_back(config.file);
  return run_again(std::move(arguments), interrupted);
}

/// The run of one config in its folder below `out`: a new one, what is left of it, or none.
Exit run_config(const Chosen& config, const std::string& out, const Request& request,
                const std::atomic<bool>& interrupted) {
  const std::string dir = (fs::path(out) / config.name()).string();
  std::vector<std::string> arguments{"run"};
  if (holds_run(dir)) {
    arguments.insert(arguments.end(), {"--resume", dir});
  } else {
    arguments.insert(arguments.end(), {"--config", config.file, "--out", dir});
    for (const std::string& experiment : config.experiments)
      arguments.insert(arguments.end(), {"--only", experiment});
    arguments.emplace_back("--fit");
    if (request.quick) arguments.emplace_back("--quick");
  }
  if (request.allow_peers) arguments.emplace_back("--allow-peers");
  tell("{} ({})\n", config.name(), fmt::join(config.experiments, ", "));
  return run_again(std::move(arguments), interrupted);
}

/// Creates the folder of a new reproduction. Throws Invalid where it holds one, or another run.
std::string begin_folder(const std::string& wanted, const Request& request,
                         const std::vector<Chosen>& chosen) {
  if (!wanted.empty()) {
    if (fs::exists(fs::path(wanted) / kRequest))
      throw Invalid(
          fmt::format("{0} holds a reproduction (go on with it: normbench reproduce --resume {0})",
                      shell_word(wanted)));
    for (const Chosen& config : chosen)
      if (const auto dir = fs::path(wanted) / config.name(); holds_run(dir.string()))
        throw Invalid(run_is_there(dir.string()));
  }
  std::string out = make_output_dir(wanted, "reproduce");
  for (int i = 2; fs::exists(fs::path(out) / kRequest);
       ++i)  // of another, begun in the same second
    out = make_output_dir(fmt::format("{}-{}", out.substr(0, out.find('Z') + 1), i), "");
  const Json json{{"what", request.what},
                  {"configs", request.configs},
                  {"allow_peers", request.allow_peers},
                  {"quick", request.quick}};
  write_file((fs::path(out) / kRequest).string(), pretty(json, 2) + "\n");
  return out;
}

/// What was asked for in a folder. Throws Invalid where it holds no reproduction.
Request read_request(const std::string& folder) {
  std::vector<Issue> issues;
  Json json;
  try {
    json = parse_json(read_text((fs::path(folder) / kRequest).string()), issues);
  } catch (const Invalid&) {
    throw Invalid(fmt::format("--resume {}: holds no reproduction (it has no {})",
                              shell_word(folder), kRequest));
  }
  Request request;
  Reader reader(json, "", issues);
  request.what = reader.texts("what", {});
  request.configs = reader.text("configs", "");
  request.allow_peers = reader.boolean("allow_peers", false);
  request.quick = reader.boolean("quick", false);
  if (!issues.empty()) throw BadInput(folder, std::move(issues));
  return request;
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

/// The table of what the documents below `out` have.
Exit show(const std::vector<PublishedExperiment>& asked, const std::vector<Chosen>& chosen,
          const std::string& out, ReproductionFormat format) {
  std::vector<std::string> files;
  for (const Chosen& config : chosen)
    if (const auto file = fs::path(out) / config.name() / "results.json"; fs::exists(file))
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
  if (!files.empty()) tell("Documents: {}\n", out);
  return mistakes.empty() ? Exit::Fine : Exit::BadInput;
}

Exit reproduce(const ReproduceOptions& options) {
  const bool resumes = !options.resume.empty();
  if (resumes && !options.request.what.empty())
    throw Invalid("--resume goes on with what was asked for: leave out " +
                  shell_word(options.request.what.front()));
  Request request = resumes ? read_request(options.resume) : options.request;
  const std::vector<PublishedExperiment> asked = asked_for(request.what);
  request.configs = configs_folder(request.configs);
  if (options.list &&
      (resumes || !options.out.empty() || options.format != ReproductionFormat::Text))
    throw Invalid("--list runs nothing: it goes with WHAT and --configs alone");
  if (options.list) return list_all(request);
  const std::vector<Chosen> chosen = choose(asked, request.configs);
  if (chosen.empty()) return show(asked, chosen, "", options.format);
  const std::atomic<bool>& interrupted = watch_for_interrupts();
  if (const Exit checked = check(chosen, interrupted); checked != Exit::Fine) return checked;
  const std::string out = resumes ? options.resume : begin_folder(options.out, request, chosen);
  Exit worst = Exit::Fine;
  for (const Chosen& config : chosen) {
    worst = std::max(worst, run_config(config, out, request, interrupted));
    if (interrupted) worst = Exit::Interrupted;
    if (worst == Exit::Interrupted) break;
    if (worst == Exit::BadInput || worst == Exit::Incomparable) return worst;  // nothing was run
  }
  worst = std::max(worst, show(asked, chosen, out, options.format));
  if (worst == Exit::Interrupted)
    tell("normbench: interrupted; go on with: normbench reproduce --resume {}\n", shell_word(out));
  return worst;
}

}  // namespace

Subcommand make_reproduce() {
  const auto options = std::make_shared<ReproduceOptions>();
  Request& request = options->request;
  return {
      .options =
          {{"WHAT", "",
            "Sources (" + known_words<Publication>() + ") or ids (A1 to F12); all when absent",
            &request.what, "", Option::Several},
           {"--list", "",
            "Show the experiments, what each needs and how long it takes; run nothing",
            &options->list},
           {"--out", "DIR", "Where each config's documents go (default: results/reproduce-TIME)",
            &options->out},
           {"--allow-peers", "",
            "Run the commands of peers that configs name (scripts/peers/setup)",
            &request.allow_peers},
           {"--quick", "", "Fewer rounds: wide intervals", &request.quick},
           {"--configs", "DIR", "The configs, if not those of this program", &request.configs},
           {"--resume", "DIR", "Go on with a reproduction, as it was asked for", &options->resume,
            "", 0, "--out"},
           {"--format", "NAME", "text, markdown or json",
            word_of<ReproductionFormat>(options->format)}},
      .run = [options] { return reproduce(*options); }};
}

}  // namespace normbench
