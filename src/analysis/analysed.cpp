#include "analysis/analysed.h"

#include "document/visible.h"

namespace normbench {

Analysed::Analysed(Results results)
    : results_(std::move(results)), experiments_(normbench::experiments(results_)) {
  Results readable = normbench::visible(results_);
  if (readable != results_) visible_ = std::make_unique<const Analysed>(std::move(readable));
}

}  // namespace normbench
