#include <algorithm>
#include <cmath>

#include "core/reader.h"
#include "document/results_fields.h"

namespace normbench {
namespace {

template <class T>
Json object(const T& value);

Json write(const Json& value) { return value; }
Json write(const std::string& value) { return value; }
Json write(bool value) { return value; }
Json write(int value) { return value; }
Json write(std::int64_t value) { return value; }
Json write(double value) { return std::isfinite(value) ? Json(value) : Json(); }
template <Enum E>
Json write(E value) {
  return name_of(value);
}
Json write(const CheckResult& value) { return object(value); }
Json write(const Counters& value) { return object(value); }
Json write(const ProfileCounters& value) { return object(value); }
Json write(const ProfileTimes& value) { return object(value); }
Json write(const ProfileLosses& value) { return object(value); }
Json write(const ClaimedRatio& value) { return object(value); }
Json write(const ClaimedTrend& value) { return object(value); }
Json write(const PipelineResult& value) { return object(value); }
Json write(const DatasetResult& value) { return object(value); }
Json write(const GivenResult& value) { return object(value); }

Json write(const TensorDesc& desc) {
  Json json = tensor_json(desc);
  const Strides& strides = desc.strides;
  if (!desc.is_dense()) json["strides"] = {strides.n, strides.c, strides.h, strides.w};
  return json;
}

template <class T>
requires(std::constructible_from<Json, T> && !Enum<T>) Json write(const std::vector<T>& values) {
  return values;
}

template <Enum E>
Json write(const std::vector<E>& values) {
  Json json = Json::array();
  for (const E value : values) json.push_back(name_of(value));
  return json;
}

/// Writes lists of structs.
template <class T>
Json write(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(object(value));
  return json;
}

Json write(const std::vector<TensorDesc>& tensors) {
  Json json = Json::array();
  for (const TensorDesc& tensor : tensors) json.push_back(write(tensor));
  return json;
}

Json write(std::vector<Round> rounds) {
  Json json = Json::object();
  for (const RoundColumn& column : round_columns) {
    std::vector<std::int64_t> values;
    for (Round& round : rounds) values.push_back(column.of(round));
    const bool zero = std::ranges::all_of(values, [](std::int64_t v) { return v == 0; });
    if (!zero || column.of == round_columns.front().of) json[column.name] = std::move(values);
  }
  return json;
}

bool is_known(const Json& value) { return !value.is_null(); }
bool is_known(bool value) { return value; }
bool is_known(const std::string& value) { return !value.empty(); }
template <class T>
bool is_known(const std::optional<T>& value) {
  return value.has_value();
}
bool is_known(std::int64_t value) { return value != 0; }
bool is_known(double value) { return value != 0; }
template <Enum E>
bool is_known(E value) {
  return value != E();  // an absent field, as in older documents, means this value
}
bool is_known(const ProfileTimes& value) { return value != ProfileTimes{}; }
bool is_known(const ProfileLosses& value) { return value != ProfileLosses{}; }
template <class T>
bool is_known(const std::vector<T>& values) {
  return !values.empty();
}

struct Writer {
  Json json = Json::object();
  bool with_groups = true;  // false: an empty list in place of the groups of a document

  void object(const char*, const char*) {}
  template <class T>
  void operator()(const char* name, const std::optional<T>& value, About) {
    if (value) json[name] = write(*value);
  }
  template <Enum E>
  void operator()(const char* name, const std::optional<E>& value, About) {
    json[name] = name_of(value);
  }
  template <class T>
  void operator()(const char* name, const T& value, About) {
    json[name] = write(value);
  }
  template <class T>
  void required(const char* name, const T& value, About about) {
    (*this)(name, value, about);
  }
  void required(const char* name, const std::vector<GroupResult>& groups, About) {
    json[name] = with_groups ? write(groups) : Json::array();
  }
  template <class T>
  void when_known(const char* name, const T& value, About about) {
    if (is_known(value)) (*this)(name, value, about);
  }
};

template <class T>
Json object(const T& value) {
  Writer writer;
  fields(writer, value);
  return std::move(writer.json);
}

}  // namespace

Json to_json(const GroupResult& group) { return object(group); }

Json head_json(const Results& results) {
  Writer writer{.json = {{"schema", document_schema}}, .with_groups = false};
  fields(writer, results);
  return std::move(writer.json);
}

Json to_json(const Results& results) {
  Json document = head_json(results);
  for (const GroupResult& group : results.groups) document["groups"].push_back(to_json(group));
  return document;
}

}  // namespace normbench
