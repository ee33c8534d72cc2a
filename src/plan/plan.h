/// The decided run: what is measured, in which groups, by which kernels. Nothing is left to parse.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "core/claim.h"
#include "core/enums.h"
#include "core/json.h"
#include "machine/process_limits.h"
#include "ops/op.h"

namespace normbench {

/// `measure` of a config. Times in seconds, precision as a relative half-width.
struct Measure {
  double precision = 0.01;
  double max_seconds_per_group = 5;
  Cache cache = Cache::Cold;
  DecidingClock clock = DecidingClock::Wall;
  std::int64_t seed = 1;
  std::int64_t processes = 1;
  double turn_timeout_seconds = 60;
  std::int64_t checked_calls = 8;  // of each case, at least; the first and last are among them
  bool quick = false;              // --quick: fewer rounds, said in the output
};

/// The measure options that an experiment sets itself, instead of the config's.
struct OwnMeasure {
  std::optional<double> precision = {}, max_seconds_per_group = {};
  std::optional<Cache> cache = {};

  /// `measure`, with the options that are set here in their place.
  Measure over(Measure measure) const;
};

/// `profile` of a config: torch.profiler's schedule and table options.
struct ProfileOptions {
  std::int64_t skip_first = 0, wait = 1, warmup = 1, active = 10;
  std::int64_t repeat = 1;           // 0: forever, which for a case is once
  std::int64_t skip_first_wait = 0;  // other than 0: the first cycle has no `wait`
  std::string sort_by = "cpu_time_total";
  std::int64_t row_limit = 10;
  bool group_by_input_shape = false;
  bool enabled = true;  // --no-profile
};

struct Case;

/// A tensor that is there before the first stage: random, from a file, or made by an untimed setup.
struct Input {
  Source source;                           // for a setup's tensor only how it lies in memory
  std::shared_ptr<const Case> setup = {};  // the references of its stages make it, …
  int value = 0;                           // … as this value of the setup
};

/// A tensor that flows between stages of a case: an input (inputs are first) or a stage's output.
struct Value {
  TensorDesc desc;
  int producer = -1;      // index of the stage; -1: it is an input
  int in_place_of = -1;   // index of the value whose buffer holds it; -1: its own
  std::string name = {};  // its name in the config; "": none
  bool operator==(const Value&) const = default;
};

struct Stage {
  Op op;
  // The name in tables and ranges: the config's, in which "{i}" stands for the iteration's number
  // in ranges, else the op's name, with the kernel when forced.
  std::string label;
  std::vector<std::string> ranges = {};  // names of the config's ranges around it, outermost first
  Place place = Place::Cpu;
  std::string forced = {};         // the row that the config names; "": the default one
  const Kernel* kernel = nullptr;  // null: a peer runs it, or nothing can and the case is skipped
  std::vector<int> in, out;        // indices of values
  OutputPolicy output = OutputPolicy::Reuse;
  Signature signature;
  Json parameters = {};   // the op's own members in the config (not place, memory, …)
  bool resident = false;  // its input is still in a cache
  Cost fewest;            // what the op must move
  Cost cost;              // what the chosen kernel row moves
  std::string lane = {};  // that the config names; "": its engine's
};

/// Stages of a pipeline that one engine runs one after the other for an item.
struct Lane {
  std::string name;
  int servers = 1;                  // items that it works on at once
  int threads = 1;                  // of each server, for stages on the CPU
  std::vector<std::size_t> stages;  // in their order; there may be others between
};

/// The part of a pipeline that a contender beside it runs: one lane alone, with one server, or
/// everything but the loading. What that needs is made before its turns.
struct PipelinePart {
  std::string of;         // the variant
  std::string lane = {};  // "": all but the loading
};

/// How a case runs with several items under way at once.
struct Pipeline {
  int in_flight = 1;
  std::int64_t items = 1;  // in a turn, which starts and ends with none in flight
  Submit submit = Submit::Lane;
  std::vector<Lane> lanes = {};  // in the order of their first stages; every stage is in one
  std::optional<PipelinePart> part = {};  // nothing: the whole pipeline
};

/// One variant at one point of the sweep, fully decided.
struct Case {
  std::string variant;         // display name, "name [axis=value]" when varied
  std::string written;         // the variant's name in the config
  Json axes = Json::object();  // values of the `vary` axes
  std::vector<Input> inputs;   // none when the first stage loads; all in one kind of memory
  std::vector<Value> values;   // the inputs, then what stages give
  std::vector<int> outputs;    // the values that are checked; alike in all cases
  std::vector<Stage> stages;
  int threads = 1;
  bool threads_decided = false;  // the config says "all"
  Wait wait = Wait::Turn;
  bool graph = false;
  bool resident = false;   // a limit on one set of buffers that stays in the cache
  bool near_link = false;  // what crosses the link lies near it: some nodes are far
  std::optional<Pipeline> pipeline = {};  // nothing: one iteration after the other, as `wait` says
  std::string peer = {};                  // which of the plan's peers runs it; "": this process
  std::optional<std::string> skip;        // why it cannot run here: in words, …
  Skip skip_kind = Skip::Other;           // … and the kind of reason

  /// The first output.
  const TensorDesc& result() const { return values[outputs.front()].desc; }
  /// The images of its batch: the most that one of its inputs has, or that it loads.
  std::int64_t images() const;
  /// True if a stage runs on a GPU, or the source lies there.
  bool uses_gpu() const;
  /// The threads of a stage on the CPU: in a pipeline its lane's.
  int threads_of(std::size_t stage) const;
};

/// Bytes that an iteration must read: the files, or the parts of the inputs that its stages take.
std::int64_t fewest_read_bytes(const Case& work);
/// Bytes that an iteration must write: its outputs.
std::int64_t output_bytes(const Case& work);
/// True if checking the outputs takes the whole batch at once.
bool whole_batch(const Case& work);
/// True if rows of the outputs depend only on the same rows of the inputs, so that a few can be
/// checked at a time.
bool row_wise(const Case& work);

/// All variants at one point of the sweep, measured interleaved.
struct Group {
  std::string experiment, question;
  Json point = Json::object();
  std::string baseline;
  std::vector<Case> cases;
  std::vector<Case> limits;          // contenders that the planner added (limits.h)
  std::vector<Published> published;  // the point's
  std::vector<Claim> claims;         // the whole experiment's
  std::vector<std::string> ids;      // the published experiments it reproduces
  OwnMeasure own = {};
  std::int64_t scaled_from = 0;  // images in the config where fewer fit; 0: as there
};

/// How a peer is started: the program (looked up in PATH), its arguments, and where.
struct PeerCommand {
  std::vector<std::string> argv;
  std::string directory;  // the config's: relative paths in the command start there
};

struct Plan {
  std::string name, about;
  Json config;  // as read, after --set
  Measure measure;
  ProfileOptions profile;
  std::vector<Group> groups;
  std::map<std::string, PeerCommand> peers = {};  // by name
  Sides free_bytes = {};                          // memory that every group fits in; 0: unknown
  SideNotes free_notes = {};                      // what limits it

  Measure measure_of(const Group& group) const { return group.own.over(measure); }
};

/// Options from the command line and facts of the machine, which are added to a config.
struct PlanOptions {
  std::string base_dir;                                  // relative paths start here
  std::optional<std::string> images_dir;                 // --images
  std::vector<std::pair<std::string, std::string>> set;  // --set name=value or /pointer=value
  std::vector<std::string> only;                         // --only globs over experiments/variants
  bool quick = false;
  bool profile = true;
  bool allow_peers = false;  // --allow-peers: commands of the config may be run
  bool fit = false;          // --fit: fewer images where a group does not fit in memory
  int all_threads = 1;       // what this process may use: `"threads": "all"` is that or 1
  std::vector<std::int64_t> data_caches = {};  // of a core, nearest first: for decisions
  std::vector<std::string> sort_keys = {};     // what `profile.sort_by` may name; empty: anything
  Sides cache_bytes = {.host = 32 << 20, .device = 32 << 20};  // the last caches before each memory
  Sides free_bytes = {};      // memory that this process can have on each side; 0: unknown
  SideNotes free_notes = {};  // what limits it
};

/// Reads, checks and decides a config. Throws BadInput with every mistake: none is found later. The
/// plan points to kernels of `backends`, which must outlive it.
Plan make_plan(const std::string& file, const Backends& backends, const PlanOptions& options);
/// Makes a plan of text that was read already; `file` names it in errors.
Plan make_plan(const std::string& file, std::string_view text, const Backends& backends,
               const PlanOptions& options);

/// Bytes of memory that a group's cases and limits need, skipped ones left out. `cache_bytes`: the
/// last cache of each memory, which cold buffers must exceed threefold.
Sides memory_bytes(const Group& group, const Measure& measure, const Sides& cache_bytes);

/// The approximate size of the document of a run that measures so many rounds of each case.
std::int64_t document_bytes(const Plan& plan, std::int64_t rounds);

}  // namespace normbench
