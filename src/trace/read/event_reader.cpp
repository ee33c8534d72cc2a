#include "trace/read/event_reader.h"

#include <fmt/format.h>

#include "core/json.h"
#include "trace/read/chunked_text.h"
#include "trace/read/json_mistake.h"
#include "trace/read/json_part.h"
#include "trace/read/shape_text.h"

namespace normbench {
namespace {

constexpr int max_depth = 64;
constexpr const char* expected = "expected {\"traceEvents\": […]} or […]";

/// Takes the parser's events. Values are told apart by where they stand: `depth_` is the number of
/// open objects and arrays, and those of an event lie at `event_depth_` or one deeper.
class EventReader {
 public:
  EventReader(ChunkedText& text, const std::function<void(const ChromeEvent&)>& take)
      : text_(text), take_(take) {}

  bool null() { return value(nullptr); }
  bool boolean(bool is) {
    value(is);
    set_boolean(event_, member_, is);
    return true;
  }
  bool number_integer(Json::number_integer_t number) {
    value(number);
    if (shapes_depth_ > 0) shapes_.number(number);
    set_integer(event_, member_, number);
    return true;
  }
  bool number_unsigned(Json::number_unsigned_t number) {
    return number_integer(static_cast<Json::number_integer_t>(number));
  }
  bool number_float(Json::number_float_t number, const std::string& text) {
    value(number);
    set_decimal(event_, member_, number, text);
    return true;
  }
  bool string(std::string& text) {
    value(text);
    set_text(event_, member_, text);
    return true;
  }
  bool binary(Json::binary_t&) { return false; }

  bool key(std::string& key) {
    if (depth_ == event_depth_)
      member_ = member_of_event(key);
    else if (depth_ == args_depth_)
      member_ = member_of_args(key);
    else
      member_ = Member::None;
    if (depth_ == 1) top_level_key(key);
    if (about_.is_open()) about_.key(key);
    return true;
  }

  bool start_object(std::size_t) {
    const Member of = member_;
    open();
    if (depth_ == events_depth_ + 1) {
      clear(event_);
      event_.line = text_.line();
      event_depth_ = depth_;
    } else if (depth_ == event_depth_ + 1 && of == Member::Args) {
      args_depth_ = depth_;
    } else if (events_next_) {
      fail("traceEvents must be an array of events");
    } else if (about_next_ || about_.is_open()) {
      about_next_ = false;
      about_.open(Json::object());
    }
    return true;
  }

  bool end_object() {
    if (depth_ == event_depth_) {
      event_depth_ = none;
      ++events_;
      take_(event_);
    }
    if (depth_ == args_depth_) args_depth_ = none;
    if (about_.is_open()) about_.close();
    return close();
  }

  bool start_array(std::size_t) {
    const bool shapes = member_ == Member::Shapes && shapes_depth_ == 0;
    if (depth_ == events_depth_) fail("an event must be an object");
    open();
    if (depth_ == 1 || events_next_) {
      events_depth_ = depth_;
      events_next_ = false;
      found_ = true;
    }
    if (shapes) shapes_depth_ = depth_;
    if (shapes_depth_ > 0) shapes_.open();
    if (about_.is_open()) about_.open(Json::array());
    return true;
  }

  bool end_array() {
    if (shapes_depth_ > 0) shapes_.close();
    if (depth_ == shapes_depth_) {
      event_.shapes = shapes_.take();
      shapes_depth_ = 0;
    }
    if (depth_ == events_depth_) events_depth_ = none;
    if (about_.is_open()) about_.close();
    return close();
  }

  bool parse_error(std::size_t, const std::string& token, const Json::exception& error) {
    const bool at_end = text_.begin() == ChunkedText::end();
    if (at_end && ends_early(error.what()))
      fail(fmt::format("the trace ends in the middle, cut off after {} events", events_));
    fail(json_mistake(error.what(), token + std::string(text_.next_word())));
  }

  /// Once the whole text was read.
  Json take_about() {
    check_found();
    return about_.take();
  }

 private:
  static constexpr int none = -2;  // one deeper than that is no depth either

  void check_found() const {
    if (found_) return;
    if (has_groups_ && has_schema_)
      throw Invalid(
          "is a results document of normbench (its trace is trace.json, beside it; `normbench "
          "report` shows the tables of this one)");
    throw Invalid(fmt::format("is no trace: it has no traceEvents ({})", expected));
  }

  [[noreturn]] void fail(const std::string& what) {
    throw Invalid(fmt::format("{}: {}", text_.place(), what));
  }

  /// A value that is no object and no array.
  template <class Value>
  bool value(const Value& value) {
    if (about_.is_open()) about_.add(value);
    if (depth_ == 0) throw Invalid(fmt::format("is no trace: it is a single value ({})", expected));
    if (depth_ == events_depth_) fail("an event must be an object");
    if (events_next_) fail("traceEvents must be an array of events");
    return true;
  }

  void open() {
    if (++depth_ > max_depth)
      fail(fmt::format("nested deeper than {} levels (no trace needs that)", max_depth));
    member_ = Member::None;
  }

  bool close() {
    --depth_;
    member_ = Member::None;
    return true;
  }

  void top_level_key(const std::string& key) {
    events_next_ = key == "traceEvents";
    about_next_ = key == "normbench";
    has_groups_ |= key == "groups";
    has_schema_ |= key == "schema";
  }

  ChunkedText& text_;
  const std::function<void(const ChromeEvent&)>& take_;
  ChromeEvent event_;
  ShapeText shapes_;
  JsonPart about_;
  Member member_ = Member::None;
  int depth_ = 0;
  int events_depth_ = none, event_depth_ = none, args_depth_ = none;
  int shapes_depth_ = 0;
  bool events_next_ = false;  // the value of traceEvents comes
  bool about_next_ = false;   // the value of normbench comes
  bool found_ = false, has_groups_ = false, has_schema_ = false;
  std::size_t events_ = 0;
};

}  // namespace

Json read_events(std::istream& in, const std::function<void(const ChromeEvent&)>& take) {
  ChunkedText text(in);
  if (text.begin() == ChunkedText::end()) throw Invalid(fmt::format("is empty ({})", expected));
  EventReader reader(text, take);
  Json::sax_parse(text.begin(), ChunkedText::end(), &reader);
  return reader.take_about();
}

}  // namespace normbench
