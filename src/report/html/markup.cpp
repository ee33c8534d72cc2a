#include "report/html/markup.h"

#include <fmt/format.h>

#include "report/comparison.h"

namespace normbench::html {

Markup Markup::of_program(std::string_view source) { return Markup(std::string(source)); }

Markup& Markup::operator+=(const Markup& more) {
  source_ += more.source_;
  return *this;
}

std::string number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

Markup words(std::string_view text) { return Markup(xml_escaped(text)); }

Markup Element::operator()(const Markup& content) const {
  std::string source = empty().source();
  source.replace(source.size() - 2, 2, ">");
  return Markup(fmt::format("{}{}</{}>", source, content.source(), tag));
}

Markup Element::empty() const {
  std::string source = fmt::format("<{}", tag);
  for (const Attribute& attribute : attributes)
    source += fmt::format(" {}=\"{}\"", attribute.name, xml_escaped(attribute.value));
  return Markup(source + "/>");
}

Markup name(std::string_view text) { return Element{"bdi"}(words(text)); }

Markup block(std::string_view css_class, const Markup& content) {
  return Element{"div", {{"class", std::string(css_class)}}}(content);
}

Markup paragraphs(std::span<const std::string> sentences) {
  Markup all;
  for (const std::string& sentence : sentences) all += Element{"p"}(words(sentence));
  return all;
}

Markup table(std::string_view caption, std::span<const Column> columns,
             std::span<const TableRow> rows) {
  Markup head;
  for (const Column& column : columns)
    head += Element{"th", {{"scope", "col"}}}(words(column.title) + column.axis);
  Markup body;
  for (const TableRow& row : rows) {
    Markup cells = Element{"th", {{"scope", "row"}}}(row.heading);
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      Element cell{"td", {{"data-title", columns[c + 1].title}}};
      if (row.cells[c].is_number) cell.attributes.push_back({"class", "number"});
      cells += cell(row.cells[c].content);
    }
    Element line{"tr"};
    if (!row.css_class.empty()) line.attributes.push_back({"class", row.css_class});
    body += line(cells);
  }
  const Element place{"div",
                      {{"class", "wide"},
                       {"role", "region"},
                       {"aria-label", std::string(caption)},
                       {"tabindex", "0"}}};
  return place(Element{"table"}(Element{"caption"}(words(caption)) +
                                Element{"thead"}(Element{"tr"}(head)) + Element{"tbody"}(body)));
}

Markup folded(std::string_view summary, const Markup& content) {
  return Element{"details"}(Element{"summary"}(words(summary)) + content);
}

}  // namespace normbench::html
