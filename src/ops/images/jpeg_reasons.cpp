#include "ops/images/jpeg_reasons.h"

#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <string_view>

// jerror.h needs the settings in jpeglib.h.
#include <jerror.h>

#include "ops/images/recognise.h"

namespace normbench {
namespace {

/// Returns why a JPEG with an unsupported coding process is not read. `marker` is the low byte of
/// the JPEG's frame marker.
std::string why_no_process(int marker) {
  constexpr int million = 1000000, version = LIBJPEG_TURBO_VERSION_NUMBER;
  const std::string here =
      fmt::format("{}.{}.{}", version / million, version / 1000 % 1000, version % 1000);
  const auto not_read = [&](std::string_view process) {
    return fmt::format("a {} JPEG, which libjpeg-turbo {} does not read", process, here);
  };
  switch (marker) {
    case 0xC3:
      return fmt::format("a lossless JPEG, which libjpeg-turbo reads from 3.0 on; this one is {}",
                         here);
    case 0xC5:
    case 0xC6:
    case 0xC7:
    case 0xCD:
    case 0xCE:
    case 0xCF:
      return not_read("hierarchical");
    case 0xCB:
      return not_read("lossless arithmetic");
    default:
      return "a JPEG of an unknown process";
  }
}

/// Returns libjpeg's message without the words that contain numbers. Files with the same fault get
/// the same text, although their numbers differ.
std::string without_numbers(const jpeg_error_mgr& errors) {
  std::istringstream words(errors.jpeg_message_table[errors.msg_code]);
  std::string text;
  for (std::string word; words >> word;)
    if (word.find('%') == word.npos) text += (text.empty() ? "" : " ") + word;
  if (text.size() > 1 && std::islower(text[1]) != 0)
    text[0] = static_cast<char>(std::tolower(text[0]));
  return text;
}

}  // namespace

std::string why_not_these_bits(int bits) {
  return fmt::format("a JPEG with samples of {} bits, which is not read here (those of 8 are)",
                     bits);
}

std::string why_not_so_many(int components) {
  return fmt::format(
      "a JPEG of {} colour components, which is not read here (those of 1, 3 and 4 are)",
      components);
}

std::string why_failed(const jpeg_error_mgr& errors) {
  const int parameter = errors.msg_parm.i[0];
  constexpr int jpeg_ls = 0xF7;
  switch (errors.msg_code) {
    case JERR_SOF_UNSUPPORTED:
      return why_no_process(parameter);
    case JERR_ARITH_NOTIMPL:
      return "an arithmetic JPEG, which this libjpeg-turbo does not read";
    case JERR_CONVERSION_NOTIMPL:  // only for a lossless JPEG
      return "a lossless JPEG in other colours than gray, RGB and CMYK, which is not read here";
    case JERR_BAD_PRECISION:
      return why_not_these_bits(parameter);
    case JERR_COMPONENT_COUNT:
      return why_not_so_many(parameter);
    case JERR_IMAGE_TOO_BIG:
      return fmt::format("a JPEG of more than {} pixels a side, which libjpeg-turbo does not read",
                         JPEG_MAX_DIMENSION);
    case JERR_UNKNOWN_MARKER:
      if (parameter == jpeg_ls) return not_read_here("a JPEG-LS picture");
      return without_numbers(errors);
    case JWRN_MUST_RESYNC:
      return "corrupt JPEG data: a restart marker is missing";
    default:
      return without_numbers(errors);
  }
}

}  // namespace normbench
