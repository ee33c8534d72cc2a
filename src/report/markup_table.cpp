#include "report/markup_table.h"

#include <algorithm>

#include "core/units.h"

namespace normbench {
namespace {

bool is_bad(const MarkupCell& cell) { return cell.ink == Ink::Bad; }

std::string markdown_cell(const MarkupColumn& column, const MarkupCell& cell) {
  const std::string text = column.is_markdown ? cell.text : escaped_markdown(cell.text);
  return is_bad(cell) ? "**" + text + "**" : text;
}

std::string_view markdown_rule(Align align) {
  switch (align) {
    case Align::Left:
      return ":--|";
    case Align::Right:
      return "--:|";
    case Align::Unsaid:
      break;
  }
  return "---|";
}

html::Markup html_cell(const MarkupCell& cell) {
  if (cell.markup) return *cell.markup;
  const html::Markup text = html::words(cell.text);
  return is_bad(cell) ? html::Element{"strong"}(text) : text;
}

}  // namespace

std::vector<Column> MarkupTable::text_columns(const Screen& screen, std::size_t count) const {
  std::vector<Column> list;
  for (std::size_t c = 0; c < std::min(count, columns.size()); ++c) {
    const auto& [title, align, is_markdown, spare, axis] = columns[c];
    Column& column = list.emplace_back(Column{title, {}, align != Align::Right, spare});
    for (const std::vector<MarkupCell>& row : rows) {
      const std::string text = on_one_line(row[c].text);
      column.cells.push_back(row[c].ink ? painted(text, *row[c].ink, screen) : text);
    }
  }
  return list;
}

std::string MarkupTable::markdown() const {
  std::string head = "|", rule = "|", body;
  for (const MarkupColumn& column : columns) {
    head += (column.title.empty() ? "" : " " + escaped_markdown(column.title)) + " |";
    rule += markdown_rule(column.align);
  }
  for (const std::vector<MarkupCell>& row : rows) {
    body += "|";
    for (std::size_t c = 0; c < columns.size(); ++c)
      body += " " + markdown_cell(columns[c], row[c]) + " |";
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body;
}

html::Markup MarkupTable::html_table(std::string_view caption) const {
  std::vector<html::Column> titles;
  for (const MarkupColumn& column : columns) titles.push_back({column.title, column.axis});
  std::vector<html::TableRow> list;
  for (const std::vector<MarkupCell>& row : rows) {
    html::TableRow& line = list.emplace_back(
        html::TableRow{.heading = html_cell(row[0]),
                       .cells = {},
                       .css_class = std::ranges::any_of(row, is_bad) ? "wrong" : ""});
    for (std::size_t c = 1; c < columns.size(); ++c)
      line.cells.push_back({html_cell(row[c]), columns[c].align == Align::Right});
  }
  return html::table(caption, titles, list);
}

}  // namespace normbench
