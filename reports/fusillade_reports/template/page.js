"use strict";
// Tables sort by a button in each head and filter by a field above; without this script they are
// plain tables.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const value = (row, i) => {
    const cell = row.cells[i];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };
  const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b :
    String(a).localeCompare(String(b), "en", { numeric: true });
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending" ||
        (!head.hasAttribute("aria-sort") && head.classList.contains("n"));
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      body.append(...rows.slice().sort((a, b) => sign * order(value(a, i), value(b, i))));
    });
  });
  const loud = rows.filter((row) => !row.classList.contains("quiet")).length;
  const some = table.dataset.only && loud < rows.length;
  if (rows.length < 8 && !some) continue;
  const bar = document.createElement("div"), label = document.createElement("label");
  const input = document.createElement("input");
  const told = document.createElement("span");
  bar.className = "filter";
  told.setAttribute("role", "status");
  told.className = "muted";
  input.type = "search";
  label.append("Filter ", input);
  const box = document.createElement("input"), only = document.createElement("label");
  box.type = "checkbox";
  box.checked = some && loud > 0 && table.dataset.asked === undefined;
  only.append(box, " " + table.dataset.only);
  box.addEventListener("change", () => filter());
  bar.append(label, ...(some ? [only] : []), told);
  table.closest(".scroll").before(bar);
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = (box.checked && row.classList.contains("quiet")) ||
        !words.every((w) => text.includes(w));
      if (!row.hidden) shown += 1;
    }
    told.textContent = shown + " of " + rows.length;
  };
  input.addEventListener("input", filter);
  filter();
}
const open = () => {
  const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = at && at.closest("details");
  if (details) { details.open = true; details.scrollIntoView(); }
};
addEventListener("hashchange", open);
open();
