#include "backend/cuda/queue.h"
#include "backend/cuda/rows.h"

namespace normbench::cuda {
namespace {

Launch prepare_device_memcpy(const Copy&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const auto bytes = static_cast<std::size_t>(out[0].desc.bytes());
    check(cudaMemcpyAsync(out[0].data, in[0].data, bytes, cudaMemcpyDefault, stream_of(queue)),
          "cudaMemcpyAsync from device to device");
  };
}

Launch prepare_copy(const Copy&, const Signature&) {
  return [](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    check(launch_copy(stream_of(queue), out[0].data, in[0].data, out[0].desc.bytes()),
          "launching copy");
  };
}

bool accepts_stream(const normbench::Stream&, const Signature& s) { return s.in[0].is_dense(); }

template <bool Streaming>
Launch prepare_stream(const normbench::Stream& op, const Signature&) {
  return [op](Queue& queue, std::span<const View> in, std::span<const View> out, View) {
    const StreamArguments arguments{.in = in[0].data,
                                    .read_bytes = op.read_parts == 0 ? 0 : in[0].desc.bytes(),
                                    .out = out[0].data,
                                    .written_bytes = out[0].desc.bytes(),
                                    .streaming = Streaming};
    check(launch_stream(stream_of(queue), arguments), "launching stream");
  };
}

}  // namespace

std::span<const Kernel> copy_rows() {
  static const Kernel rows[] = {
      without_kernels(row<Copy, accepts_in_order<Copy>, prepare_device_memcpy>("memcpy")),
      row<Copy, accepts_in_order<Copy>, prepare_copy>("kernel"),
      row<normbench::Stream, accepts_stream, prepare_stream<false>>("vector"),
      row<normbench::Stream, accepts_stream, prepare_stream<true>>("streaming")};
  return rows;
}

}  // namespace normbench::cuda
