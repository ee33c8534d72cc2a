/// Makes a dataset of images: decodes each image once and stores it. A killed run can be resumed.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "dataset/preparation.h"
#include "ops/load.h"

namespace normbench {

/// Receives the progress of prepare(). Calls come from any thread, but one at a time.
class PrepareObserver {
 public:
  virtual ~PrepareObserver() = default;
  /// Tells that `done` of `all` images were finished before this call of prepare().
  virtual void started(std::size_t done, std::size_t all) = 0;
  virtual void image_done(std::size_t done) = 0;
  /// Tells that an image cannot be read. The result of prepare() has its name and the reason.
  virtual void broken() = 0;
};

struct PrepareOptions {
  int threads = 1;
  OnError on_error = OnError::Fail;
  // True: prepare() starts no more images, and returns once those in work are done. Null: it is
  // never interrupted.
  const std::atomic<bool>* interrupted = nullptr;
};

struct Prepared {
  enum class Outcome {
    Finished,
    WasThere,     // the dataset was finished before this call
    Interrupted,  // another call of prepare() can go on
    Broken        // images cannot be read, and on_error is `fail` or no image is left
  };
  Outcome outcome = Outcome::Finished;
  Manifest manifest = {};            // set if Finished or WasThere
  std::size_t done = 0;              // images in finished files; for Interrupted and Broken
  std::vector<LeftOut> broken = {};  // images that this call could not read, in order
};

/// Makes the dataset, or what is missing of it. A file appears in the folder when it is whole. Its
/// bytes depend only on the sources and the form. Finished files stay after any error.
/// - Throws Invalid for mistakes in `preparation`, and BadInput with all differences if the folder
///   has another dataset. Nothing is written then.
/// - Throws CannotWrite.
/// - Throws std::runtime_error if a source has changed since the preparation began.
Prepared prepare(const Preparation& preparation, const PrepareOptions& options,
                 PrepareObserver& observer);

}  // namespace normbench
