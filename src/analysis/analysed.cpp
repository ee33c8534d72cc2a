#include "analysis/analysed.h"

#include "document/visible.h"

namespace normbench {

Analysed::Analysed(Results results) : Analysed(std::move(results), IsVisible()) {
  if (!is_visible(results_))
    visible_.reset(new Analysed(normbench::visible(results_), IsVisible()));
}

Analysed::Analysed(Results results, IsVisible)
    : results_(std::move(results)), experiments_(normbench::experiments(results_)) {}

}  // namespace normbench
