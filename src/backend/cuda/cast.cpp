#include "backend/cuda/eager.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

bool accepts(const Cast&, const Signature& s) {
  return s.in[0].is_dense() && s.out[0].is_dense() && s.in[0].layout == s.out[0].layout;
}

Launch prepare(const Cast&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const CastArguments arguments{.from = in[0].desc.dtype,
                                  .to = out[0].desc.dtype,
                                  .in = in[0].data,
                                  .out = out[0].data,
                                  .elements = out[0].desc.elements()};
    check(launch_cast(stream_of(queue), arguments), "launching cast");
  };
}

}  // namespace

std::span<const Kernel> cast_rows() {
  static const Kernel rows[] = {reference_row(Cast::name), row<Cast, accepts, prepare>("eager")};
  return rows;
}

}  // namespace normbench::cuda
