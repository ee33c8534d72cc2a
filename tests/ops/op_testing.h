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

/// The message that `infer` throws.
inline std::string infer_error(const Op& op, const std::vector<TensorDesc>& in) {
  try {
    infer(op, in);
  } catch (const Invalid& mistake) {
    return mistake.what();
  }
  return "no error";
}

/// The op's output for one input.
inline Tensor64 result(const Op& op, const Tensor64& in) {
  std::vector<Tensor64> out(1);
  reference(op, std::vector{in}, out, 0);
  return out[0];
}

/// The accuracy of that output, when `known` is the input's.
inline Accuracy accuracy_of(const Op& op, const Tensor64& in, const Accuracy& known,
                            const TensorDesc& out) {
  const Known from{in, known};
  const Tensor64 exact = result(op, in);
  return accuracies(op, std::span(&from, 1), std::span(&exact, 1), std::span(&out, 1)).at(0);
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
