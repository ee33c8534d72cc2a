/// A case in a peer: a process that answers requests.
#pragma once

#include <filesystem>

#include "measure/cold_files.h"
#include "measure/contender.h"
#include "measure/group_memory.h"
#include "measure/peer/messages.h"
#include "measure/peer/process.h"
#include "measure/runner.h"

namespace normbench {

/// Nobody else can read it, and it is gone with all it holds at the end of its life.
class PeerFolder {
 public:
  /// With room for `bytes`: in memory where that has it, else where temporary files go. Throws
  /// std::runtime_error saying why there is none.
  explicit PeerFolder(std::int64_t bytes);
  ~PeerFolder();
  PeerFolder(const PeerFolder&) = delete;
  PeerFolder& operator=(const PeerFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// How long a peer may take for an answer, in seconds; for its turns, and for writing what they
/// give, that comes on top of the warm-up.
struct PeerLimits {
  double hello_seconds = 60;     // imports are slow
  double prepare_seconds = 300;  // compilers are slow
  double turn_seconds = 60;
  double settle_seconds = 0.1;  // after its turns
  double end_seconds = 5;
};

class PeerContender final : public Contender {
 public:
  /// Starts the peer and asks for its name. What is thrown, here and later, says which peer it is.
  PeerContender(const Case& work, const PeerCommand& command, const PeerLimits& limits,
                GroupMemory& memory, RunContext& context);
  /// Ends the peer; one that does not end in time is killed with all that it started.
  ~PeerContender() override;

  /// What the peer calls itself: "torch 2.9.0".
  const std::string& version() const { return version_; }
  /// Gives it the source and the stages.
  void prepare();

  std::int64_t first_call() override;
  void last_call() override {}  // a peer keeps what its last iteration gave
  CheckOutcome check() override;
  TurnShape shape_of_turns(double clock_cost_ns) override;
  Turn take_turn(const TurnShape& shape, std::mt19937_64& random) override;

 private:
  struct Request {
    std::string name, line;
    double seconds;
  };

  PeerProcess::Answer ask(const Request& request,
                          const std::function<void(const std::string&)>& read);
  std::string write_file_list(const PeerFolder& folder) const;
  PeerTurn run(std::int64_t iterations, std::int64_t warmup_ns);
  std::vector<View> inputs();
  std::vector<std::int64_t> stage_times(const PeerTurn& turn);

  const Case& work_;
  PeerLimits limits_;
  GroupMemory& memory_;
  RunContext& context_;
  PeerProcess process_;
  std::string version_;
  ColdFiles cold_files_;
  PeerReady ready_;
  std::int64_t last_item_ = 0;  // of its latest run, whose output it keeps
  bool failed_ = false;         // it need not be told of the end
};

}  // namespace normbench
