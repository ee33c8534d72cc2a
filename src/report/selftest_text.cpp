#include "report/selftest_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "backend/cpu/simd_targets.h"
#include "core/text.h"
#include "core/units.h"
#include "report/words.h"

namespace normbench {
namespace {

using selftest::Findings;
using selftest::NotTested;
using selftest::PlaceFinding;
using selftest::RowFinding;

/// Returns `error` as text, like "2.4e-7", "0.5" or "nan". It is the largest error of a kernel, or
/// the bound of this error. Returns "-" if nothing was compared.
std::string error_text(const RowFinding& row, double error) {
  if (!row.compared) return "-";
  if (std::isinf(error)) return "nan";
  std::string text = fmt::format("{:.2g}", error);
  if (const auto at = text.find("e-0"); at != text.npos) text.erase(at + 2, 1);
  return text;
}

std::string verdict(const RowFinding& row, const Screen& screen) {
  if (row.wrong > 0)
    return painted(fmt::format("{} WRONG", format_count(row.wrong)), Ink::Bad, screen);
  if (!row.finished) return "not finished";
  return row.compared ? "right" : "in bounds";
}

std::string table_text(const Findings& findings, const Screen& screen) {
  // If the screen is too narrow, columns are left out in this order: runs, bound, cases, place.
  static constexpr auto spare = std::to_array<std::size_t>({4, 6, 3, 2});
  Rows rows({"op", "kernel", "place", "cases", "runs", "max error", "bound", "verdict"});
  for (const PlaceFinding& place : findings.places)
    for (const RowFinding& row : place.rows)
      rows.add({row.op, row.kernel, std::string(name_of(place.place)), format_count(row.accepted),
                format_count(row.runs), error_text(row, row.max_error), error_text(row, row.bound),
                verdict(row, screen)});
  return rows.text({0, 1, 2, 7}, screen.width, spare);
}

std::string failures_text(const PlaceFinding& place, std::size_t width) {
  std::string text;
  for (const RowFinding& row : place.rows)
    if (row.wrong > 0)
      text += wrapped(
          fmt::format("{} {}/{}: {}", name_of(place.place), row.op, row.kernel, row.failure), 0,
          width);
  return text;
}

std::string settings_line(const PlaceFinding& place, std::size_t width) {
  if (place.simd.empty()) return "";
  return wrapped(
      fmt::format("{}: each row on {}; the same bits from teams of {}", name_of(place.place),
                  fmt::join(place.simd, ", "), fmt::join(place.teams, ", ")),
      0, width);
}

std::string place_line(const PlaceFinding& place) {
  if (place.unavailable)
    return fmt::format("{}: skipped: {}", name_of(place.place),
                       place.place == Place::Cuda ? fmt::format("no GPU ({})", *place.unavailable)
                                                  : *place.unavailable);
  if (place.rows.empty()) return fmt::format("{}: no row to test", name_of(place.place));
  std::int64_t cases = 0;
  for (const RowFinding& row : place.rows) cases += row.accepted;
  const std::int64_t failed = failed_rows(place), unfinished = unfinished_rows(place);
  return fmt::format("{}: {}, {}, {}", name_of(place.place),
                     counted(static_cast<std::int64_t>(place.rows.size()), "row"),
                     counted(cases, "case"),
                     failed > 0       ? counted(failed, "row") + " WRONG"
                     : unfinished > 0 ? counted(unfinished, "row") + " not finished"
                                      : "all right");
}

/// Returns why the self-test leaves out tensors of more than 2^31 elements.
std::string large_text(const NotTested& note) {
  const std::string need = format_bytes(note.need_bytes), free = format_bytes(note.free_bytes);
  if (note.kind == NotTested::Kind::MemoryUnknown) return "how much memory is free is unknown";
  if (note.kind == NotTested::Kind::TooLarge)
    return fmt::format("they need {}, which is more than {} of {}", need,
                       format_percent(selftest::most_of_memory), free);
  if (note.kind == NotTested::Kind::NotAsked)
    return fmt::format("they need {} of {} (run them with --large)", need, free);
  return note.kind == NotTested::Kind::Interrupted ? "interrupted" : note.error;
}

std::string note_text(const NotTested& note) {
  if (note.kind == NotTested::Kind::NoCases)
    return fmt::format("{0}/{1} is left out: there are no cases for {0}", note.op, note.kernel);
  if (note.kind != NotTested::Kind::Simd)
    return "tensors of more than 2^31 elements are left out: " + large_text(note);
  std::string text = "not tested: ";
  for (const std::string& target : note.missing)
    text += fmt::format("{} (this CPU lacks it), ", target);
  for (const std::string& target : note.unasked)
    text += fmt::format("{} (--simd all tests it), ", target);
  return text + std::string(foreign_simd());
}

std::vector<std::string> note_texts(const PlaceFinding& place) {
  std::vector<std::string> texts;
  for (const NotTested& note : place.notes) texts.push_back(note_text(note));
  return texts;
}

Json row_json(const RowFinding& row) {
  const bool finite = std::isfinite(row.max_error);
  return {{"op", row.op},
          {"kernel", row.kernel},
          {"offered", row.offered},
          {"accepted", row.accepted},
          {"runs", row.runs},
          {"wrong", row.wrong},
          {"finished", row.finished},
          {"max_error", row.compared && finite ? Json(row.max_error) : Json()},
          {"bound", row.compared ? Json(row.bound) : Json()},
          {"worst", row.worst},
          {"failure", row.failure}};
}

}  // namespace

std::string selftest_text(const Findings& findings, const Screen& screen) {
  const std::size_t width = prose_width(screen);
  std::string text =
      wrapped(fmt::format("Every kernel against its op's reference in double · seed {}{}",
                          selftest::seed, findings.quick ? " · quick" : ""),
              0, width);
  text += table_text(findings, screen);
  for (const PlaceFinding& place : findings.places) text += failures_text(place, width);
  for (const PlaceFinding& place : findings.places)
    for (const std::string& note : note_texts(place))
      text += wrapped(fmt::format("{}: {}", name_of(place.place), note), 0, width);
  for (const PlaceFinding& place : findings.places) {
    const std::string line = place_line(place) + "\n";  // not wrapped, so that scripts can read it
    text += settings_line(place, width);
    text += failed_rows(place) > 0 ? painted(line, Ink::Bad, screen) : line;
  }
  return text;
}

Json selftest_json(const Findings& findings) {
  Json places = Json::array();
  for (const PlaceFinding& place : findings.places) {
    Json rows = Json::array();
    for (const RowFinding& row : place.rows) rows.push_back(row_json(row));
    places.push_back({{"place", name_of(place.place)},
                      {"unavailable", place.unavailable ? Json(*place.unavailable) : Json()},
                      {"lost", place.lost ? Json(*place.lost) : Json()},
                      {"failed_rows", failed_rows(place)},
                      {"rows", std::move(rows)},
                      {"simd", place.simd},
                      {"teams", place.teams},
                      {"notes", note_texts(place)}});
  }
  return {{"seed", selftest::seed}, {"quick", findings.quick}, {"places", std::move(places)}};
}

}  // namespace normbench
