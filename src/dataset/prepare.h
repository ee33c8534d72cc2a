/// Makes a dataset of images: each decoded once, stored in one form, and gone on with after a kill.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "dataset/preparation.h"
#include "ops/load.h"

namespace normbench {

/// Hears of what is done; one call at a time, on any thread.
class PrepareObserver {
 public:
  virtual ~PrepareObserver() = default;
  /// `done` of `all` images were done before.
  virtual void started(std::size_t done, std::size_t all) = 0;
  virtual void image_done(std::size_t done) = 0;
  /// An image cannot be read; which, and why, prepare() returns.
  virtual void broken() = 0;
};

struct PrepareOptions {
  int threads = 1;
  OnError on_error = OnError::Fail;
  const std::atomic<bool>* interrupted = nullptr;  // ends it after the images in work; null: never
};

struct Prepared {
  enum class Outcome {
    Finished,
    WasThere,     // finished before, and as it was left then
    Interrupted,  // goes on when it is called again
    Broken        // images cannot be read, and on_error is `fail` or none is left
  };
  Outcome outcome = Outcome::Finished;
  Manifest manifest = {};            // of Finished and WasThere
  std::size_t done = 0;              // images in whole files, of Interrupted and Broken
  std::vector<LeftOut> broken = {};  // met by this call, in order
};

/// Makes the dataset, or what is missing of it. Files of the folder appear whole; which bytes they
/// hold depends on the sources and the form alone. Throws, before anything is written, Invalid
/// for mistakes, BadInput with all that differs from what is there; CannotWrite; std::runtime_error
/// where a source is not what it was when the preparation began. What is finished stays in all
/// cases.
Prepared prepare(const Preparation& preparation, const PrepareOptions& options,
                 PrepareObserver& observer);

}  // namespace normbench
