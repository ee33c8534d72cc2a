/// The decided cases of a run: their stages, values and kernels.
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

/// A tensor that exists before the first stage: random, from a file, or made once by an untimed
/// setup.
struct Input {
  // For the output of a setup only the dtype, layout, memory and shape of `source` count.
  Source source;
  std::shared_ptr<const Case> setup = {};  // the setup whose references make the tensor, or null
  int value = 0;                           // index of the tensor in the setup's values
};

/// An input of the case or an output of a stage.
struct Value {
  TensorDesc desc;
  int producer = -1;  // index of the stage that makes it; -1 for an input
  // Index of the value in whose buffer this value lies; -1 if it has its own buffer.
  int in_place_of = -1;
  std::string name = {};  // its name in the config; "" if it has none
  bool operator==(const Value&) const = default;
};

struct Stage {
  Op op;
  // The name in tables and traces: the label in the config, or else the name of the op (with the
  // kernel if the config names one). In a range "{i}" is replaced by the number of the iteration.
  std::string label;
  std::vector<std::string> ranges = {};  // names of the config's ranges around it, outermost first
  Place place = Place::Cpu;
  std::string forced = {};  // the kernel row that the config names; "" if it names none
  // Null if a peer runs the stage, or if no kernel row can and the case is skipped.
  const Kernel* kernel = nullptr;
  std::vector<int> in, out;  // indices of values
  OutputPolicy output = OutputPolicy::Reuse;
  Signature signature;
  Json parameters = {};   // the op's own members in the config (not place, memory, …)
  bool resident = false;  // the inputs are still in a cache (mark_resident)
  Cost fewest;            // least bytes and operations of any kernel for the op
  Cost cost;              // bytes and operations of the chosen kernel row
  // The lane that the config names; "" for the lane of the stage's engine.
  std::string lane = {};
};

/// The stages of a pipeline that the same servers run for each item, one after the other.
struct Lane {
  std::string name;
  int servers = 1;                  // how many items it works on at once
  int threads = 1;                  // threads of each server, for stages on the CPU
  std::vector<std::size_t> stages;  // indices in order; stages of other lanes may lie between them
};

/// The part of a pipeline that a limit runs: one lane with one server, or all stages except the
/// load. The inputs of the part are made before its turns.
struct PipelinePart {
  std::string of;         // name of the variant with the pipeline
  std::string lane = {};  // "": all stages except the load
};

/// How a case runs with several items under way at once.
struct Pipeline {
  int in_flight = 1;
  std::int64_t items = 1;  // items per turn; all are finished when the turn ends
  Submit submit = Submit::Lane;
  std::vector<Lane> lanes = {};  // in the order of their first stages; each stage is in one lane
  std::optional<PipelinePart> part = {};  // empty: the whole pipeline
};

/// One variant at one point of the sweep, fully decided.
struct Case {
  std::string variant;         // name in outputs: "name [axis=value]" if `vary` varies it
  std::string written;         // the variant's name in the config
  Json axes = Json::object();  // values of the `vary` axes
  // Empty if the first stage loads. All inputs are in one kind of memory.
  std::vector<Input> inputs;
  std::vector<Value> values;  // the inputs, then the outputs of the stages
  std::vector<int> outputs;   // indices of the values that are checked
  std::vector<Stage> stages;
  int threads = 1;
  bool threads_decided = false;  // true for "threads": "all"
  Wait wait = Wait::Turn;
  bool graph = false;
  bool resident = false;                  // a limit whose only buffer set stays in the cache
  bool near_link = false;                 // buffers used by a device lie on its NUMA node
  std::optional<Pipeline> pipeline = {};  // empty: one iteration after the other, as `wait` says
  // Name of the peer that runs the case; "" for this process.
  std::string peer = {};
  std::optional<std::string> skip;  // why the case cannot run here, in words; empty if it can
  Skip skip_kind = Skip::Other;     // the kind of the reason in `skip`

  /// Returns the description of the first output.
  const TensorDesc& result() const { return values[outputs.front()].desc; }
  /// Returns the number of images in a batch: that of the largest input, or that of the load.
  std::int64_t images() const;
  /// Returns the op that loads the images from files; null if the case starts from inputs.
  const Load* loader() const;
  /// Returns the number of bytes that an iteration must at least read: the files, or the parts of
  /// the inputs that stages use.
  std::int64_t fewest_read_bytes() const;
  /// Returns the number of bytes of the outputs of an iteration.
  std::int64_t output_bytes() const;
  /// Returns true if the outputs can only be checked with the whole batch at once.
  bool whole_batch() const;
  /// Returns true if each row of the output depends only on the same row of the input, so that a
  /// few rows can be checked at a time.
  bool row_wise() const;
  /// Returns true if a stage runs on a GPU, or the first input is in device memory.
  bool uses_gpu() const;
  /// Returns the number of threads of a stage on the CPU: that of its lane in a pipeline, else that
  /// of the case.
  int threads_of(std::size_t stage) const;
};

/// All variants at one point of the sweep. Their turns are interleaved.
struct Group {
  std::string experiment, question;
  Json point = Json::object();
  std::string baseline;
  std::vector<Case> cases;
  std::vector<Case> limits;          // limits that the planner adds (limits.h)
  std::vector<Published> published;  // published figures for this point
  std::vector<Claim> claims;         // the claims of the whole experiment
  std::vector<std::string> ids;      // ids of the published experiments that it reproduces
  OwnMeasure own = {};
  std::vector<Difference> may_differ = {};  // differences between outputs that are no unfairness
  // Images in the config if --fit made them fewer; 0 if the group has as many as written.
  std::int64_t scaled_from = 0;

  /// Returns the first case whose `written` is `name`, else the case whose `variant` is `name`;
  /// null if there is none.
  const Case* find(const std::string& name) const;
  /// Returns the cases and limits that are not skipped.
  std::vector<const Case*> runnable() const;
  /// Returns true if a case of the group can run here.
  bool runs_here() const;
};

}  // namespace normbench
