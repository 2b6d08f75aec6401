// Sorting, filtering and switching of what was computed beforehand; no statistics here.
"use strict";

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

document.documentElement.classList.add("js"); // what only works with scripts is shown with them

// Theme: as the system has it, or the other one.
const theme = one("#theme");
let isDark = matchMedia("(prefers-color-scheme: dark)").matches;
const nameTheme = () => { theme.textContent = isDark ? "Light colors" : "Dark colors"; };
theme.addEventListener("click", () => {
  isDark = !isDark;
  document.documentElement.style.colorScheme = isDark ? "dark" : "light";
  nameTheme();
});
nameTheme();

// Sorting: a button in each head; by data-value, else by the number in a cell that stands right.
const UNITS = { "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, "%": 0.01 };
const NUMBER = /([-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?) ?(µs|ms|s|min|h|%)?(?![\w.])/;
function sortKey(cell) {
  const value = cell.dataset.value;
  if (value !== undefined) return value === "" ? null : Number(value);
  if (cell.tagName === "TH" || cell.className === "left") return cell.textContent;
  const found = NUMBER.exec(cell.textContent);
  return found && Number(found[1].replaceAll(",", "")) * (UNITS[found[2]] ?? 1);
}
function sortBy(head) {
  const row = head.parentElement;
  const body = one("tbody", head.closest("table"));
  const isUp = head.getAttribute("aria-sort") !== "ascending";
  for (const other of row.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
  const index = [...row.children].indexOf(head);
  const compare = (a, b) => {
    const [x, y] = [sortKey(a.children[index]), sortKey(b.children[index])];
    if (x === null || y === null) return (x === null) - (y === null);
    const order = typeof x === "number" ? x - y : x.localeCompare(y);
    return isUp ? order : -order;
  };
  body.append(...[...body.rows].sort(compare));
}
for (const table of all("table.sortable")) {
  table.addEventListener("click", (event) => {
    const head = event.target.closest("thead th");
    if (head) sortBy(head);
  });
}

// Filter: by a part of a learner's name, and by whether it may be best.
function filterRows() {
  const wanted = one("#filter").value.trim().toLowerCase();
  const plausible = one("#plausible").checked;
  const isShown = (row) => (!plausible || row.hasAttribute("data-plausible"))
    && row.firstElementChild.textContent.toLowerCase().includes(wanted);
  const rows = all("#learners tbody tr");
  for (const row of rows) row.hidden = !isShown(row);
  const count = rows.filter((row) => !row.hidden).length;
  one("#count").textContent = count < rows.length ? `${count} of ${rows.length} learners` : "";
}
if (one("#filter")) {
  one("#filter").addEventListener("input", filterRows);
  one("#plausible").addEventListener("change", filterRows);
}

// Filter of another table, by a part of a name.
for (const input of all("input[data-rows]")) {
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    for (const row of all(`#${input.dataset.rows} tbody tr`)) {
      row.hidden = !row.firstElementChild.textContent.toLowerCase().includes(wanted);
    }
  });
}

// A link to a section opens it.
const openTarget = () => {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === "DETAILS") {
    target.open = true;
    target.scrollIntoView();
    hint();
  }
};
addEventListener("hashchange", openTarget);

// Hints: above what is wider than the page.
const hint = () => {
  for (const part of all(".scroll")) {
    part.previousElementSibling.hidden = part.scrollWidth <= part.clientWidth;
  }
};
addEventListener("resize", hint);

// Panels: a select shows one of the parts that belong to it.
for (const select of all("select[data-panels]")) {
  const panels = all(`#${select.dataset.panels} > [data-panel]`);
  const show = () => {
    for (const panel of panels) panel.classList.toggle("off", panel.dataset.panel !== select.value);
    hint();
  };
  select.addEventListener("change", show);
  show();
}

// Switches: each combination has its view, which Python computed.
const form = one("#switches");
const block = one("#views");
if (form && block) {
  const { pieces, lists, views } = JSON.parse(block.textContent);
  const fields = all("select", form);
  const key = () => fields.map((field) => field.value).join("|");
  const html = (list) => list.map((position) => pieces[position]).join("");
  const show = (changed) => {
    if (!(key() in views)) repair(changed);
    const view = views[key()];
    const fill = (id, name) => { one(id).innerHTML = html(lists[view[name]]); };
    all("#answer p").forEach((line, i) => { line.innerHTML = pieces[lists[view.answer][i]]; });
    fill("#learners thead tr", "learners_head");
    fill("#pairs thead tr", "pairs_head");
    for (const name of ["learners", "pairs"]) {
      const columns = view[name].map((column) => lists[column]);
      const row = (_, i) => `${html(columns.map((cells) => cells[i]))}</tr>`;
      one(`#${name} tbody`).innerHTML = columns[0].map(row).join("");
    }
    fill("#differences", "lanes");
    filterRows();
    hint();
    one("#changed").hidden = fields.every((item) => item.selectedOptions[0].defaultSelected);
  };
  // What was changed stays; the first view that has it replaces what does not go with it.
  const repair = (changed) => {
    const index = fields.indexOf(changed);
    const known = Object.keys(views).map((choices) => choices.split("|"));
    const score = (values) => values.filter((value, i) => value === fields[i].value).length;
    const fit = known.filter((values) => index < 0 || values[index] === changed.value)
      .sort((a, b) => score(b) - score(a))[0];
    fields.forEach((item, i) => { item.value = fit[i]; });
  };
  form.addEventListener("change", (event) => show(event.target));
  form.addEventListener("reset", () => setTimeout(show));
  show();
}
hint();
openTarget();
for (const part of all("details")) part.addEventListener("toggle", hint);
