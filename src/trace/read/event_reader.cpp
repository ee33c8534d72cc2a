#include "trace/read/event_reader.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "core/issue.h"
#include "trace/read/json_text.h"

namespace normbench {
namespace {

constexpr std::size_t usual_depth = 64;
constexpr std::size_t most_depth = 1'000'000;
constexpr std::size_t most_warnings = 5;
constexpr std::size_t most_values_of_about = 100'000;
constexpr std::size_t most_shapes_bytes = 10'000;  // a table shows at most 80 characters
constexpr const char* expected = "expected {\"traceEvents\": […]} or […]";

enum class DocumentKey {
  Other,
  Events,
  Normbench,
  SchemaVersion,
  ProfileMemory,
  Warnings,
  Groups,
  Schema
};

DocumentKey document_key(std::string_view key) {
  if (key == "traceEvents") return DocumentKey::Events;
  if (key == "normbench") return DocumentKey::Normbench;
  if (key == "schemaVersion") return DocumentKey::SchemaVersion;
  if (key == "profile_memory") return DocumentKey::ProfileMemory;
  if (key == "WARNING" || key == "ERROR") return DocumentKey::Warnings;
  if (key == "groups") return DocumentKey::Groups;
  if (key == "schema") return DocumentKey::Schema;
  return DocumentKey::Other;
}

bool begins(JsonToken token) {
  return token == JsonToken::BeginObject || token == JsonToken::BeginArray;
}
JsonToken end_of(bool is_object) { return is_object ? JsonToken::EndObject : JsonToken::EndArray; }
std::string_view comma_or_end(bool is_object) { return is_object ? "',' or '}'" : "',' or ']'"; }

/// Parses a trace file by recursive descent. A function that has a parameter `token` gets the first
/// token of the value that it reads.
class EventReader {
 public:
  EventReader(std::istream& in, const std::function<void(const ChromeEvent&)>& take)
      : text_(in), take_(take) {}

  TraceFacts read() {
    const JsonToken first = text_.next();
    if (first == JsonToken::End) throw Invalid(fmt::format("is empty ({})", expected));
    if (first == JsonToken::BeginArray)
      bare_events();
    else if (with_end(first) == JsonToken::BeginObject)
      document();
    else
      throw Invalid(fmt::format("is no trace: it is a single value ({})", expected));
    latest_ = text_.next();
    if (latest_ != JsonToken::End) {
      with_end(latest_);
      fail_at("nothing more");
    }
    check_found();
    return std::move(facts_);
  }

 private:
  // --- the grammar

  JsonToken next() { return with_end(text_.next()); }
  JsonToken skip() { return with_end(text_.skip()); }

  JsonToken with_end(JsonToken token) {
    if (token == JsonToken::End || token == JsonToken::CutOff) {
      if (in_bare_array_) throw CutOffEvent();
      fail(fmt::format("the trace ends in the middle, cut off after {} events", events_));
    }
    return latest_ = token;
  }

  /// Reads the members of an object whose "{" was read. For each member, `of` gets the text of the
  /// key and returns what the key means, such as a `Member`. `take` gets this result, and must read
  /// the value of the member.
  template <class Of, class Take>
  void members(const Of& of, const Take& take) {
    for (JsonToken token = next(); token != JsonToken::EndObject;) {
      if (token != JsonToken::String) fail_at("a key or '}'");
      const auto key = of(text_.text());
      if (next() != JsonToken::Colon) fail_at("':'");
      take(key);
      token = after_comma(true);
    }
  }

  /// Reads the elements of an open array. Calls `take` with the first token of each element. `take`
  /// must read the tokens after it, up to the end of the element.
  template <class Take>
  void elements(const Take& take) {
    for (JsonToken token = next(); token != JsonToken::EndArray;) {
      take(token);
      token = after_comma(false);
    }
  }

  /// Reads the token after a value. If it is the end of the object or array, returns it. If it is a
  /// comma, returns the token after the comma.
  JsonToken after_comma(bool is_object) {
    JsonToken token = next();
    if (token == end_of(is_object)) return token;
    if (token != JsonToken::Comma) fail_at(comma_or_end(is_object));
    token = next();
    if (token == end_of(is_object)) note(Leniency::ExtraComma);
    return token;
  }

  /// Skips the value that begins with this token. The value may be nested up to `most_depth`
  /// levels.
  void skip_value(JsonToken token) {
    std::vector<bool> open;  // true for an object
    for (bool deep = false;;) {
      if (begins(token)) {
        open.push_back(token == JsonToken::BeginObject);
        if (open.size() > usual_depth && !std::exchange(deep, true)) note(Leniency::DeepArgs);
        if (open.size() > most_depth)
          fail(fmt::format("nested deeper than {} levels (no trace needs that)", most_depth));
        token = skip();
        if (token != end_of(open.back())) {
          token = value_in(open.back(), token);
          continue;
        }
        open.pop_back();
      } else {
        check_scalar(token);
      }
      while (!open.empty() && (token = after_comma(open.back())) == end_of(open.back()))
        open.pop_back();
      if (open.empty()) return;
      token = value_in(open.back(), token);
    }
  }

  /// `token` is the first token of an element of an array, or the key of a member of an object.
  /// Returns the first token of the element, or of the value of the member.
  JsonToken value_in(bool is_object, JsonToken token) {
    if (!is_object) return token;
    if (token != JsonToken::String) fail_at("a key or '}'");
    if (next() != JsonToken::Colon) fail_at("':'");
    return skip();
  }

  void check_scalar(JsonToken token) {
    switch (token) {
      case JsonToken::NotANumber:
        return note(Leniency::NotANumber);
      case JsonToken::String:
      case JsonToken::Number:
      case JsonToken::True:
      case JsonToken::False:
      case JsonToken::Null:
        return;
      default:
        fail_at("a value");
    }
  }

  // --- the document

  void document() {
    members(document_key, [&](DocumentKey key) { document_member(key, next()); });
  }

  void document_member(DocumentKey key, JsonToken token) {
    has_groups_ |= key == DocumentKey::Groups;
    has_schema_ |= key == DocumentKey::Schema;
    if (key == DocumentKey::Events) return events(token);
    if (key == DocumentKey::Normbench) {
      facts_.about = value_of(token, 1);
      return;
    }
    if (key == DocumentKey::SchemaVersion) facts_.has_schema_number = token == JsonToken::Number;
    if (key == DocumentKey::ProfileMemory)
      facts_.profiles_memory =
          token == JsonToken::True || (token == JsonToken::Number && text_.text() != "0");
    if (key == DocumentKey::Warnings && token == JsonToken::BeginArray)
      return elements([&](JsonToken element) { warning(element); });
    skip_value(token);
  }

  void warning(JsonToken token) {
    if (token != JsonToken::String) return skip_value(token);
    if (facts_.warnings.size() < most_warnings) facts_.warnings.emplace_back(text_.text());
  }

  Json value_of(JsonToken token, std::size_t depth) {
    if (depth > usual_depth) fail(fmt::format("nested deeper than {} levels", usual_depth));
    if (++values_of_about_ > most_values_of_about)
      fail(fmt::format("more than {} values (normbench writes fewer)", most_values_of_about));
    if (token == JsonToken::BeginObject) {
      Json json = Json::object();
      members([](std::string_view key) { return std::string(key); },
              [&](const std::string& key) { json[key] = value_of(next(), depth + 1); });
      return json;
    }
    if (token == JsonToken::BeginArray) {
      Json json = Json::array();
      elements([&](JsonToken element) { json.push_back(value_of(element, depth + 1)); });
      return json;
    }
    check_scalar(token);
    if (token == JsonToken::String) return text_.text();
    return token == JsonToken::NotANumber ? Json() : Json::parse(text_.text(), nullptr, false);
  }

  // --- the events

  void events(JsonToken token) {
    if (token != JsonToken::BeginArray) fail("traceEvents must be an array of events");
    found_ = true;
    elements([&](JsonToken element) { event(element); });
  }

  /// Reads an array of events. The trace format allows the end of the array to be missing, because
  /// the program that writes a file may be killed. An incomplete last event is left out.
  void bare_events() {
    found_ = in_bare_array_ = true;
    try {
      bare_elements();
    } catch (const CutOffEvent&) {
      note(Leniency::OpenArray);
    }
    in_bare_array_ = false;
  }

  void bare_elements() {
    for (latest_ = text_.next(); latest_ != JsonToken::EndArray;) {
      if (latest_ == JsonToken::End) return note(Leniency::OpenArray);
      event(with_end(latest_));
      latest_ = text_.next();
      if (latest_ == JsonToken::End || latest_ == JsonToken::EndArray) continue;
      if (with_end(latest_) != JsonToken::Comma) fail_at(comma_or_end(false));
      latest_ = text_.next();
      if (latest_ == JsonToken::EndArray) note(Leniency::ExtraComma);
    }
  }

  void event(JsonToken token) {
    if (token != JsonToken::BeginObject) {
      if (token != JsonToken::BeginArray) check_scalar(token);
      fail("an event must be an object");
    }
    clear(event_);
    event_.line = text_.line();
    members(member_of_event, [&](Member member) { event_value(member); });
    ++events_;
    take_(event_);
  }

  void event_value(Member member) {
    const JsonToken token = member == Member::None ? skip() : next();
    switch (token) {
      case JsonToken::String:
        set_text(event_, member, text_.text());
        if (member != Member::None && text_.is_mended()) note(Leniency::NotUnicode);
        return;
      case JsonToken::Number:
        return set_number(event_, member, text_.text());
      case JsonToken::True:
      case JsonToken::False:
        return set_boolean(event_, member, token == JsonToken::True);
      case JsonToken::BeginObject:
        if (member == Member::Args)
          return members(member_of_args, [&](Member of_args) { event_value(of_args); });
        if (member == Member::Id2)
          return members(member_of_id2, [&](Member of_id) { event_value(of_id); });
        return skip_value(token);
      case JsonToken::BeginArray:
        if (member == Member::Shapes) return shapes();
        return skip_value(token);
      default:
        return check_scalar(token);
    }
  }

  /// Reads the shapes of the inputs of an op, which PyTorch prints like "[[8, 3, 224, 224], [],
  /// [3]]".
  void shapes() {
    std::string text = "[";
    elements([&](JsonToken element) {
      if (element != JsonToken::BeginArray || text.size() > most_shapes_bytes)
        return skip_value(element);
      if (text.size() > 1) text += ", ";
      text += shape();
    });
    event_.shapes = text == "[" ? "" : text + "]";
  }

  /// Reads one shape, like "[8, 3]". A value that is not a list of numbers, such as a list of
  /// tensors, becomes "[]".
  std::string shape() {
    std::string text = "[";
    bool is_shape = true;
    elements([&](JsonToken element) {
      if (element != JsonToken::Number) {
        is_shape = false;
        return skip_value(element);
      }
      if (text.size() > most_shapes_bytes) return;
      if (text.size() > 1) text += ", ";
      text += text_.text();
    });
    return is_shape ? text + "]" : "[]";
  }

  // --- errors

  struct CutOffEvent {};

  void check_found() const {
    if (found_) return;
    if (has_groups_ && has_schema_)
      throw Invalid(
          "is a results document of normbench (its trace is trace.json, beside it; `normbench "
          "report` shows the tables of this one)");
    throw Invalid(fmt::format("is no trace: it has no traceEvents ({})", expected));
  }

  void note(Leniency what) { facts_.note(what, text_.line()); }

  [[noreturn]] void fail_at(std::string_view wanted) {
    fail(latest_ == JsonToken::String
             ? fmt::format("not JSON: unexpected string (expected {})", wanted)
             : fmt::format("not JSON: unexpected '{}' (expected {})", text_.text(), wanted));
  }
  [[noreturn]] void fail(std::string_view what) {
    throw Invalid(fmt::format("{}: {}", text_.place(), what));
  }

  JsonText text_;
  const std::function<void(const ChromeEvent&)>& take_;
  TraceFacts facts_;
  ChromeEvent event_;
  JsonToken latest_ = JsonToken::End;
  std::size_t values_of_about_ = 0;
  bool in_bare_array_ = false;
  bool found_ = false, has_groups_ = false, has_schema_ = false;
  std::size_t events_ = 0;
};

}  // namespace

TraceFacts read_events(std::istream& in, const std::function<void(const ChromeEvent&)>& take) {
  return EventReader(in, take).read();
}

}  // namespace normbench
