#include "report/html/style.h"

namespace normbench::html {

std::string_view style_sheet() {
  return R"css(
:root {
  color-scheme: light dark;
  --page: #fff; --ink: #1a1f26; --soft: #56606b; --line: #d5dae1; --shade: #f3f5f8; --link: #0757a8;
  --k0: #0b62a4; --k1: #b0470d; --k2: #08734c; --k3: #8a3fa0; --k4: #7d5c00; --k5: #b81f57; --k6: #2f6577; --k7: #5c5c5c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --ink: #e6e9ed; --soft: #a4adb8; --line: #3a424c; --shade: #1c2229; --link: #82bdf5;
    --k0: #6db3f2; --k1: #f0934e; --k2: #56c596; --k3: #cf9bf0; --k4: #e2c04b; --k5: #f58bb0; --k6: #8fc1d4; --k7: #b5b5b5;
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
p { margin: .4rem 0; max-width: 48rem; }
a { color: var(--link); }
small { color: var(--soft); font-size: .85rem; font-weight: normal; }
.facts, .about { color: var(--soft); }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.findings { padding: 0; list-style: none; }
.findings li { padding: .5rem .75rem; margin: .5rem 0; background: var(--shade); border-left: 4px solid var(--k0); }
.lead { font-size: 1.1rem; }
figure { margin: 1rem 0; max-width: 60rem; }
figcaption, caption { text-align: left; font-weight: 600; padding: .25rem 0; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; min-width: 50%; overflow-wrap: break-word; }
th, td { padding: .3rem .6rem .3rem 0; text-align: left; vertical-align: middle; border-bottom: 1px solid var(--line); }
thead th { font-size: .85rem; font-weight: 600; color: var(--soft); vertical-align: bottom; }
tbody th { font-weight: normal; min-width: 8rem; max-width: 22rem; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.fastest { color: var(--k2); font-weight: 600; }
.wrong th, .wrong td { color: var(--k5); }
thead button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; text-align: inherit; }
thead button::after { content: " \2195"; }
[aria-sort=ascending] button::after { content: " \2191"; }
[aria-sort=descending] button::after { content: " \2193"; }
.ratios td:nth-child(2), .published td:nth-child(2) { min-width: 16rem; width: 45%; }
.stages td:nth-child(2), .flow td:nth-child(2), .lanes td:nth-child(3) { min-width: 16rem; width: 75%; }
.reasons tbody th { min-width: 3rem; }
.reasons td:last-child { min-width: 22rem; }
.reasons .number { white-space: normal; }
.ratios table, .stages table, .lanes table, .published table { width: 100%; }
svg { display: block; width: 100%; overflow: hidden; }
svg * { vector-effect: non-scaling-stroke; }
.labels { position: relative; height: 1.3rem; font-size: .8rem; font-weight: normal; color: var(--soft); }
.labels span { position: absolute; white-space: nowrap; }
.labels .middle { transform: translateX(-50%); }
.labels .end { transform: translateX(-100%); }
.framed { display: grid; grid-template-columns: 4.5rem 1fr; gap: 0 .4rem; }
.side { position: relative; font-size: .8rem; color: var(--soft); }
.side span { position: absolute; right: 0; transform: translateY(-50%); white-space: nowrap; }
.plot { position: relative; border-left: 1px solid var(--line); border-bottom: 1px solid var(--line); }
.framed .labels { grid-column: 2; }
.marks span { position: absolute; transform: translate(-50%, -115%); min-width: 1.4em; font-size: .75rem; line-height: 1.4; text-align: center; background: var(--page); border: 1px solid var(--soft); border-radius: .7em; }
.sweep .marks span { top: 1.5rem; }
.c0 { --c: var(--k0); } .c1 { --c: var(--k1); } .c2 { --c: var(--k2); } .c3 { --c: var(--k3); }
.c4 { --c: var(--k4); } .c5 { --c: var(--k5); } .c6 { --c: var(--k6); } .c7 { --c: var(--k7); }
.dots, .knots { fill: none; stroke-linecap: round; }
.dots { stroke: var(--soft); stroke-width: 3.5px; opacity: .6; }
.knots { stroke: var(--c); stroke-width: 8px; }
.margin { fill: var(--line); opacity: .55; }
.baseline { stroke: var(--soft); stroke-width: 1px; fill: none; }
.interval { fill: var(--k0); opacity: .4; }
.median { stroke: var(--k0); stroke-width: 3px; fill: none; }
.part { fill: var(--c); }
.floor { fill: var(--ink); opacity: .6; }
.idle { fill: var(--shade); }
.exposed { fill: url(#hatch); }
.hatch { fill: var(--page); }
.band { fill: var(--c); opacity: .16; }
.curve { stroke: var(--c); stroke-width: 2px; fill: none; }
.curve.c1 { stroke-dasharray: 8 3; } .curve.c2 { stroke-dasharray: 3 3; } .curve.c3 { stroke-dasharray: 10 3 2 3; }
.curve.c4 { stroke-dasharray: 5 2; } .curve.c5 { stroke-dasharray: 1 3; } .curve.c6 { stroke-dasharray: 12 4; } .curve.c7 { stroke-dasharray: 6 2 2 2 2 2; }
.limit { stroke: var(--soft); stroke-width: 1.5px; stroke-dasharray: 7 5; fill: none; }
.change { stroke: var(--ink); stroke-width: 1px; stroke-dasharray: 2 3; fill: none; }
.distance { stroke: var(--k0); stroke-width: 2px; fill: none; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: .25rem 0; list-style: none; font-size: .85rem; }
.key::before, .legend li::before { content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .4em; background: var(--c); }
.legend .floor { opacity: 1; }
.legend .floor::before { height: .35em; background: var(--ink); opacity: .6; }
details { margin: .75rem 0; }
summary { cursor: pointer; color: var(--link); }
pre { overflow-x: auto; font-size: .8rem; line-height: 1.35; background: var(--shade); padding: .75rem; overflow-wrap: normal; }
.tip { position: fixed; pointer-events: none; padding: .1rem .4rem; font-size: .8rem; background: var(--ink); color: var(--page); border-radius: .25rem; }
@media (max-width: 56rem) {
  .ratios thead th:nth-child(n+3), .published thead th:nth-child(n+3) { display: none; }
  .ratios caption, .published caption, .stages caption, .lanes caption, .flow caption { display: block; }
  .ratios :is(table, thead, tbody, tr, th, td), .published :is(table, thead, tbody, tr, th, td),
  .stages :is(table, thead, tbody, tr, th, td), .lanes :is(table, thead, tbody, tr, th, td), .flow :is(table, thead, tbody, tr, th, td) { display: block; width: auto; max-width: none; }
  .ratios :is(th, td), .published :is(th, td), .stages :is(th, td), .lanes :is(th, td), .flow :is(th, td) { border: 0; padding: .1rem 0; }
  .ratios tr, .published tr, .stages tr, .lanes tr, .flow tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  .ratios .number, .published .number { display: inline-block; margin-right: 1rem; text-align: left; white-space: normal; }
  .ratios .number:empty, .published .number:empty { display: none; }
  .ratios .number::before, .published .number::before { content: attr(data-title) " "; color: var(--soft); font-size: .85rem; }
  .ratios td:nth-child(2), .published td:nth-child(2), .stages td:nth-child(2), .flow td:nth-child(2), .lanes td:nth-child(3) { min-width: 0; width: auto; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  details, .skip, thead button::after { display: none; }
  tr, figure, .findings li { break-inside: avoid; }
  * { print-color-adjust: exact; }
}
)css";
}

std::string_view script() {
  return R"js(
"use strict";
const numberOf = text => parseFloat(text.replaceAll(",", ""));
function sortBy(table, column, head) {
  const ascending = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map(row => [row.cells[column].textContent, row]);
  const compare = ([a], [b]) => {
    const [x, y] = [numberOf(a), numberOf(b)];
    if (column > 0 && (Number.isNaN(x) || Number.isNaN(y))) return Number.isNaN(x) - Number.isNaN(y);
    return (ascending ? 1 : -1) * (column > 0 ? x - y : a.localeCompare(b));
  };
  for (const [, row] of rows.sort(compare)) table.tBodies[0].append(row);
}
for (const table of document.querySelectorAll("table")) {
  const first = table.tBodies[0].rows[0];
  if (!first || table.tBodies[0].rows.length < 3) continue;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (column > 0 && !first.cells[column].classList.contains("number")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, column, head));
    head.append(button);
  });
}
// What lies under the pointer in a drawing whose column has an axis.
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);
for (const axis of document.querySelectorAll("thead .labels[data-low]")) {
  const [low, high] = [Number(axis.dataset.low), Number(axis.dataset.high)];
  const body = axis.closest("table").tBodies[0];
  body.addEventListener("pointermove", event => {
    const drawing = event.target.closest("svg");
    tip.hidden = !drawing;
    if (!drawing) return;
    const box = drawing.getBoundingClientRect();
    const part = (event.clientX - box.left) / box.width;
    tip.textContent = (low * (high / low) ** part).toPrecision(3) + "x";
    tip.style.left = Math.min(event.clientX + 12, innerWidth - 70) + "px";
    tip.style.top = event.clientY - 28 + "px";
  });
  body.addEventListener("pointerleave", () => { tip.hidden = true; });
}
)js";
}

}  // namespace normbench::html
