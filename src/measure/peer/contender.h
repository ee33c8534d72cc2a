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

/// A folder that nobody else can read. The destructor removes it with all that it holds.
class PeerFolder {
 public:
  /// Makes one with room for `bytes`: in memory if that has room, else where temporary files go.
  /// Throws std::runtime_error saying why there is none.
  explicit PeerFolder(std::int64_t bytes);
  ~PeerFolder();
  PeerFolder(const PeerFolder&) = delete;
  PeerFolder& operator=(const PeerFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// How long a peer may take for an answer, in seconds. Turns, and writing what they give, may take
/// the warm-up's time besides.
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
  PeerContender(const Case& planned, const PeerCommand& command, const PeerLimits& limits,
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
  std::optional<CheckOutcome> check_recent(std::mt19937_64& random) override;
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
  /// The inputs of this copy, which is made if the group's memory has no copy of that number.
  std::vector<View> inputs(std::size_t copy);
  bool has_network() const;
  /// Holds the latest result to the reference: these images alone, where they are given.
  CheckOutcome compare(std::optional<ImageRange> only);
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
  std::int64_t drawn_ = 0;      // calls that were checked after turns
  std::vector<std::vector<std::byte>>
      made_;             // a copy of the inputs, in memory that host code reads
  bool failed_ = false;  // it need not be told of the end
};

}  // namespace normbench
