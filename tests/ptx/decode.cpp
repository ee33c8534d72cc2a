#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "ptx/kernel.h"

namespace normbench::ptx {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr u64 shared_gap = 256;  // bytes between arrays, so that an overrun is found

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Removes the beginning of `text`, up to and including the first character that is in `ends`.
/// Returns the removed text without that character, trimmed.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::size_t end = std::min(text.find_first_of(ends), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(taken);
}

/// Splits at commas. Commas in braces do not count.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t past_braces = text.front() == '{' ? text.find('}') : 0;
    const std::size_t end = std::min(text.find(',', past_braces), text.size());
    parts.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Parses an integer, like "42", "-1" or "0x7531", or the bits of a float, like "0f3F800000".
/// Returns nothing for other text.
std::optional<u64> number_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x") || text.starts_with("0f") || text.starts_with("0d");
  if (is_hex) text.remove_prefix(2);
  u64 value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, is_hex ? 16 : 10);
  if (error != std::errc() || stop != end) return std::nullopt;
  return negative ? 0 - value : value;
}

/// Returns the text of entry `name`, from its parameters to the closing brace of its body. Throws
/// Fault if the module has no such entry.
std::string_view find_entry(std::string_view module, std::string_view name) {
  const std::size_t at = module.find(fmt::format(".entry {}(", name));
  if (at == module.npos) throw Fault(fmt::format("no kernel {} in the module", name));
  const std::string_view text = module.substr(module.find('(', at) + 1);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (text[i] == '}' && depth == 0) return text.substr(0, i + 1);
  }
  throw Fault(fmt::format("the text of kernel {} has no end", name));
}

class Decoder {
 public:
  Decoder(std::string_view module, std::string_view name, Fusing fusing) : fusing_(fusing) {
    kernel_.name = name;
    std::string_view text = find_entry(module, name);
    for (const bool is_extern : {false, true}) {  // arrays whose size the launch sets come last
      declare_shared(module.substr(0, module.find(".entry ")), is_extern);
      declare_shared(text, is_extern);
    }
    for (const std::string_view param : split(take_until(text, ")")))
      declare(param, kernel_.param_bytes);
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
      if (line.find(".shared ") == line.npos || line.starts_with(".extern ") != is_extern) continue;
      u64 end = 0;
      // Arrays whose size the launch sets (`grows`) all start at the same address.
      if (const auto& before = kernel_.shared; !before.empty())
        end = before.back().begin + (before.back().grows ? 0 : before.back().bytes + shared_gap);
      const u64 begin = declare(line, end);
      kernel_.shared.push_back({.begin = begin, .bytes = end - begin, .grows = is_extern});
    }
  }

  /// Reads the declaration of a variable, like ".shared .align 4 .b8 name[1024]" or ".param .u64
  /// name". Places the variable at the first aligned offset from `end` on, and sets `end` to the
  /// end of the variable. Returns the variable's offset.
  u64 declare(std::string_view text, u64& end) {
    std::size_t align = 0, size = 0;
    while ((text = trimmed(text)).find_first_of(blanks) != text.npos) {
      const std::string_view word = take_until(text, blanks);
      const std::size_t digits = word.find_first_of("0123456789");
      if (digits == word.npos) continue;
      (digits == 0 ? align : size) = number_of(word.substr(digits)).value_or(0);
    }
    const std::string_view name = take_until(text, "[");
    const std::size_t count = text.empty() ? 1 : number_of(take_until(text, "]")).value_or(0);
    if (size == 0) throw Fault(fmt::format("unknown declaration of {}", name));
    align = std::max(align, size / 8);
    const u64 begin = symbols_[name] = (end + align - 1) / align * align;
    end = begin + size / 8 * count;
    return begin;
  }

  /// Reads a declaration of registers, like ".pred %p<17>" or ".b16 low, high".
  void declare_registers(std::string_view text) {
    auto& stems = take_until(text, blanks) == ".pred" ? predicate_stems_ : word_stems_;
    for (std::string_view name : split(text)) stems.insert(take_until(name, "<"));
  }

  void read_statement(std::string_view& text) {
    if (text.starts_with("//") || text.starts_with(".loc ") || text.starts_with(".file "))
      return void(take_until(text, "\n"));
    if (text.front() == '{' || text.front() == '}') return text.remove_prefix(1);
    const std::size_t past_word = text.find_first_of(": \t\n;{");
    if (past_word != text.npos && text[past_word] == ':' && text.front() != '.') {
      labels_[text.substr(0, past_word)] = static_cast<s64>(kernel_.ops.size());
      return text.remove_prefix(past_word + 1);
    }
    std::string_view statement = take_until(text, ";");
    if (statement.starts_with(".reg ")) return declare_registers(statement.substr(5));
    if (statement.starts_with(".pragma ") || statement.find(".shared ") != statement.npos) return;
    if (statement.starts_with('.')) throw Fault(fmt::format("unknown directive {}", statement));
    read_instruction(statement);
  }

  void read_instruction(std::string_view text) {
    Op op{.text = text};
    if (text.starts_with('@')) {
      op.unless = text.starts_with("@!");
      text.remove_prefix(op.unless ? 2 : 1);
      op.guard = predicate(take_until(text, blanks));
      text = trimmed(text);
    }
    const std::string_view name = take_until(text, blanks);
    Op named;
    set_instruction(named, name, fusing_);  // so that an unknown name is reported first
    if (named.flow == Flow::Branch) op.text = trimmed(text);
    vector_ = 1;
    if (named.flow == Flow::Next) read_operands(text, named, op);
    set_instruction(op, name, fusing_);
    kernel_.has_barrier |= op.flow == Flow::Barrier;
    if ((op.flow == Flow::Barrier && trimmed(text) != "0") || op.count != vector_)
      throw Fault(fmt::format("unknown instruction {}", op.text));
    kernel_.ops.push_back(op);
  }

  void read_operands(std::string_view text, const Op& named, Op& op) {
    bool gets = !named.gives_nothing;
    std::size_t to = 0, from = 0;
    for (std::string_view operand : split(text)) {
      std::vector<std::string_view> parts{operand};
      if (operand.starts_with('{')) {
        parts = split(operand.substr(1, operand.size() - 2));
        vector_ = static_cast<int>(parts.size());
      } else if (gets && operand.find('|') != operand.npos) {
        parts = {take_until(operand, "|"), trimmed(operand)};
      }
      for (const std::string_view part : parts) {
        if (gets ? to == op.to.size() : from == op.from.size())
          throw Fault(fmt::format("unknown operands: {}", op.text));
        if (gets)
          op.to[to++] = is_predicate(part) ? predicate(part) : word(part);
        else
          op.from[from++] = part.starts_with('[') ? address(part, op) : source(part);
      }
      gets = false;
    }
    op.count = vector_;
  }

  s64 target(const Op& op) const {
    const auto found = labels_.find(op.text);
    if (found == labels_.end()) throw Fault(fmt::format("no label {}", op.text));
    return found->second;
  }

  /// Reads an address, like "[%rd41+136]", "[name]" or "[name+-8]". Returns the operand number (see
  /// Op) of the base, and sets op.number to the offset.
  int address(std::string_view text, Op& op) {
    text = text.substr(1, text.size() - 2);
    const std::string_view base = take_until(text, "+");
    op.number = static_cast<s64>(number_of(trimmed(text)).value_or(0));
    return source(base);
  }

  int source(std::string_view text) {
    if (const auto special = special_of(text)) return *special;
    if (is_predicate(text)) return predicate(text);
    if (const auto number = number_of(text)) return constant(*number);
    const auto symbol = symbols_.find(text);
    return symbol == symbols_.end() ? word(text) : constant(symbol->second);
  }

  static std::string_view stem_of(std::string_view name) {
    return name.starts_with('%') ? name.substr(0, name.find_first_of("0123456789")) : name;
  }
  bool is_predicate(std::string_view name) const {
    return predicate_stems_.contains(stem_of(name));
  }
  int predicate(std::string_view name) {
    if (!is_predicate(name)) throw Fault(fmt::format("unknown predicate {}", name));
    const auto [found, is_new] = predicates_.try_emplace(name, kernel_.predicates);
    kernel_.predicates += is_new ? 1 : 0;
    return found->second;
  }
  int word(std::string_view name) {
    if (!word_stems_.contains(stem_of(name))) throw Fault(fmt::format("unknown operand {}", name));
    const auto [found, is_new] = words_.try_emplace(name, kernel_.registers);
    kernel_.registers += is_new ? 1 : 0;
    return found->second;
  }
  int constant(u64 value) {
    const auto [found, is_new] = constants_.try_emplace(value, constants_.size());
    if (is_new) kernel_.constants.insert(kernel_.constants.end(), warp_lanes, value);
    return ~static_cast<int>(found->second);
  }
  /// Returns the operand number (see Op) of a special register such as "%tid.x". Returns nothing if
  /// `name` is not the name of one.
  std::optional<int> special_of(std::string_view name) {
    static const std::map<std::string_view, Special> specials{
        {"%tid", Special::Tid},        {"%ntid", Special::Ntid},
        {"%ctaid", Special::Ctaid},    {"%nctaid", Special::Nctaid},
        {"%laneid", Special::Lane},    {"%smid", Special::Processor},
        {"%clock64", Special::Cycles}, {"%globaltimer", Special::Nanoseconds}};
    std::string_view axis = name;
    const auto found = specials.find(take_until(axis, "."));
    if (found == specials.end()) return std::nullopt;
    const auto [column, is_new] = words_.try_emplace(name, kernel_.registers);
    if (is_new)
      kernel_.specials.push_back(
          {found->second, axis.empty() ? 0 : axis[0] - 'x', kernel_.registers++});
    return column->second;
  }

  Fusing fusing_;
  Kernel kernel_;
  int vector_ = 1;  // elements of the last vector operand
  std::set<std::string_view> predicate_stems_, word_stems_;
  std::map<std::string_view, int> predicates_, words_;
  std::map<std::string_view, u64> symbols_;
  std::map<std::string_view, s64> labels_;
  std::map<u64, std::size_t> constants_;
};

}  // namespace

Kernel decode(std::string_view module, std::string_view name, Fusing fusing) {
  return Decoder(module, name, fusing).take();
}

}  // namespace normbench::ptx
