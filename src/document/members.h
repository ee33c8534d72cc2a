/// The members of a document's objects, described for people and programs: what each means, its
/// unit and its type. The JSON Schema is made of these descriptions.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enums.h"
#include "core/json.h"

namespace normbench {

/// What a member means, in plain English, and its unit; "" for none.
struct About {
  const char* text;
  const char* unit = "";
};

namespace members {

/// Returns `schema` with "description" added: the meaning of the member and, in brackets, its unit:
/// "The wall time of the turn [ns]".
Json described(Json schema, const About& about);

/// Returns the schema of a list.
Json list_schema(Json items);

struct Members;

/// The type of a member.
struct Kind {
  enum class Base { Text, Flag, Whole, Number, Any, Object };
  enum class Holds { One, List, Map, MapOfLists };  // Map: an object whose members have any names

  Base base;
  Holds holds = Holds::One;
  bool or_null = false;         // the member may be null; elements of a list or map may not
  const Members* of = nullptr;  // members of an Object; null: any members
  std::vector<std::string> (*words)() = nullptr;  // words that a Text may be; null: any text
  bool operator==(const Kind&) const = default;
};

inline constexpr Kind kText{Kind::Base::Text};
inline constexpr Kind kFlag{Kind::Base::Flag};
inline constexpr Kind kWhole{Kind::Base::Whole};
/// A number, or null if the number is not finite.
inline constexpr Kind kNumber{.base = Kind::Base::Number, .or_null = true};
inline constexpr Kind kAny{Kind::Base::Any};
inline constexpr Kind kAnyObject{Kind::Base::Object};
template <class E>
inline constexpr Kind kWord{.base = Kind::Base::Text, .words = &all_words<E>};
constexpr Kind object_of(const Members& of) { return {.base = Kind::Base::Object, .of = &of}; }
constexpr Kind or_null(Kind kind) {
  kind.or_null = true;
  return kind;
}
constexpr Kind list_of(Kind kind) {
  kind.holds = Kind::Holds::List;
  kind.or_null = false;
  return kind;
}
constexpr Kind map_of(Kind kind) {
  kind.or_null = false;
  kind.holds = kind.holds == Kind::Holds::List ? Kind::Holds::MapOfLists : Kind::Holds::Map;
  return kind;
}

struct Member {
  std::string_view name;
  Kind kind;
  About about;
};

/// An object of a document: its name among the definitions of the schema, its meaning, and its
/// members.
struct Members {
  const char* name;
  const char* about;
  std::span<const Member> list;
};

/// Returns the schema of a value of this kind. Adds the objects in it to `definitions`.
Json schema_of(const Kind& kind, Json& definitions);

/// Adds the members to the definition of their object in `definitions`. If there is no definition
/// yet, makes it first.
void define(const Members& members, Json& definitions);

/// Returns a schema that refers to a definition.
Json defined(std::string_view name);

}  // namespace members
}  // namespace normbench
