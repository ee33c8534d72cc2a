/// Makes a dataset of images. Each is decoded once and stored in one form; a killed run goes on.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "dataset/preparation.h"
#include "ops/load.h"

namespace normbench {

/// Is told about progress: one call at a time, on any thread.
class PrepareObserver {
 public:
  virtual ~PrepareObserver() = default;
  /// Says that `done` of `all` images were finished before this call.
  virtual void started(std::size_t done, std::size_t all) = 0;
  virtual void image_done(std::size_t done) = 0;
  /// Says that an image cannot be read. Which one, and why, is in what prepare() returns.
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
    WasThere,     // finished before, and unchanged since
    Interrupted,  // another call goes on
    Broken        // images cannot be read, and on_error is `fail` or none is left
  };
  Outcome outcome = Outcome::Finished;
  Manifest manifest = {};            // when Finished or WasThere
  std::size_t done = 0;              // images in whole files, when Interrupted or Broken
  std::vector<LeftOut> broken = {};  // those that this call met, in order
};

/// Makes the dataset, or what is missing of it. Files appear whole in the folder; their bytes
/// depend only on the sources and the form. Throws before anything is written: Invalid for
/// mistakes, BadInput with all differences from what is there. Throws CannotWrite, and
/// std::runtime_error where a source has changed since the preparation began. Finished files stay
/// in all cases.
Prepared prepare(const Preparation& preparation, const PrepareOptions& options,
                 PrepareObserver& observer);

}  // namespace normbench
