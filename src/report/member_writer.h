/// Writes members of JSON objects that are described in a table (document/members.h). Code that
/// writes a member which is not in the table, or a value of another type, does not compile.
#pragma once

#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "document/members.h"

namespace normbench::members {

/// Values with names. They are written as the members of an object.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;

/// Returns the kind (the JSON type) of a member whose values have the C++ type T.
template <class T>
constexpr Kind kind_of(std::type_identity<T>) {
  if constexpr (std::same_as<T, bool>) return kFlag;
  if constexpr (std::integral<T>) return kWhole;
  if constexpr (std::floating_point<T>) return kNumber;
  if constexpr (std::is_enum_v<T>) return kWord<T>;
  if constexpr (std::same_as<T, Json>) return kAny;
  return kText;
}
template <class T>
constexpr Kind kind_of(std::type_identity<std::optional<T>>) {
  return or_null(kind_of(std::type_identity<T>()));
}
template <class T>
constexpr Kind kind_of(std::type_identity<std::vector<T>>) {
  return list_of(kind_of(std::type_identity<T>()));
}
template <class T>
constexpr Kind kind_of(std::type_identity<Named<T>>) {
  return map_of(kind_of(std::type_identity<T>()));
}

// Tag types for kind_of(). `ObjectOf`, `ListOf` and `MapOf` stand for an object, a list of objects
// and a map of objects, where the table `kInner` describes the members of each object. `AnyObject`
// stands for an object with any members.
template <const Members& kInner>
struct ObjectOf {};
template <const Members& kInner>
struct ListOf {};
template <const Members& kInner>
struct MapOf {};
struct AnyObject {};
template <const Members& kInner>
constexpr Kind kind_of(std::type_identity<ObjectOf<kInner>>) {
  return object_of(kInner);
}
template <const Members& kInner>
constexpr Kind kind_of(std::type_identity<ListOf<kInner>>) {
  return list_of(object_of(kInner));
}
template <const Members& kInner>
constexpr Kind kind_of(std::type_identity<MapOf<kInner>>) {
  return map_of(object_of(kInner));
}
constexpr Kind kind_of(std::type_identity<AnyObject>) { return kAnyObject; }

/// The name of a member of `kMembers`. If no member has this name and the type T, the code does not
/// compile.
template <const Members& kMembers, class T>
struct MemberName {
  consteval MemberName(const char* said) : text(said) {
    for (const Member& member : kMembers.list)
      if (member.name == said && member.kind == kind_of(std::type_identity<T>())) return;
    throw "the table has no member with this name and this type";
  }
  const char* text;
};

template <class T>
Json written(const T& value) {
  if constexpr (std::floating_point<T>)
    return std::isfinite(value) ? Json(value) : Json();
  else if constexpr (std::is_enum_v<T>)
    return name_of(value);
  else
    return value;
}
template <class T>
Json written(const std::optional<T>& value) {
  return value ? written(*value) : Json();
}
template <class T>
Json written(const Named<T>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = written(value);
  return json;
}

template <const Members& kMembers>
class MemberList;
template <const Members& kMembers>
class MemberMap;

/// Writes members of the table `kMembers` into an object of a document. object(), list() and map()
/// return writers for one member. Such a writer is valid until another member is added to the same
/// object.
template <const Members& kMembers>
class MemberWriter {
 public:
  explicit MemberWriter(Json& json) : json_(json) {}

  template <class T>
  void operator()(std::type_identity_t<MemberName<kMembers, T>> name, const T& value) {
    json_[name.text] = written(value);
  }
  /// Writes a member that is an object with any members, such as the values of axes.
  void axes(MemberName<kMembers, AnyObject> name, const Json& value) { json_[name.text] = value; }

  /// Returns a writer for the object in this member. If the member exists already, its content is
  /// kept.
  template <const Members& kInner>
  MemberWriter<kInner> object(MemberName<kMembers, ObjectOf<kInner>> name) {
    Json& json = json_[name.text];
    if (json.is_null()) json = Json::object();
    return MemberWriter<kInner>(json);
  }
  template <const Members& kInner>
  MemberList<kInner> list(MemberName<kMembers, ListOf<kInner>> name) {
    return MemberList<kInner>(json_[name.text] = Json::array());
  }
  template <const Members& kInner>
  MemberMap<kInner> map(MemberName<kMembers, MapOf<kInner>> name) {
    return MemberMap<kInner>(json_[name.text] = Json::object());
  }

 private:
  Json& json_;
};

/// Writes a list of objects. add() adds an object at the end.
template <const Members& kMembers>
class MemberList {
 public:
  explicit MemberList(Json& json) : json_(json) {}
  /// Returns a writer for the new object. The writer is valid until the next call of add().
  MemberWriter<kMembers> add() {
    return MemberWriter<kMembers>(json_.emplace_back(Json::object()));
  }

 private:
  Json& json_;
};

/// Writes an object whose members are objects and have any names.
template <const Members& kMembers>
class MemberMap {
 public:
  explicit MemberMap(Json& json) : json_(json) {}
  /// Returns a writer for the new object `name`. The writer is valid until the next call of at().
  MemberWriter<kMembers> at(const std::string& name) {
    return MemberWriter<kMembers>(json_[name] = Json::object());
  }

 private:
  Json& json_;
};

}  // namespace normbench::members
