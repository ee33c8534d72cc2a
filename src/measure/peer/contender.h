/// A case in a peer: a process that answers requests.
#pragma once

#include <filesystem>

#include "measure/cold_files.h"
#include "measure/contender.h"
#include "measure/group_memory.h"
#include "measure/peer/messages.h"
#include "measure/peer/process.h"
#include "measure/run_context.h"

namespace normbench {

/// A folder that nobody else can read. The destructor removes it with all that it holds.
class PeerFolder {
 public:
  /// Makes a folder with room for `bytes`: in a file system in memory if there is enough space,
  /// else in the folder for temporary files. Throws std::runtime_error with the reason if it cannot
  /// be made.
  explicit PeerFolder(std::int64_t bytes);
  ~PeerFolder();
  PeerFolder(const PeerFolder&) = delete;
  PeerFolder& operator=(const PeerFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// How long a peer may take for an answer, in seconds. The answer to `run` may take `turn_seconds`
/// plus the time of the warm-up.
struct PeerLimits {
  double hello_seconds = 60;     // imports are slow
  double prepare_seconds = 300;  // compilers are slow
  double turn_seconds = 60;
  double settle_seconds = 0.1;  // until the peer is idle after a turn
  double end_seconds = 5;
};

class PeerContender final : public Contender {
 public:
  /// Starts the peer and asks for its name. The messages of all exceptions name the peer.
  PeerContender(const Case& planned, const PeerCommand& command, const PeerLimits& limits,
                GroupMemory& memory, RunContext& context);
  /// Ends the peer. If it does not end in time, it is killed with all processes that it started.
  ~PeerContender() override;

  /// The peer's name and version as it reports them, like "torch 2.9.0".
  const std::string& version() const { return version_; }
  /// Sends the inputs and the stages to the peer.
  void prepare();

  std::int64_t first_call() override;
  void last_call() override {}  // a peer keeps the outputs of its last iteration
  CheckOutcome check(const std::function<bool()>& is_over = {}) override;
  std::optional<CheckOutcome> check_recent(std::mt19937_64& random) override;
  TurnShape shape_of_turns(double clock_cost_ns) override;
  Turn take_turn(const TurnShape& shape, std::mt19937_64& random) override;
  bool takes_first() const override { return ready_.takes_first; }

 private:
  struct Request {
    std::string name, line;
    double seconds;
  };

  PeerProcess::Answer ask(const Request& request,
                          const std::function<void(const std::string&)>& read);
  std::string write_file_list(const PeerFolder& folder) const;
  PeerTurn run(std::int64_t iterations, std::int64_t warmup_ns, std::int64_t first = 0);
  /// Returns copy number `copy` of the inputs. Makes the copy if the group's memory does not have
  /// it.
  std::vector<View> inputs(std::size_t copy);
  bool has_network() const;
  /// Compares the latest outputs with the reference: all images, or only the images `only`.
  CheckOutcome compare(std::optional<ImageRange> only, const std::function<bool()>& is_over = {});
  std::vector<std::int64_t> stage_times(const PeerTurn& turn);

  const Case& work_;
  PeerLimits limits_;
  GroupMemory& memory_;
  RunContext& context_;
  PeerProcess process_;
  std::string version_;
  ColdFiles cold_files_;
  PeerReady ready_;
  std::int64_t last_item_ = 0;  // the last item of the peer's latest run; the peer keeps its output
  std::int64_t drawn_ = 0;      // how often check_recent() has checked a call
  std::vector<std::vector<std::byte>>
      made_;             // the copy that inputs() made last, in memory that host code reads
  bool failed_ = false;  // a request has failed: the peer gets no `close`
};

}  // namespace normbench
