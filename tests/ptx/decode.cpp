#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "ptx/kernel.h"
#include "ptx/warp.h"

namespace normbench::ptx {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes what comes before the first of `ends`, and that one, from the front of `text`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::size_t end = std::min(text.find_first_of(ends), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(taken);
}

/// Parts between commas that are not in braces or brackets.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    if (const auto part = trimmed(text.substr(begin, i - begin)); !part.empty())
      parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.ends_with('U')) text.remove_suffix(1);
  int base = 10;
  for (const auto& [prefix, its_base] : {std::pair("0x", 16), {"0f", 16}, {"0d", 16}})
    if (text.starts_with(prefix)) {
      text.remove_prefix(2);
      base = its_base;
      break;
    }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? 0 - value : value;
}

std::size_t size_of_type(std::string_view type) {
  const std::size_t digits = type.find_first_of("0123456789");
  return digits == type.npos ? 0 : number_of(type.substr(digits)).value_or(0) / 8;
}

/// The text of an entry from its parameters on, with the braces of its body.
std::string_view find_entry(std::string_view module, std::string_view name) {
  for (std::size_t at = 0; (at = module.find(".entry ", at)) != module.npos;) {
    at += std::string_view(".entry ").size();
    std::string_view text = module.substr(at);
    if (take_until(text, "(") != name) continue;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
      if (text[i] == '}' && depth == 0) return text.substr(0, i + 1);
    }
  }
  throw Fault(fmt::format("no kernel {} in the module", name));
}

class Decoder {
 public:
  Decoder(std::string_view module, std::string_view name, Fusing fusing) : fusing_(fusing) {
    kernel_.name = name;
    std::string_view text = find_entry(module, name);
    for (const bool is_extern : {false, true}) {  // memory of the launch's size comes last
      declare_shared(module.substr(0, module.find(".entry ")), is_extern);
      declare_shared(text, is_extern);
    }
    for (const std::string_view param : split(take_until(text, ")"))) declare(param);
    text.remove_prefix(text.find('{'));
    while (!(text = trimmed(text)).empty()) read_statement(text);
    for (Op& op : kernel_.ops)
      if (op.flow == Flow::Branch) op.number = target(op);
  }

  Kernel take() { return std::move(kernel_); }

 private:
  void declare_shared(std::string_view text, bool is_extern) {
    while (!text.empty()) {
      const std::string_view line = take_until(text, "{};\n");
      const std::size_t begin = line.find(".shared ");
      if (begin != line.npos && line.starts_with(".extern ") == is_extern)
        declare(line.substr(begin));
    }
  }

  /// ".shared .align 4 .b8 name[1024]", ".param .u64 name", ".reg .b32 %r<20>".
  void declare(std::string_view text) {
    std::vector<std::string_view> words;
    while (!(text = trimmed(text)).empty()) words.push_back(take_until(text, " \t"));
    std::size_t align = 0;
    std::string_view space, type;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == ".align")
        align = number_of(words[++i]).value_or(0);
      else if (words[i] == ".shared" || words[i] == ".local" || words[i] == ".param")
        space = words[i];
      else if (size_of_type(words[i]) != 0)
        type = words[i];
    }
    std::string_view name = words.back();
    const std::string_view symbol = take_until(name, "[");
    const std::size_t size = size_of_type(type);
    const std::size_t count = name.empty() ? 1 : number_of(take_until(name, "]")).value_or(0);
    if (size == 0) throw Fault(fmt::format("unknown declaration of {}", symbol));
    std::size_t& end = space == ".shared"  ? kernel_.shared_bytes
                       : space == ".local" ? kernel_.local_bytes
                                           : kernel_.param_bytes;
    if (align == 0) align = size;
    end = (end + align - 1) / align * align;
    symbols_[symbol] = end;
    end += size * count;
  }

  /// ".reg .pred %p<17>" or ".reg .b16 low, high".
  void declare_registers(std::string_view text) {
    const std::string_view type = take_until(text, " \t");
    for (const std::string_view name : split(text)) {
      std::string_view rest = name;
      const std::string_view stem = take_until(rest, "<");
      (type == ".pred" ? predicate_stems_ : word_stems_).insert(stem);
    }
  }

  void read_statement(std::string_view& text) {
    if (text.starts_with("//") || text.starts_with(".loc ") || text.starts_with(".file "))
      return void(take_until(text, "\n"));
    if (text.front() == '{' || text.front() == '}') return text.remove_prefix(1);
    const std::size_t end_of_word =
        std::min(static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin()),
                 text.size());
    if (end_of_word > 0 && end_of_word < text.size() && text[end_of_word] == ':') {
      labels_[text.substr(0, end_of_word)] = static_cast<std::int64_t>(kernel_.ops.size());
      return text.remove_prefix(end_of_word + 1);
    }
    std::string_view statement = take_until(text, ";");
    if (statement.starts_with(".reg")) return declare_registers(statement.substr(5));
    if (statement.starts_with(".local")) return declare(statement);
    if (statement.starts_with(".pragma") || statement.find(".shared ") != statement.npos) return;
    if (statement.starts_with('.')) throw Fault(fmt::format("unknown directive {}", statement));
    read_instruction(statement);
  }

  void read_instruction(std::string_view text) {
    Op op{.text = text};
    if (text.starts_with('@')) {
      text.remove_prefix(1);
      op.unless = text.starts_with('!');
      if (op.unless) text.remove_prefix(1);
      op.guard = predicate(take_until(text, " \t"));
      text = trimmed(text);
    }
    const std::string_view name = take_until(text, " \t\n");
    Op probe;
    set_instruction(probe, name, fusing_);  // so that it is named before its operands
    const std::vector<std::string_view> operands = split(text);
    const bool stores = name.starts_with("st.");
    const bool reads_only = stores || name.starts_with("bar");
    std::size_t to = 0, from = 0, vector = 1;
    for (std::size_t i = 0; i < operands.size() && !name.starts_with("bra"); ++i) {
      const bool gets = i == 0 && !reads_only;
      const char open = operands[i].front();
      std::vector<std::string_view> parts{operands[i]};
      if (open == '{') {
        parts = split(operands[i].substr(1, operands[i].size() - 2));
        vector = parts.size();
      }
      if (const std::size_t bar = operands[i].find('|'); gets && bar != operands[i].npos)
        parts = {trimmed(operands[i].substr(0, bar)), trimmed(operands[i].substr(bar + 1))};
      if ((gets ? to : from) + parts.size() > (gets ? op.to.size() : op.from.size()))
        throw Fault(fmt::format("unknown operands: {}", op.text));
      for (const std::string_view part : parts) {
        if (gets)
          op.to[to++] = destination(part);
        else
          op.from[from++] =
              open == '[' ? address(part.substr(1, part.size() - 2), op) : source(part);
      }
    }
    if (name.starts_with("bra")) op.text = operands.at(0);
    op.count = static_cast<int>(vector);
    set_instruction(op, name, fusing_);
    if (op.count != static_cast<int>(vector))
      throw Fault(fmt::format("unknown operands: {}", op.text));
    if (op.flow == Flow::Barrier) {
      if (operands != std::vector<std::string_view>{"0"})
        throw Fault(fmt::format("unknown instruction {}", op.text));
      kernel_.has_barrier = true;
    }
    kernel_.ops.push_back(op);
  }

  std::int64_t target(const Op& op) const {
    const auto found = labels_.find(op.text);
    if (found == labels_.end()) throw Fault(fmt::format("no label {}", op.text));
    return found->second;
  }

  /// "%rd41+136", "name", "name+8", "4096".
  int address(std::string_view text, Op& op) {
    const std::size_t sign = text.find_first_of("+-", 1);
    if (sign != text.npos) {
      std::string_view offset = text.substr(sign + (text[sign] == '+' ? 1 : 0));
      op.number = static_cast<std::int64_t>(number_of(trimmed(offset)).value());
      text = trimmed(text.substr(0, sign));
    }
    return source(text);
  }

  int destination(std::string_view name) {
    return is_predicate(name) ? predicate(name) : word(name);
  }
  int source(std::string_view text) {
    if (const auto special = special_of(text)) return *special;
    if (is_predicate(text)) return predicate(text);
    if (const auto number = number_of(text)) return constant(*number);
    if (const auto found = symbols_.find(text); found != symbols_.end())
      return constant(found->second);
    return word(text);
  }

  static std::string_view stem_of(std::string_view name) {
    return name.starts_with('%') ? name.substr(0, name.find_first_of("0123456789")) : name;
  }
  bool is_predicate(std::string_view name) const {
    return predicate_stems_.contains(stem_of(name));
  }
  int predicate(std::string_view name) {
    if (!is_predicate(name)) throw Fault(fmt::format("unknown predicate {}", name));
    return predicates_.try_emplace(name, kernel_.predicates).second ? kernel_.predicates++
                                                                    : predicates_.at(name);
  }
  int word(std::string_view name) {
    if (!word_stems_.contains(stem_of(name))) throw Fault(fmt::format("unknown operand {}", name));
    return words_.try_emplace(name, kernel_.registers).second ? kernel_.registers++
                                                              : words_.at(name);
  }
  int constant(std::uint64_t value) {
    const auto [found, is_new] = constants_.try_emplace(value, constants_.size());
    if (is_new) kernel_.constants.insert(kernel_.constants.end(), warp_lanes, value);
    return ~static_cast<int>(found->second);
  }

  std::optional<int> special_of(std::string_view name) {
    static const std::map<std::string_view, Special> specials{{"%tid", Special::Tid},
                                                              {"%ntid", Special::Ntid},
                                                              {"%ctaid", Special::Ctaid},
                                                              {"%nctaid", Special::Nctaid},
                                                              {"%laneid", Special::Lane}};
    std::string_view axis_name = name;
    const auto found = specials.find(take_until(axis_name, "."));
    const std::size_t axis = axis_name.empty() ? 0 : std::string_view("xyz").find(axis_name);
    if (found == specials.end() || axis > 2) return std::nullopt;
    const auto [column, is_new] = words_.try_emplace(name, kernel_.registers);
    if (is_new)
      kernel_.specials.push_back({found->second, static_cast<int>(axis), kernel_.registers++});
    return column->second;
  }

  Fusing fusing_;
  Kernel kernel_;
  std::set<std::string_view> predicate_stems_, word_stems_;
  std::map<std::string_view, int> predicates_, words_;
  std::map<std::string_view, std::uint64_t> symbols_;
  std::map<std::string_view, std::int64_t> labels_;
  std::map<std::uint64_t, std::size_t> constants_;
};

}  // namespace

Kernel decode(std::string_view module, std::string_view name, Fusing fusing) {
  return Decoder(module, name, fusing).take();
}

}  // namespace normbench::ptx
