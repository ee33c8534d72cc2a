/// The decided cases of a run: their stages, values and kernels. A case is a variant of an
/// experiment at one point of its sweep.
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

/// A tensor that exists before the first stage. Its values are random, come from a file, or are
/// computed once, untimed, by the stages of the experiment's `setup`.
struct Input {
  // If `setup` computes the tensor, only the dtype, layout, memory and shape of `source` are used.
  Source source;
  std::shared_ptr<const Case> setup = {};  // setup that computes the tensor; null: there is none
  int value = 0;                           // index of the tensor in `setup->values`
};

/// An input of the case or an output of a stage.
struct Value {
  TensorDesc desc;
  int producer = -1;  // index of the stage that computes it; -1 for an input of the case
  // Index of the value in whose buffer this value lies; -1 if it has its own buffer.
  int in_place_of = -1;
  std::string name = {};  // name in the config; "" if it has none
  bool operator==(const Value&) const = default;
};

struct Stage {
  Op op;
  // The name in tables and traces. It is the label in the config. Without a label it is the name of
  // the op, followed by the kernel if the config names one. In the names of recorded ranges, the
  // number of the iteration replaces "{i}".
  std::string label;
  std::vector<std::string> ranges = {};  // names of the ranges around the stage, outermost first
  Place place = Place::Cpu;
  std::string forced = {};  // the kernel row (implementation) that the config names; "": none
  // Null if a peer (another program) runs the stage. Also null if no kernel row can run it; the
  // case is then skipped.
  const Kernel* kernel = nullptr;
  std::vector<int> in, out;  // indices of values
  OutputPolicy output = OutputPolicy::Reuse;
  Signature signature;
  Json parameters = {};   // the stage's members in the config, except common ones like `place`
  bool resident = false;  // the inputs are still in a cache; see mark_resident()
  Cost fewest;            // least bytes and operations of any kernel for the op
  Cost cost;              // bytes and operations of the chosen kernel row
  // The lane that the config names; "" for the default lane (engine_of() in pipeline.h).
  std::string lane = {};
};

/// A lane of a pipeline: some of its stages, and the servers that run them. A server takes an item
/// (a batch) and runs the stages of the lane on it, one after the other.
struct Lane {
  std::string name;
  int servers = 1;                  // number of items that the lane works on at once
  int threads = 1;                  // number of threads of each server, for stages on the CPU
  std::vector<std::size_t> stages;  // indices in order; stages of other lanes may lie between them
};

/// To find what limits a pipeline, normbench also measures parts of it: one lane with one server,
/// or all stages except the `load` stage. The inputs of the part are made before each of its turns
/// (a turn is one timed run of a case).
struct PipelinePart {
  std::string of;         // name of the variant with the whole pipeline
  std::string lane = {};  // "": all stages except the `load` stage
};

/// How a case runs if several items (batches) are in flight at once.
struct Pipeline {
  int in_flight = 1;
  std::int64_t items = 1;  // items per turn (timed run); all are finished when it ends
  Submit submit = Submit::Lane;
  std::vector<Lane> lanes = {};  // in the order of their first stages; each stage is in one lane
  std::optional<PipelinePart> part = {};  // empty: the whole pipeline
};

/// One variant at one point of the sweep, fully decided.
struct Case {
  std::string variant;         // name in tables; "name [axis=value]" if it uses axes of `vary`
  std::string written;         // the variant's name in the config
  Json axes = Json::object();  // values of the `vary` axes
  // Empty if the first stage loads files. All inputs are in one kind of memory.
  std::vector<Input> inputs;
  std::vector<Value> values;  // the inputs, then the outputs of the stages
  std::vector<int> outputs;   // indices in `values` of the tensors that are checked
  std::vector<Stage> stages;
  int threads = 1;
  bool threads_decided = false;  // true: the planner chose `threads` ("threads": "all")
  Wait wait = Wait::Turn;
  bool graph = false;
  // True for a limit (a case that shows how fast the machine is, see limits.h) whose buffers stay
  // in the cache.
  bool resident = false;
  // True: pageable buffers that GPU stages read or write over the link lie on the GPU's NUMA node.
  bool near_link = false;
  std::optional<Pipeline> pipeline = {};  // empty: iterations run one after another
  // Name of the peer (another program) that runs the case; "" for this process.
  std::string peer = {};
  std::optional<std::string> skip;  // why the case cannot run here, in words; empty if it can
  Skip skip_kind = Skip::Other;     // the kind of the reason in `skip`

  /// Returns the description of the first output.
  const TensorDesc& result() const { return values[outputs.front()].desc; }
  /// Returns the number of images in a batch: the number of the input with the most images, or the
  /// batch size of the `load` stage.
  std::int64_t images() const;
  /// Returns the op that loads the images from files; null if the case starts from inputs.
  const Load* loader() const;
  /// Returns the least number of bytes that an iteration must read. Parts of the inputs that no
  /// stage uses do not count. Returns 0 if the case loads files.
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
  /// Returns the number of threads of a stage on the CPU: in a pipeline, `threads` of the stage's
  /// lane, otherwise `threads` of the case.
  int threads_of(std::size_t stage) const;
};

/// The cases of all variants of an experiment at one point of the sweep. They are compared with
/// each other, so their timed turns are interleaved.
struct Group {
  std::string experiment, question;
  Json point = Json::object();
  std::string baseline;
  std::vector<Case> cases;
  std::vector<Case> limits;          // limits that the planner adds (limits.h)
  std::vector<Published> published;  // published figures for this point
  std::vector<Claim> claims;         // the claims of the whole experiment
  std::vector<std::string> ids;      // ids of published experiments that this one reproduces
  OwnMeasure own = {};
  std::vector<Difference> may_differ = {};  // allowed differences between outputs
  // Images per batch in the config if --fit reduced them; else 0.
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
