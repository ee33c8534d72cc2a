#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "app/commands.h"
#include "app/documents.h"
#include "app/options.h"
#include "app/output.h"
#include "app/planned_configs.h"
#include "app/terminal.h"
#include "core/child_process.h"
#include "core/file.h"
#include "core/reader.h"
#include "core/text.h"
#include "machine/affinity.h"
#include "machine/topology.h"
#include "measure/group_memory.h"
#include "plan/publications.h"
#include "report/findings_markdown.h"
#include "report/reproduction_text.h"
#include "report/words.h"

namespace normbench {
namespace fs = std::filesystem;
namespace {

enum class ReproductionFormat { Text, Markdown, Html, Json, Findings };
constexpr auto words(ReproductionFormat) {
  return std::to_array<Word<ReproductionFormat>>({{ReproductionFormat::Text, "text"},
                                                  {ReproductionFormat::Markdown, "markdown"},
                                                  {ReproductionFormat::Html, "html"},
                                                  {ReproductionFormat::Json, "json"},
                                                  {ReproductionFormat::Findings, "findings"}});
}

/// What the user asked for. It is stored in the file kRequest of the folder of a reproduction, from
/// which --resume and --from read it.
struct Request {
  std::vector<std::string> what;
  std::string configs;  // the folder of configs
  std::string machine;  // name of the machine in documents; "": the host name
  std::string images;   // folder of files to load; "": the config's folder
  bool allow_peers = false, quick = false;
};
constexpr const char* kRequest = "reproduce.json";

struct ReproduceOptions {
  Request request;
  std::string out, resume, from;
  ReproductionFormat format = ReproductionFormat::Text;
  bool list = false, quiet = false;
};

/// A config to run. `experiments` are the names of its experiments that repeat one of the published
/// experiments for which the user asked.
struct Chosen {
  std::string file;
  std::vector<std::string> experiments;
  std::vector<std::string> ids;  // of the published experiments that `experiments` repeat

  /// Returns the name of the folder below --out that the config gets. The names differ for a.json
  /// and a.jsonc.
  std::string name() const {
    const fs::path path(file);
    return (path.extension() == ".json" ? path.stem() : path.filename()).string();
  }
};

/// Returns the published experiments in the list of publications that lies in the folder `configs`.
/// If that folder has no such list, uses the list in this program's own folder of configs. Throws
/// Invalid if neither folder has a list, and BadInput if the list has mistakes.
std::vector<PublishedExperiment> published_beside(const std::string& configs) {
  std::error_code unknown;
  for (const std::string& folder : {configs, own_configs().value_or("")})
    if (const std::string file = publications_file(folder);
        !folder.empty() && fs::exists(file, unknown))
      return read_publications(file);
  throw Invalid(fmt::format("no {} in the folder of configs, nor beside this program",
                            publications_file("")));
}

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// Returns the words by which the command line can select published experiments: the names of
/// publications, and the ids of experiments.
std::vector<std::string> words_of(const std::vector<PublishedExperiment>& published) {
  std::vector<std::string> known;
  for (const Publication& source : publications_of(published)) known.push_back(source.name);
  for (const PublishedExperiment& one : published) known.push_back(one.id);
  return known;
}

/// Returns the published experiments whose publication or id is named in `what`, or all of them if
/// `what` is empty. Throws BadInput with all unknown words.
std::vector<PublishedExperiment> asked_for(const std::vector<std::string>& what,
                                           const std::vector<PublishedExperiment>& published) {
  const std::vector<std::string> known = words_of(published);
  std::vector<Issue> unknown_ones;
  for (const std::string& word : what)
    if (!has(known, word))
      unknown_ones.push_back(
          {"", unknown("source or id", word, known) + " (reproduce --list shows all)"});
  if (!unknown_ones.empty()) throw BadInput("normbench", std::move(unknown_ones));
  std::vector<PublishedExperiment> chosen;
  for (const PublishedExperiment& one : published)
    if (what.empty() || std::ranges::any_of(what, [&](const std::string& word) {
          return word == one.id || word == one.source.name;
        }))
      chosen.push_back(one);
  return chosen;
}

/// The experiments in configs that repeat one published experiment, by names like
/// "blog-cpu/chains", and what these experiments need on this machine.
struct Planned {
  std::vector<std::string> experiments;
  Needs needs;
};

Planned planned(std::string_view id, const std::vector<Plan>& plans, const Sides& cache_bytes) {
  Planned found;
  for (const Plan& plan : plans)
    for (const Group& group : plan.groups) {
      if (!has(group.ids, id)) continue;
      const std::string name = plan.name + "/" + group.experiment;
      if (!has(found.experiments, name)) found.experiments.push_back(name);
      found.needs.add(plan, group, cache_bytes);
    }
  return found;
}

/// If some of `ids` are in no publication, prints them. `whose` begins the message, like "ids in
/// configs".
void tell_unpublished(const std::set<std::string>& ids,
                      const std::vector<PublishedExperiment>& published, std::string_view whose) {
  std::vector<std::string> unpublished;
  for (const std::string& id : ids)
    if (std::ranges::find(published, id, &PublishedExperiment::id) == published.end())
      unpublished.push_back(id);
  if (!unpublished.empty())
    tell("normbench: {} that no publication has: {}\n", whose, listed(unpublished));
}

Exit list_all(const Request& request, const std::vector<PublishedExperiment>& published) {
  const Backends backends = make_backends({});
  const Sides cache_bytes = cold_caches(backends, last_level_cache_bytes());
  const std::vector<Plan> plans = plan_all(request.configs, request.quick, backends);
  const std::size_t width = prose_width(stdout_screen());
  std::string text;
  for (const PublishedExperiment& one : asked_for(request.what, published)) {
    const Planned found = planned(one.id, plans, cache_bytes);
    std::string head = fmt::format("{:<3} {}", one.id, one.source.name);
    for (const std::string& part : {found.needs.text(), found.needs.time_text()})
      if (!part.empty()) head += " · " + part;
    const std::string where =
        found.experiments.empty()
            ? fmt::format("({})", one.missing.empty() ? "no config has it" : one.missing)
            : fmt::format("{}", fmt::join(found.experiments, ", "));
    text += wrapped(head, 2, width) + wrapped(one.about, 6, width) + wrapped(where, 6, width);
  }
  for (const Publication& source : publications_of(published))
    text += wrapped(fmt::format("{}: {}", source.name, source.origin), 2, width);
  show(text);
  std::set<std::string> ids;
  for (const Plan& plan : plans)
    for (const Group& group : plan.groups) ids.insert(group.ids.begin(), group.ids.end());
  tell_unpublished(ids, published, "ids in configs");
  return Exit::Fine;
}

/// Returns the config `file` with those of its experiments that repeat one of the published
/// experiments `asked`. Throws Invalid if the file cannot be read as JSON.
Chosen chosen_of(const std::vector<PublishedExperiment>& asked, const std::string& file) {
  Chosen chosen{.file = file, .experiments = {}, .ids = {}};
  std::vector<Issue> issues;
  const Json config = parse_json(read_text(file), issues);
  for (const Json& experiment : value_at(config, "/experiments")) {
    const Json &ids = value_at(experiment, "/ids"), &name = value_at(experiment, "/name");
    const std::size_t before = chosen.ids.size();
    for (const PublishedExperiment& one : asked) {
      const auto is_its = [&](const Json& id) { return id == one.id; };
      const bool has_it = is_its(ids) || (ids.is_array() && std::ranges::any_of(ids, is_its));
      if (name.is_string() && has_it) chosen.ids.push_back(one.id);
    }
    if (chosen.ids.size() > before) chosen.experiments.push_back(name);
  }
  return chosen;
}

/// Returns the configs in `folder` with experiments that repeat one of `asked`. Does not plan these
/// configs, because check() later plans them in a child process and reports their mistakes. So this
/// process never opens a GPU, which its children use.
std::vector<Chosen> choose(const std::vector<PublishedExperiment>& asked,
                           const std::string& folder) {
  std::vector<Chosen> chosen;
  const std::vector<std::string> files = config_files(folder);
  each_file(files, [&](const std::string& file) {
    try {
      Chosen config = chosen_of(asked, file);
      if (!config.experiments.empty()) chosen.push_back(std::move(config));
    } catch (const Invalid& mistake) {
      throw BadInput(file, {{"", mistake.what()}});
    }
  });
  return chosen;
}

/// While this object lives, the signals that end a run are blocked. `mask` is the signal mask from
/// before. A wait with that mask (like sigsuspend()) lets the signals arrive.
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

/// Runs this program as a child process with `arguments`, discards its stdout, and returns its exit
/// code. If this process is interrupted, the child gets SIGTERM. If this process ends first,
/// --asker makes the child end. If a signal has ended the child, returns Interrupted if this
/// process was interrupted, and Failed otherwise.
Exit run_again(std::vector<std::string> arguments, const std::atomic<bool>& interrupted) {
  arguments.insert(arguments.begin(), "/proc/self/exe");
  arguments.insert(arguments.end(), {"--asker", std::to_string(getpid())});
  const Unpinned everywhere;
  const Blocked blocked;
  const ChildProcess child(
      {.argv = arguments, .input = ChildStream::Shared, .output = ChildStream::Discarded});
  bool told = false;
  std::optional<ChildEnd> end;
  for (; !end; end = child.ended()) {
    if (interrupted && !told) told = child.send(SIGTERM);
    child.wait_for_end(blocked.mask);
  }
  if (end->how == ChildEnd::How::Exit) return static_cast<Exit>(end->number);
  if (interrupted) return Exit::Interrupted;
  tell("normbench: {} was ended by signal {}\n", arguments[1], end->number);
  return Exit::Failed;
}

/// Plans all configs in a child process before the first one runs, so that the mistakes in all of
/// them are reported. Returns the exit code of the child.
Exit check(const std::vector<Chosen>& chosen, const std::atomic<bool>& interrupted) {
  std::vector<std::string> arguments{"check", "--fit"};
  for (const Chosen& config : chosen) arguments.push_back(config.file);
  return run_again(std::move(arguments), interrupted);
}

/// Runs one config in its folder below `out`. If that folder holds a run of this config, continues
/// the run, which measures nothing if it is finished.
Exit run_config(const Chosen& config, const std::string& out, const Request& request, bool quiet,
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
    if (!request.machine.empty()) arguments.insert(arguments.end(), {"--machine", request.machine});
    if (!request.images.empty()) arguments.insert(arguments.end(), {"--images", request.images});
  }
  if (request.allow_peers) arguments.emplace_back("--allow-peers");
  if (quiet) arguments.emplace_back("--quiet");
  if (!quiet) tell("{} ({})\n", config.name(), fmt::join(config.experiments, ", "));
  return run_again(std::move(arguments), interrupted);
}

/// Creates the folder of a new reproduction and returns its path. Throws Invalid if the folder
/// holds a reproduction already. Throws BadInput if the subfolder of a config holds a run, or files
/// that a run would overwrite.
std::string begin_folder(const std::string& wanted, const Request& request,
                         const std::vector<Chosen>& chosen) {
  if (!wanted.empty()) {
    if (fs::exists(fs::symlink_status(fs::path(wanted) / kRequest)))
      throw Invalid(
          fmt::format("{0} holds a reproduction (continue with: normbench reproduce --resume {0})",
                      shell_word(wanted)));
    std::vector<Issue> mistakes;
    for (const Chosen& config : chosen) {
      try {
        check_new_folder((fs::path(wanted) / config.name()).string());
      } catch (const Invalid& mistake) {
        mistakes.push_back({"", mistake.what()});
      }
    }
    if (!mistakes.empty()) throw BadInput("normbench", std::move(mistakes));
    create_folder(wanted);
  }
  const std::string out = wanted.empty() ? make_default_folder("reproduce") : wanted;
  const Json json{{"what", request.what},
                  {"configs", request.configs},
                  {"machine", request.machine},
                  {"images", request.images.empty() ? "" : fs::absolute(request.images).string()},
                  {"allow_peers", request.allow_peers},
                  {"quick", request.quick}};
  write_file((fs::path(out) / kRequest).string(), pretty(json, 2) + "\n");
  return out;
}

/// Reads the request of a reproduction from its folder. Throws Invalid if the folder has no file
/// kRequest, and BadInput if the request has mistakes.
Request read_request(const std::string& folder) {
  std::vector<Issue> issues;
  Json json;
  try {
    json = parse_json(read_text((fs::path(folder) / kRequest).string()), issues);
  } catch (const Invalid&) {
    throw Invalid(
        fmt::format("{}: holds no reproduction (it has no {})", shell_word(folder), kRequest));
  }
  Request request;
  Reader reader(json, "", issues);
  request.what = reader.texts("what", {});
  request.configs = reader.text("configs", "");
  request.machine = reader.text("machine", "");
  request.images = reader.text("images", "");
  request.allow_peers = reader.boolean("allow_peers", false);
  request.quick = reader.boolean("quick", false);
  if (!issues.empty()) throw BadInput(folder, std::move(issues));
  return request;
}

using WhyAbsent = std::function<Absence(const std::string& id)>;

std::vector<Reproduction> reproductions(const std::vector<PublishedExperiment>& asked,
                                        std::span<const KeptDocument> kept, const WhyAbsent& why) {
  std::vector<Reproduction> all;
  for (const PublishedExperiment& one : asked) {
    Reproduction& reproduction =
        all.emplace_back(Reproduction{.experiment = one, .lines = {}, .absence = why(one.id)});
    for (const KeptDocument& document : kept)
      std::ranges::move(reproduced(document.analysed, one.id),
                        std::back_inserter(reproduction.lines));
  }
  return all;
}

/// Returns the command that renders the page of findings (--format findings) from the documents in
/// a folder.
std::string findings_command(const std::vector<std::string>& what, const std::string& folder) {
  std::string command = "normbench reproduce";
  for (const std::string& word : what) command += " " + word;
  return command + (folder.empty() ? "" : " --from " + shell_word(folder)) + " --format findings";
}

/// Shows, in the format `format`, what the documents `kept` say about the experiments `asked`. The
/// documents were read from `folder`.
void show_reproduction(const Request& request, const std::vector<PublishedExperiment>& asked,
                       std::span<const KeptDocument> kept, const std::string& folder,
                       ReproductionFormat format, const WhyAbsent& why) {
  const std::vector<Reproduction> all = reproductions(asked, kept, why);
  switch (format) {
    case ReproductionFormat::Text:
      return show(reproduction_text(all, stdout_screen()));
    case ReproductionFormat::Markdown:
      return write_result(reproduction_markdown(all));
    case ReproductionFormat::Html:
      return write_result(reproduction_html(all));
    case ReproductionFormat::Json:
      return write_result(pretty(reproduction_json(all), 2) + "\n");
    case ReproductionFormat::Findings:
      return write_result(findings_markdown(all, kept, findings_command(request.what, folder)));
  }
}

/// Reads the files one by one, to know which document belongs to which file. One call of
/// read_documents() for all files would not tell, because a file that cannot be read has no
/// document.
std::vector<KeptDocument> read_kept(const std::vector<std::string>& files,
                                    std::vector<BadInput>& mistakes) {
  std::vector<KeptDocument> kept;
  for (const std::string& file : files)
    for (Results& results : read_documents({&file, 1}, mistakes))
      kept.push_back({file, Analysed(std::move(results))});
  return kept;
}

/// Shows the results that the runs have written below `out`, also if the user has interrupted them.
Exit show_run(const Request& request, const std::vector<PublishedExperiment>& asked,
              const std::vector<Chosen>& chosen, const std::string& out, ReproductionFormat format,
              bool interrupted) {
  std::vector<std::string> files;
  for (const Chosen& config : chosen)
    if (const auto file = fs::path(out) / config.name() / "results.json"; fs::exists(file))
      files.push_back(file.string());
  std::vector<BadInput> mistakes;
  const std::vector<KeptDocument> kept = read_kept(files, mistakes);
  write_mistakes(mistakes);
  show_reproduction(request, asked, kept, out, format, [&](const std::string& id) {
    const auto has_it = [&](const Chosen& config) { return has(config.ids, id); };
    if (std::ranges::none_of(chosen, has_it)) return Absence::NoConfig;
    return interrupted ? Absence::Interrupted : Absence::NoDocument;
  });
  if (!files.empty()) tell("Documents: {}\n", out);
  return mistakes.empty() ? Exit::Fine : Exit::BadInput;
}

/// Shows the documents in the folder of --from. Throws BadFiles if one of them cannot be read.
Exit show_kept(const ReproduceOptions& options, const Request& request,
               const std::vector<PublishedExperiment>& asked,
               const std::vector<PublishedExperiment>& published) {
  std::vector<BadInput> mistakes;
  const std::vector<KeptDocument> kept =
      read_kept(document_files(options.from, mistakes), mistakes);
  if (!mistakes.empty()) throw BadFiles(std::move(mistakes));
  show_reproduction(request, asked, kept, options.from, options.format,
                    [](const std::string&) { return Absence::NoDocument; });
  std::set<std::string> ids;
  for (const KeptDocument& document : kept)
    for (const GroupResult& group : document.analysed.results().groups)
      ids.insert(group.ids.begin(), group.ids.end());
  tell_unpublished(ids, published, "ids in documents");
  return Exit::Fine;
}

/// Throws Invalid if one of `options` is given. Each element of `options` is a pair: whether an
/// option is given, and the option's name. The message has `reason` and the name of the first given
/// option.
void refuse(const std::string& reason, std::span<const std::pair<bool, std::string>> options) {
  for (const auto& [is_given, name] : options)
    if (is_given) throw Invalid(fmt::format("{}: leave out {}", reason, name));
}

void check_options(const ReproduceOptions& options) {
  const Request& request = options.request;
  using Given = std::vector<std::pair<bool, std::string>>;
  const Given running{{!options.out.empty(), "--out"},
                      {request.allow_peers, "--allow-peers"},
                      {!request.machine.empty(), "--machine"},
                      {!request.images.empty(), "--images"}};
  const Given quick{{request.quick, "--quick"}};
  const std::string what = request.what.empty() ? "" : shell_word(request.what.front());
  if (!options.from.empty()) {
    const std::string reason = "--from runs nothing, it shows documents";
    refuse(reason, Given{{options.list, "--list"}, {!options.resume.empty(), "--resume"}});
    refuse(reason, running);
    refuse(reason, quick);
  }
  if (options.list) {
    const bool has_format = options.format != ReproductionFormat::Text;
    refuse("--list runs nothing",
           Given{{!options.resume.empty(), "--resume"}, {has_format, "--format"}});
    refuse("--list runs nothing", running);
  }
  if (!options.resume.empty()) {
    const std::string reason = "--resume goes on with what was asked for";
    refuse(reason, Given{{!what.empty(), what}});
    refuse(reason, running);
    refuse(reason, quick);
    refuse(reason, Given{{!request.configs.empty(), "--configs"}});
  }
}

/// Returns the request whose experiments --from shows: the request of the command line. If the
/// command line has no --configs, and the folder of --from has a file kRequest, two members are
/// taken from that file:
/// - `configs`;
/// - `what`, if the command line names no experiments, and if every word in the file's `what` is in
///   the list of publications of these configs.
/// A request with an empty `what` shows all experiments.
Request request_of_kept(const ReproduceOptions& options) {
  Request request = options.request;
  if (!request.configs.empty()) {
    request.configs = configs_folder(request.configs);
    return request;
  }
  std::error_code unknown;
  if (!fs::exists(fs::path(options.from) / kRequest, unknown)) return request;
  const Request made = read_request(options.from);
  request.configs = made.configs;
  const std::vector<std::string> known = words_of(published_beside(made.configs));
  const bool knows_all =
      std::ranges::all_of(made.what, [&](const std::string& word) { return has(known, word); });
  if (request.what.empty() && knows_all) request.what = made.what;
  return request;
}

Exit reproduce(const ReproduceOptions& options) {
  check_options(options);
  const bool resumes = !options.resume.empty();
  const bool shows = !options.from.empty();
  Request request = resumes ? read_request(options.resume)
                    : shows ? request_of_kept(options)
                            : options.request;
  if (!shows) request.configs = configs_folder(request.configs);
  const std::vector<PublishedExperiment> published = published_beside(request.configs);
  const std::vector<PublishedExperiment> asked = asked_for(request.what, published);
  if (shows) return show_kept(options, request, asked, published);
  if (options.list) return list_all(request, published);
  const std::vector<Chosen> chosen = choose(asked, request.configs);
  if (chosen.empty()) return show_run(request, asked, chosen, "", options.format, false);
  // false: on Ctrl-C the child process prints the note that the run will end, so this process
  // prints none.
  const std::atomic<bool>& interrupted = watch_for_interrupts(false);
  if (const Exit checked = check(chosen, interrupted); checked != Exit::Fine) return checked;
  const std::string out = resumes ? options.resume : begin_folder(options.out, request, chosen);
  if (!options.quiet)
    tell("Running {}, one after the other (--list says the budget of each); documents go to {}\n",
         counted(std::ssize(chosen), "config"), shell_word(out));
  // The folder has the options of the request, so --resume takes none of them.
  const std::string on = "continue with: normbench reproduce --resume " + shell_word(out);
  const LastWords last_words("normbench: stopped at once; " + on);
  Exit worst = Exit::Fine;
  for (const Chosen& config : chosen) {
    worst = std::max(worst, run_config(config, out, request, options.quiet, interrupted));
    if (interrupted) worst = Exit::Interrupted;
    if (worst == Exit::Interrupted) break;
    // With these exit codes the child has refused the config and has run nothing.
    if (worst == Exit::BadInput || worst == Exit::Incomparable) return worst;
  }
  worst = std::max(worst, show_run(request, asked, chosen, out, options.format, interrupted));
  if (worst == Exit::Fine)
    suggest(options.quiet, fmt::format("normbench reproduce --from {} --format html > page.html",
                                       shell_word(out)));
  if (worst == Exit::Interrupted) tell("normbench: interrupted; {}\n", on);
  return worst;
}

}  // namespace

Subcommand make_reproduce() {
  const auto options = std::make_shared<ReproduceOptions>();
  Request& request = options->request;
  return {
      .options =
          {{"WHAT", "",
            "Sources or ids of published experiments (--list shows them); all when absent",
            &request.what, "", Option::Several},
           {"--list", "",
            "Show the experiments, what each needs and its budget of time; run nothing",
            &options->list},
           {"--from", "DIR",
            "Run nothing: show the documents of a reproduction, or those that lie in DIR",
            &options->from},
           {"--out", "DIR", "Where each config's documents go (default: results/reproduce-TIME)",
            &options->out},
           {"--resume", "DIR", "Go on with a reproduction, as it was asked for", &options->resume},
           {"--allow-peers", "",
            "Run the commands of peers that configs name (scripts/peers/setup)",
            &request.allow_peers},
           {"--quick", "", "Fewer rounds: wide intervals", &request.quick},
           {"--images", "DIR", "Files to load (scripts/slides-data makes those of F6 to F9)",
            &request.images},
           quiet_option(options->quiet),
           {"--machine", "NAME", "A name for documents instead of the host's", &request.machine},
           {"--configs", "DIR", "The configs and publications, if not those of this program",
            &request.configs},
           {"--format", "NAME",
            "text, markdown, html, json, or findings: a page in Markdown (docs/findings.md)",
            word_of<ReproductionFormat>(options->format)}},
      .run = [options] { return reproduce(*options); }};
}

}  // namespace normbench
