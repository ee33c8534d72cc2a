/// What the tests of ops have in common.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ops/op.h"

namespace normbench {

/// What reading `text` as the parameters of `name` complains about, as "pointer: text".
inline std::vector<std::string> mistakes(std::string_view name, const std::string& text) {
  const Json json = Json::parse(text);
  std::vector<Issue> issues;
  Reader reader(json, "", issues);
  read_op(name, reader);
  reader.finish();
  std::vector<std::string> lines;
  for (const Issue& issue : issues) lines.push_back(issue.pointer + ": " + issue.text);
  return lines;
}

/// The op that `text` describes; it must have no mistakes.
template <class T>
T made(const std::string& text) {
  const Json json = Json::parse(text);
  std::vector<Issue> issues;
  Reader reader(json, "", issues);
  T op = T::read(reader);
  reader.finish();
  EXPECT_TRUE(issues.empty()) << text << ": " << (issues.empty() ? "" : issues[0].text);
  return op;
}

/// What `infer` throws.
template <class T>
std::string infer_error(const T& op, const std::vector<TensorDesc>& in) {
  try {
    op.infer(in);
  } catch (const Invalid& mistake) {
    return mistake.what();
  }
  return "no error";
}

/// The op's output for one input.
template <class T>
Tensor64 result(const T& op, const Tensor64& in) {
  std::vector<Tensor64> out(1);
  op.reference(std::vector{in}, out, 0);
  return out[0];
}

inline TensorDesc nchw(DType dtype, Shape shape, Memory memory = Memory::Pageable) {
  return dense(dtype, Layout::Nchw, shape, memory);
}

/// Writes a file of its own for a test; returns its path.
inline std::string write_file(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace normbench
