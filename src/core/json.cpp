#include "core/json.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/json_mistake.h"
#include "core/system_error.h"
#include "core/units.h"

namespace normbench {
namespace {

constexpr std::size_t max_depth = 64;

/// Throws Invalid with the line and column (in characters, from 1) of the byte at `offset`.
[[noreturn]] void fail_at(std::string_view text, std::size_t offset, const std::string& what) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::string_view current = before.substr(before.rfind('\n') + 1);
  const auto continuation = [](char c) { return (c & 0xc0) == 0x80; };
  const auto column = 1 + static_cast<std::ptrdiff_t>(current.size()) -
                      std::ranges::count_if(current, continuation);
  throw Invalid(fmt::format("line {}, column {}: {}", line, column, what));
}

/// Builds the document from the parser's events, without recursion.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, std::vector<Issue>& issues) : text_(text), issues_(issues) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    Level& level = stack_.back();
    level.key = key;
    has_key_ = true;
    level.duplicate = !level.keys.insert(key).second;
    if (level.duplicate)
      issues_.push_back({pointer(), "duplicate key (the first one counts; remove one)"});
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int overflow = 406;
    if (error.id == overflow) fail_at(text_, position - 1, "a number too large for a double");
    const JsonMistake mistake = json_mistake(text_, position, place());
    fail_at(text_, mistake.offset, mistake.what);
  }

 private:
  struct Level {
    Json* value;
    std::string key = {};
    bool duplicate = false;
    std::unordered_set<std::string> keys = {};
  };

  /// Stores a value in the innermost open container and returns its address. The value of a
  /// duplicate key goes to `dropped_` instead.
  Json* put(Json value) {
    has_key_ = false;
    if (stack_.empty()) return &(root_ = std::move(value));
    Level& level = stack_.back();
    if (level.value->is_array()) return &level.value->emplace_back(std::move(value));
    if (level.duplicate) return &dropped_.emplace_back(std::move(value));
    // The code does not use operator[], which searches the keys one by one. An object with many
    // keys would take quadratic time.
    auto& members = level.value->get_ref<Json::object_t&>();
    using Members = std::vector<Json::object_t::value_type>;
    static_cast<Members&>(members).emplace_back(level.key, std::move(value));
    return &members.back().second;
  }

  bool add(Json value) {
    put(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (stack_.size() == max_depth)
      throw Invalid(fmt::format("nested deeper than {} levels (no value needs that)", max_depth));
    stack_.push_back({.value = put(std::move(container))});
    return true;
  }

  bool close() {
    stack_.pop_back();
    return true;
  }

  JsonPlace place() const {
    if (stack_.empty()) return JsonPlace::Document;
    if (has_key_) return JsonPlace::Key;
    return stack_.back().value->is_array() ? JsonPlace::Array : JsonPlace::Object;
  }

  std::string pointer() const {
    std::string text;
    for (const Level& level : stack_) {
      text += '/';
      text += level.value->is_array() ? std::to_string(level.value->size() - 1)
                                      : pointer_token(level.key);
    }
    return text;
  }

  std::string_view text_;
  std::vector<Issue>& issues_;
  Json root_;
  std::deque<Json> dropped_;
  std::vector<Level> stack_;
  bool has_key_ = false;  // the latest event of the parser was a key, so its value comes next
};

void append_pretty(const Json& json, int indent, int depth, std::string& text) {
  if (json.is_array() && !json.empty() &&
      std::ranges::all_of(json, [](const Json& value) { return value.is_number(); })) {
    for (const Json& number : json) text += (&number == &json[0] ? "[" : ", ") + number.dump();
    text += ']';
    return;
  }
  if (!json.is_structured() || json.empty()) {
    text += json.dump();
    return;
  }
  const std::string line = '\n' + std::string(static_cast<std::size_t>(indent * depth), ' ');
  text += json.is_array() ? '[' : '{';
  for (const auto& [key, value] : json.items()) {
    text += line + std::string(static_cast<std::size_t>(indent), ' ');
    if (json.is_object()) text += Json(key).dump() + ": ";
    append_pretty(value, indent, depth + 1, text);
    text += ',';
  }
  text.back() = line[0];
  text += line.substr(1) + (json.is_array() ? ']' : '}');
}

}  // namespace

bool is_utf8(const std::string& text) {
  const Json value(text);
  return value.dump(-1, ' ', false, Json::error_handler_t::ignore) ==
         value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string pretty(const Json& json, int indent) {
  std::string text;
  append_pretty(json, indent, 0, text);
  return text;
}

std::string pretty(const Json& object, int indent, const LateList& list) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string text = "{";
  for (const auto& [key, value] : object.items()) {
    text += fmt::format("\n{}{}: ", margin, Json(key).dump());
    if (key != list.key || list.count == 0) {
      append_pretty(key == list.key ? Json::array() : value, indent, 1, text);
      text += ',';
      continue;
    }
    text += '[';
    for (std::size_t i = 0; i < list.count; ++i) {
      text += fmt::format("\n{0}{0}", margin);
      append_pretty(list.element(i), indent, 2, text);
      text += ',';
    }
    text.back() = '\n';
    text += margin + "],";
  }
  text.back() = '\n';
  return text + '}';
}

Json parse_json(std::string_view text, std::vector<Issue>& issues) {
  // The library takes a NUL byte as the end of the text and ignores what follows.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    fail_at(text, nul, "a NUL byte (expected text)");
  Builder builder(text, issues);
  Json::sax_parse(text, &builder, Json::input_format_t::json, /*strict=*/true,
                  /*ignore_comments=*/true);
  return builder.take();
}

std::string read_text(const std::string& path, std::int64_t most_bytes) {
  const char* const name = path == "-" ? "/dev/stdin" : path.c_str();
  struct stat status {};
  if (stat(name, &status) != 0)
    throw Invalid(errno == ENOENT ? std::string("no such file (check the path)")
                                  : fmt::format("cannot be read: {}", system_error_text(errno)));
  if (S_ISDIR(status.st_mode)) throw Invalid("is a directory (give a file)");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name, "rb"), &std::fclose);
  if (!file) throw Invalid(fmt::format("cannot be read: {}", system_error_text(errno)));
  const auto refuse_larger = [most_bytes](std::int64_t bytes) {
    if (bytes > most_bytes)
      throw Invalid(
          fmt::format("is larger than {}", format_bytes(static_cast<double>(most_bytes))));
  };
  // A pipe has st_size 0, so the loop below checks the size again.
  refuse_larger(status.st_size);
  std::string text;
  for (bool has_ended = false; !has_ended;) {
    const std::size_t at = text.size();
    text.resize(std::max(at + (1 << 20), static_cast<std::size_t>(status.st_size) + 1));
    const std::size_t got = std::fread(text.data() + at, 1, text.size() - at, file.get());
    has_ended = at + got < text.size();
    text.resize(at + got);
    refuse_larger(std::ssize(text));
  }
  if (std::ferror(file.get()) != 0)
    throw Invalid(fmt::format("cannot be read: {}", system_error_text(errno)));
  if (text.empty()) throw Invalid("is empty (expected JSON)");
  return text;
}

const Json& value_at(const Json& json, std::string_view pointer) {
  static const Json none;
  const Json::json_pointer at{std::string(pointer)};
  return json.contains(at) ? json.at(at) : none;
}

bool agree(const Json& a, const Json& b) {
  return std::ranges::all_of(a.items(), [&](const auto& item) {
    return !b.contains(item.key()) || b.at(item.key()) == item.value();
  });
}

std::string pointer_token(std::string_view text) {
  std::string token;
  for (const char c : text) {
    if (c == '~')
      token += "~0";
    else if (c == '/')
      token += "~1";
    else
      token += c;
  }
  return token;
}

}  // namespace normbench
