/// Facts about the user's own code (ops/own_code.h): whether its batches are as the config says,
/// and which share of a loop's time loading takes.
#pragma once

#include "analysis/pairs.h"

namespace normbench {

/// The properties in which a batch of the user's own code differs from what its stage in the config
/// says. A member is true if the property differs.
struct UnlikeSaid {
  bool dtype = false, shape = false, layout = false, pinned = false;

  bool any() const { return dtype || shape || layout || pinned; }
};

/// Returns the description of what the user's own code should give: the output of its last stage
/// that makes an array. Returns nothing if the case has no such stage.
std::optional<TensorDesc> said_to_give(const CaseResult& result);

/// Compares `result.given` with said_to_give(). A shape [n, c, h, w] is right for the layout nchw,
/// and [n, h, w, c] for nhwc. An array [n, c, h, w] in the memory format channels_last has the
/// layout nhwc. If the array does not have four axes, only its first extent and the number of its
/// elements are compared.
UnlikeSaid unlike_said(const CaseResult& result);

/// Returns how many times as large as a uint8 (one byte) an element of the array is.
double times_uint8(const GivenResult& given);

/// What loading costs a loop over the batches of the user's own loader (`loader`). The loop is
/// compared with the same loop over only the first batch, again and again (`cached`). There,
/// loading takes no time.
struct Headspace {
  int loader = 0, cached = 0;  // indices of the two cases
  // The share of the loop's time that loading costs: 1 - cached time / time. Not below 0.
  Interval share;
  double ns = 0, cached_ns = 0;  // median times per batch
  // The largest share that is not ruled out, with the interval widened by Pair::process_effect.
  double at_most = 0;
  bool covered = false;    // there are enough rounds for the interval of `share`
  bool different = false;  // the two cases certainly differ (Pair::different)
};

/// Returns the headspace of each measured case that takes its batches from the user's own loader,
/// if another case of the group runs the same loop on cached batches.
std::vector<Headspace> headspaces(const GroupResult& group, const Pairs& pairs,
                                  const Results& results);

}  // namespace normbench
