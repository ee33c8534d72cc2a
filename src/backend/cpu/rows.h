/// The kernel rows of the CPU, by op. A row is one implementation of an op (see Kernel).
#pragma once

#include <array>

#include "backend/backend.h"

namespace normbench {

std::span<const Kernel> load_rows();
std::span<const Kernel> resize_rows();
std::span<const Kernel> move_rows();  // crop, flip, layout, concat
std::span<const Kernel> cast_rows();
std::span<const Kernel> sub_div_rows();
std::span<const Kernel> normalize_rows();
std::span<const Kernel> normalize_ycbcr_rows();
std::span<const Kernel> to_rgb_rows();
std::span<const Kernel> denormalize_rows();
std::span<const Kernel> group_norm_rows();
std::span<const Kernel> group_chain_rows();  // moments, scale_shift, mul, sum, …
std::span<const Kernel> copy_rows();
std::span<const Kernel> stream_rows();  // stream, first_touch
std::span<const Kernel> launch_rows();
std::span<const Kernel> compute_rows();
std::span<const Kernel> save_rows();

/// All functions above, in the order in which their rows are listed.
inline constexpr std::array row_lists{
    &load_rows,        &to_rgb_rows,     &resize_rows,      &move_rows,
    &cast_rows,        &sub_div_rows,    &normalize_rows,   &normalize_ycbcr_rows,
    &denormalize_rows, &group_norm_rows, &group_chain_rows, &copy_rows,
    &stream_rows,      &launch_rows,     &compute_rows,     &save_rows};

/// Returns the row `reference` of an op. It computes the op exactly as defined, in double, a few
/// images at a time, and accepts every signature.
Kernel reference_row(std::string_view op);

/// Resizes or copies the planes of a decoded image to the dense YCbCr image `to`, as `load` does,
/// on the threads of `queue`.
void fit_planes(const Load& op, YcbcrImage& image, const View& to, Queue& queue);

/// Converts the dense YCbCr image `from` to the dense RGB image `to`, as `to_rgb` does, on the
/// threads of `queue`.
void convert_to_rgb(const View& from, const View& to, Queue& queue);

/// Resizes a part of the images `from` to the size of `to`, on the threads of `queue`. `rows` and
/// `columns` select the part. The images must be dense, but an image of one channel may have gaps
/// between its rows.
void resize_part(const View& from, const AxisPart& rows, const AxisPart& columns, const View& to,
                 Queue& queue);

}  // namespace normbench
