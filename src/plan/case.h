/// The decided cases: what each runs, stage by stage, on which values, by which kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "core/claim.h"
#include "core/enums.h"
#include "core/json.h"
#include "ops/op.h"
#include "plan/options.h"

namespace normbench {

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
  bool resident = false;                  // a limit on one set of buffers that stays in the cache
  bool near_link = false;                 // what crosses the link lies near it: some nodes are far
  std::optional<Pipeline> pipeline = {};  // nothing: one iteration after the other, as `wait` says
  std::string peer = {};                  // which of the plan's peers runs it; "": this process
  std::optional<std::string> skip;        // why it cannot run here: in words, …
  Skip skip_kind = Skip::Other;           // … and the kind of reason

  /// The first output.
  const TensorDesc& result() const { return values[outputs.front()].desc; }
  /// The images of its batch: the most that one of its inputs has, or that it loads.
  std::int64_t images() const;
  /// The op that loads its images from files; null where it starts from inputs.
  const Load* loader() const;
  /// Bytes that an iteration must read: the files, or the parts of the inputs that its stages take.
  std::int64_t fewest_read_bytes() const;
  /// Bytes that an iteration must write: its outputs.
  std::int64_t output_bytes() const;
  /// True if checking the outputs takes the whole batch at once.
  bool whole_batch() const;
  /// True if rows of the outputs depend only on the same rows of the inputs, so that a few can be
  /// checked at a time.
  bool row_wise() const;
  /// True if a stage runs on a GPU, or the source lies there.
  bool uses_gpu() const;
  /// The threads of a stage on the CPU: in a pipeline its lane's.
  int threads_of(std::size_t stage) const;
};

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

  /// The case called `name`: as written (the first of its variations) or as displayed; null for
  /// none.
  const Case* find(const std::string& name) const;
  /// The cases and limits that are not skipped.
  std::vector<const Case*> runnable() const;
  /// True where a case of the group runs here.
  bool runs_here() const;
};

}  // namespace normbench
