#include "analysis/analysed.h"

#include "document/visible.h"

namespace normbench {

Analysed::Analysed(Results results) : Analysed(std::move(results), IsVisible()) {
  Results readable = normbench::visible(results_);
  if (readable != results_) visible_.reset(new Analysed(std::move(readable), IsVisible()));
}

Analysed::Analysed(Results results, IsVisible)
    : results_(std::move(results)), experiments_(normbench::experiments(results_)) {}

}  // namespace normbench
