#include "trace/read/event_reader.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/issue.h"
#include "trace/read/chunked_text.h"

namespace normbench {
namespace {

constexpr int max_depth = 64;
constexpr const char* expected = "expected {\"traceEvents\": […]} or […]";

/// One object of the document kept whole, built from the parser's events.
class JsonPart {
 public:
  /// True from the object's start to its end.
  bool is_open() const { return !open_.empty(); }

  void key(const std::string& key) { key_ = key; }
  void add(Json value) { place(std::move(value)); }
  /// An empty object or array, which what follows goes to.
  void open(Json container) { open_.push_back(&place(std::move(container))); }
  void close() { open_.pop_back(); }

  /// Null before there was any.
  Json take() { return std::move(root_); }

 private:
  Json& place(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& container = *open_.back();
    if (container.is_array()) return container.emplace_back(std::move(value));
    return container[key_] = std::move(value);
  }

  Json root_;
  std::vector<Json*> open_;  // from the outermost to the innermost
  std::string key_;
};

/// Shapes of an op's inputs as torch prints them, "[[8, 3, 224, 224], [], [3]]", from the parts of
/// a JSON array in order. What is no list of numbers, a list of tensors say, stands as [].
class ShapeText {
 public:
  void open() {
    ++depth_;
    if (depth_ == 1) text_ = "[";
    if (depth_ == 2) {
      if (text_.size() > 1) text_ += ", ";
      input_ = text_.size();
      nested_ = false;
      text_ += "[";
    }
    if (depth_ > 2) nested_ = true;
  }
  void close() {
    if (depth_ == 2) {
      if (nested_) text_.resize(input_ + 1);
      text_ += "]";
    }
    if (depth_ == 1) text_ += "]";
    --depth_;
  }
  void number(std::int64_t value) {
    if (depth_ != 2) return;
    if (text_.size() > input_ + 1) text_ += ", ";
    text_ += std::to_string(value);
  }

  /// The text once every open list is closed; "" for no inputs. It starts anew after that.
  std::string take() {
    std::string text = std::exchange(text_, {});
    return text == "[]" ? "" : text;
  }

 private:
  std::string text_;
  std::size_t input_ = 0;  // where the list of the present input starts in `text_`
  int depth_ = 0;
  bool nested_ = false;  // the present input is a list of lists
};

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
