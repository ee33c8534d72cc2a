/// Tests the peer server, which runs cases for another process, with requests that normbench never
/// sends. The server must answer each of them and continue.

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "measure/peer/messages.h"
#include "measure/peer_server_fixture.h"

namespace normbench::peer_garbage_test {
namespace {

/// Sends `line` to the server. Expects that the answer is a JSON object that has a known type and
/// is short enough to be sent.
void expect_answered(PeerServer& server, const std::string& line) {
  const std::optional<Json> answer = server.reply(line);
  if (!answer) return;  // the line was `close`
  ASSERT_TRUE(answer->is_object());
  EXPECT_THAT(answer->at("type").get<std::string>(),
              testing::AnyOf("hello", "ready", "ran", "written", "unsupported", "error"))
      << line << "\n"
      << *answer;
  EXPECT_LT(answer->dump(-1, ' ', false, Json::error_handler_t::replace).size(), peer_line_bytes);
}

/// Returns JSON pointers to all members and elements of a message, at every depth.
std::set<std::string> places_of(const Json& message) {
  std::set<std::string> places;
  const Json flat = message.flatten();
  for (const auto& [pointer, member] : flat.items())
    for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) places.insert(at.to_string());
  return places;
}

TEST_F(PeerServerTest, AnswersTruncatedRequests) {
  const std::string line = normalize_message(plain).dump();
  for (std::size_t size = 0; size < line.size(); ++size)
    EXPECT_EQ(server->reply(line.substr(0, size)).value().at("type"), "error") << size;
  EXPECT_EQ(server->reply(line).value(), ready);
}

TEST_F(PeerServerTest, AnswersValuesOfEveryTypeInEveryPlace) {
  const Json message = normalize_message(plain);
  Json deep = 1;
  for (int i = 0; i < 70; ++i) deep = Json::array({deep});
  const std::vector<Json> values{nullptr,
                                 true,
                                 0,
                                 -1,
                                 3,
                                 1e300,
                                 INT64_MAX,
                                 UINT64_MAX,
                                 0.5,
                                 "",
                                 "nhwc",
                                 "$batch",
                                 "/dev/null",
                                 std::string(5000, 'x'),
                                 Json::array(),
                                 Json::object(),
                                 Json::array({1, 2}),
                                 Json::object({{"op", "cast"}}),
                                 deep};
  for (const std::string& place : places_of(message))
    for (const Json& value : values) {
      Json changed = message;
      changed[Json::json_pointer(place)] = value;
      expect_answered(*new_server(clock), changed.dump());
    }
}

TEST_F(PeerServerTest, AnswersRequestsThatLackSomething) {
  const Json message = normalize_message(plain);
  for (const std::string& place : places_of(message)) {
    const Json::json_pointer at(place);
    Json changed = message;
    Json& holder = changed[at.parent_pointer()];
    if (holder.is_array())
      holder.erase(std::stoul(at.back()));
    else
      holder.erase(at.back());
    expect_answered(*new_server(clock), changed.dump());
  }
}

TEST_F(PeerServerTest, AnswersRandomBytesInRequests) {
  std::mt19937 random(1);
  const std::vector<std::string> lines{
      normalize_message(plain).dump(), R"({"type": "run", "iterations": 1, "warmup_ns": 0})",
      R"({"type": "hello", "protocol": 1})", R"({"type": "output", "path": "x.npy"})"};
  for (int i = 0; i < 2000; ++i) {
    std::string line = lines[random() % lines.size()];
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      line[random() % line.size()] = static_cast<char>(random() % 256);
    expect_answered(*new_server(clock), line);
  }
}

}  // namespace
}  // namespace normbench::peer_garbage_test
