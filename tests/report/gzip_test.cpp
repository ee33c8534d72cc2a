#include "report/chrome/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

#include "trace_check/gzip_members.h"

namespace normbench::gzip_test {
namespace {

std::string packed(const std::string& text) {
  std::ostringstream out;
  gzip_to(out, [&](std::ostream& in) { in << text; });
  return out.str();
}

std::string unpacked(const std::string& data, bool* bad = nullptr) {
  std::istringstream in(data);
  const auto text = gunzip_from(in);
  std::string all((std::istreambuf_iterator<char>(*text)), std::istreambuf_iterator<char>());
  if (bad != nullptr) *bad = text->bad();
  return all;
}

bool is_damaged(const std::string& data) {
  bool bad = false;
  unpacked(data, &bad);
  return bad;
}

std::string random_bytes(std::size_t size) {
  std::mt19937 random(3);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST(Gzip, WhatIsPackedComesBack) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(10'000'000, 'z'), random_bytes(3'000'000)})
    EXPECT_EQ(unpacked(packed(text)), text) << text.size();
}

TEST(Gzip, IsOneMemberHoweverMuchThereIs) {
  for (const std::size_t size : {0u, 1u, 5'000'000u})
    EXPECT_EQ(count_gzip_members(packed(random_bytes(size))), 1);
}

TEST(Gzip, StartsAsGzipDataDoes) {
  std::istringstream data(packed("text"));
  EXPECT_TRUE(is_gzip(data));
  EXPECT_EQ(data.tellg(), 0);
  std::istringstream json("{}");
  EXPECT_FALSE(is_gzip(json));
  std::istringstream nothing("");
  EXPECT_FALSE(is_gzip(nothing));
}

TEST(Gzip, SeveralMembersAreOneText) {
  const std::string data = packed("one ") + packed("") + packed("two");
  EXPECT_EQ(unpacked(data), "one two");
  EXPECT_FALSE(is_damaged(data));
  EXPECT_EQ(count_gzip_members(data), 3);
  EXPECT_EQ(count_gzip_members(data.substr(0, data.size() - 1)), std::nullopt);
  EXPECT_EQ(count_gzip_members(""), std::nullopt);
}

TEST(Gzip, DataCutOffAnywhereIsDamaged) {
  const std::string data = packed("a text of some length, " + random_bytes(300));
  for (std::size_t size = 0; size < data.size(); ++size)
    EXPECT_TRUE(is_damaged(data.substr(0, size))) << size;
  EXPECT_FALSE(is_damaged(data));
  EXPECT_TRUE(is_damaged(data + data.substr(0, 30)));
}

TEST(Gzip, AnyDamagedByteOfTheTextIsSeen) {
  const std::string data = packed(random_bytes(2000));
  constexpr std::size_t header = 10;  // some bytes of the header have no effect
  for (std::size_t at = header; at < data.size(); ++at) {
    std::string damaged = data;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_TRUE(is_damaged(damaged)) << at;
  }
  EXPECT_TRUE(is_damaged("no gzip data"));
}

TEST(Gzip, WhatCameBeforeTheDamageIsThere) {
  const std::string text = random_bytes(1'000'000);
  const std::string data = packed(text);
  const std::string half = unpacked(data.substr(0, data.size() / 2));
  EXPECT_GT(half.size(), text.size() / 4);
  EXPECT_EQ(half, text.substr(0, half.size()));
}

TEST(Gzip, LinesAreReadOneByOne) {
  std::istringstream in(packed("first\nsecond\n"));
  const auto text = gunzip_from(in);
  std::string line;
  EXPECT_TRUE(std::getline(*text, line));
  EXPECT_EQ(line, "first");
  EXPECT_TRUE(std::getline(*text, line));
  EXPECT_FALSE(std::getline(*text, line));
  EXPECT_TRUE(text->eof());
  EXPECT_FALSE(text->bad());
}

/// A stream buffer with room for `room` bytes. If it is full, it fails or throws.
class Full final : public std::streambuf {
 public:
  Full(std::size_t room, bool throws) : room_(room), throws_(throws) {}

 protected:
  int_type overflow(int_type c) override {
    if (room_ > 0) {
      --room_;
      return traits_type::not_eof(c);
    }
    if (throws_) throw std::runtime_error("no room");
    return traits_type::eof();
  }

 private:
  std::size_t room_;
  bool throws_;
};

TEST(Gzip, AFullStreamFailsBoth) {
  for (const std::size_t room : {0u, 5u, 100'000u}) {
    Full full(room, false);
    std::ostream out(&full);
    gzip_to(out, [](std::ostream& in) {
      in << random_bytes(1'000'000);
      EXPECT_TRUE(in.bad());
    });
    EXPECT_TRUE(out.bad());
  }
}

TEST(Gzip, AnErrorThatIsThrownComesThrough) {
  for (const std::size_t text : {10u, 1'000'000u}) {  // 10: fails at the end, 1'000'000: earlier
    Full full(5, true);
    std::ostream out(&full);
    out.exceptions(std::ios::badbit);
    EXPECT_THROW(gzip_to(out, [&](std::ostream& in) { in << random_bytes(text); }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace normbench::gzip_test
