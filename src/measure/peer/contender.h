/// A contender whose case runs in a peer: another process that answers requests.
#pragma once

#include <filesystem>

#include "measure/cold_files.h"
#include "measure/contender.h"
#include "measure/group_memory.h"
#include "measure/peer/messages.h"
#include "measure/peer/process.h"
#include "measure/run_context.h"

namespace normbench {

/// A folder that other users cannot read. The destructor removes it with its files.
class PeerFolder {
 public:
  /// Makes a folder with room for `bytes`: in a file system in memory if it has enough space,
  /// otherwise in the folder for temporary files. Throws std::runtime_error with the reason on
  /// failure.
  explicit PeerFolder(std::int64_t bytes);
  ~PeerFolder();
  PeerFolder(const PeerFolder&) = delete;
  PeerFolder& operator=(const PeerFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// The longest times that a peer may take to answer a request, in seconds. The answer to `run` may
/// take `turn_seconds` plus the time of the warm-up.
struct PeerLimits {
  double hello_seconds = 60;     // long, because imports are slow
  double prepare_seconds = 300;  // long, because compilers are slow
  double turn_seconds = 60;
  double settle_seconds = 0.1;  // longest wait for an idle peer after a turn
  double end_seconds = 5;
};

class PeerContender final : public Contender {
 public:
  /// Starts the peer and asks for its name and version. The messages of all exceptions contain the
  /// name of the peer.
  PeerContender(const Case& planned, const PeerCommand& command, const PeerLimits& limits,
                GroupMemory& memory, RunContext& context);
  /// Ends the peer. If the peer does not end in time, it is killed with all processes that it
  /// started.
  ~PeerContender() override;

  /// Returns the name and version that the peer reports, like "torch 2.9.0".
  const std::string& version() const { return version_; }
  /// Sends the inputs and the stages to the peer, and waits until it is ready to run them.
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
  /// Returns copy number `copy` of the inputs. If the memory of the group does not contain this
  /// copy, it is made here.
  std::vector<View> inputs(std::size_t copy);
  /// Returns true if the case has a stage that only peers run, such as a network.
  bool has_network() const;
  /// Returns true if the case runs the user's own code.
  bool has_own_code() const;
  /// Returns true if the batches come from the user's own loader.
  bool has_own_loader() const;
  /// Asks the peer for the dtype, shape and size of the last batch that the user's own code gave,
  /// and returns them in CheckOutcome::given. Nothing is compared.
  CheckOutcome ask_what_was_given();
  /// Compares the outputs of the latest run with the reference: the images `only`, or all images if
  /// `only` is empty.
  CheckOutcome compare(std::optional<ImageRange> only, const std::function<bool()>& is_over = {});
  /// Does what shape_of_turns() does, for a case whose batches come from the user's own loader.
  TurnShape shape_of_epochs(double clock_cost_ns);
  std::vector<std::int64_t> stage_times(const PeerTurn& turn);

  const Case& work_;
  PeerLimits limits_;
  GroupMemory& memory_;
  RunContext& context_;
  PeerProcess process_;
  std::string version_;
  ColdFiles cold_files_;
  PeerReady ready_;
  std::int64_t last_item_ = 0;  // last item of the latest run; the peer keeps its outputs
  std::int64_t drawn_ = 0;      // number of checks in check_recent() so far
  std::vector<std::vector<std::byte>>
      made_;             // the copy that inputs() made last, in pageable memory
  bool failed_ = false;  // a request failed, so `close` is not sent
};

}  // namespace normbench
