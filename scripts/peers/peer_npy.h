/// Reads and writes the .npy files in which normbench and a peer exchange tensors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "peer_task.h"

namespace peer {

/// Uninitialised memory that starts at a multiple of 64 bytes. Throws std::bad_alloc.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes)
      : data_(std::aligned_alloc(64, (std::max<std::size_t>(bytes, 1) + 63) / 64 * 64)) {
    if (!data_) throw std::bad_alloc();
  }
  char* data() const { return static_cast<char*>(data_.get()); }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<void, Free> data_;
};

namespace detail {

/// Reads the elements of a .npy file that normbench wrote. Throws std::runtime_error if the file
/// cannot be read, or if its dtype or its number of elements is not that of `tensor`.
inline Buffer read_npy(const std::string& path, const Tensor& tensor) {
  std::ifstream file(path, std::ios::binary);
  std::string start(10, '\0');
  file.read(start.data(), 10);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(start[i]); };
  std::string header(file ? byte(8) + byte(9) * 256u : 0u, '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  const auto has = [&](const std::string& text) { return header.find(text) != std::string::npos; };
  if (!file || start.compare(0, 7, "\x93NUMPY\x01") != 0 || !has("'fortran_order': False") ||
      !has(std::string("'descr': '") + descr_of(tensor.dtype) + "'"))
    throw std::runtime_error(path + " is no .npy file of " + tensor.dtype);
  Buffer data(tensor.bytes());
  file.read(data.data(), static_cast<std::streamsize>(tensor.bytes()));
  if (!file || file.peek() != std::ifstream::traits_type::eof())
    throw std::runtime_error(path + " does not hold the elements of its tensor");
  return data;
}

inline void write_npy(const std::string& path, const Tensor& tensor, const char* data) {
  const auto& [n, c, h, w] = tensor.shape;
  std::string shape;
  for (const std::int64_t extent :
       tensor.layout == "nhwc" ? std::array{n, h, w, c} : std::array{n, c, h, w})
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  std::string header = std::string("{'descr': '") + descr_of(tensor.dtype) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  const char length[] = {static_cast<char>(header.size() & 0xFF),
                         static_cast<char>(header.size() >> 8)};
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8).write(length, 2) << header;
  file.write(data, static_cast<std::streamsize>(tensor.bytes()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace detail
}  // namespace peer
