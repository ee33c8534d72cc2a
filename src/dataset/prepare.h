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
  /// Called before the first image is converted. Earlier calls of prepare() have finished `done` of
  /// the `all` images.
  virtual void started(std::size_t done, std::size_t all) = 0;
  virtual void image_done(std::size_t done) = 0;
  /// Called for each image that cannot be read. The result of prepare() has the name of the image
  /// and the reason.
  virtual void broken() = 0;
};

struct PrepareOptions {
  int threads = 1;
  OnError on_error = OnError::Fail;
  // If this points to true, prepare() starts no more images, and returns when the images already
  // started are done. Null: prepare() is never interrupted.
  const std::atomic<bool>* interrupted = nullptr;
};

struct Prepared {
  enum class Outcome {
    Finished,
    WasThere,     // the dataset was finished before this call
    Interrupted,  // another call of prepare() can continue
    Broken        // images cannot be read, and on_error is `fail` or no image is left
  };
  Outcome outcome = Outcome::Finished;
  Manifest manifest = {};            // set if Finished or WasThere
  std::size_t done = 0;              // images in finished files; for Interrupted and Broken
  std::vector<LeftOut> broken = {};  // images that this call could not read, in order
};

/// Makes the dataset, or the files that are missing in it. A file appears in the folder only when
/// it is whole. The bytes of a file depend only on the sources and the form. Finished files stay
/// after any error.
/// - Throws Invalid for mistakes in `preparation`, and BadInput with all differences if the folder
///   has another dataset. In both cases nothing is written.
/// - Throws CannotWrite.
/// - Throws std::runtime_error if a source has changed since the preparation began.
Prepared prepare(const Preparation& preparation, const PrepareOptions& options,
                 PrepareObserver& observer);

}  // namespace normbench
