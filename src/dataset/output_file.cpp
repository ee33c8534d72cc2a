#include "dataset/output_file.h"

#include <array>
#include <filesystem>

#include "dataset/checksum.h"
#include "ops/array_file.h"
#include "ops/images/image_files.h"

namespace normbench {
namespace {

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

OutputFile::OutputFile(const Output& output, const Preparation& preparation, bool skip)
    : output_(output),
      form_(preparation.form),
      path_((std::filesystem::path(preparation.folder) / output.name).string()),
      skip_(skip && form_.shards) {}

std::string OutputFile::start(std::int64_t images) const {
  if (!form_.shards || form_.storage != SaveFormat::Npy) return "";
  // finish() replaces the header, so its length must not depend on the number of images. It always
  // is 128 bytes: 66 bytes and the shape, which has 6 to 50 bytes, are padded to a multiple of 64.
  const Shape shape{images, 3, *form_.height, *form_.width, form_.format};
  const std::string_view uint8 = row_of(DType::UInt8).npy;
  if (shape.is_ycbcr()) return npy_header(uint8, std::array{images, shape.image_elements()});
  return npy_header(uint8, std::array{images, shape.h, shape.w, shape.c});
}

std::optional<FinishedFile> OutputFile::add(std::size_t place, const Piece& piece) {
  std::unique_lock lock(mutex_);
  turn_.wait(lock, [&] { return stopped_ || next_ == place; });
  if (stopped_) return std::nullopt;
  append(piece);
  ++next_;
  turn_.notify_all();
  if (next_ < output_.count || spoiled_) return std::nullopt;
  return finish();
}

void OutputFile::append(const Piece& piece) {
  if (!piece.broken.empty()) {
    finished_.left_out.push_back({piece.source.name, piece.source.bytes, piece.broken});
    spoiled_ = spoiled_ || !skip_;
  }
  if (spoiled_) return file_.reset();
  if (!file_) {
    if (!class_of(output_.name).empty())
      create_folder(std::filesystem::path(path_).parent_path().string());
    file_.emplace(path_);
    file_->add(start(static_cast<std::int64_t>(output_.count)));
  }
  if (!piece.broken.empty()) return;
  finished_.sources.push_back(piece.source);
  const std::string none;  // a shard has one start() instead of a header for each image
  const std::string& own_start = form_.shards ? none : piece.content.start;
  for (const std::string_view part : {std::string_view(own_start), text_of(piece.content.rest)}) {
    file_->add(part);
    crc32_ = crc32_of(part, crc32_);
    bytes_ += std::ssize(part);
  }
}

FinishedFile OutputFile::finish() {
  const std::int64_t images = std::ssize(finished_.sources);
  const std::string before = start(images);
  if (!finished_.left_out.empty()) file_->replace(0, before);
  file_->keep();
  file_.reset();
  finished_.file = {.name = output_.name,
                    .images = images,
                    .bytes = std::ssize(before) + bytes_,
                    .crc32 = crc32_joined(crc32_of(before), crc32_, bytes_)};
  return finished_;
}

void OutputFile::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  turn_.notify_all();
}

}  // namespace normbench
