/// One object of a document that is read event by event, kept whole.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/json.h"

namespace normbench {

/// Built from the parser's events between the object's start and its end.
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

}  // namespace normbench
