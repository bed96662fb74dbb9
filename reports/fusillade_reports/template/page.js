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
// All causes, where the page shows some: files of data are loaded when they are asked for, one
// after the other, and rows that match are shown, the first of them.
const all = document.getElementById("all-causes");
if (all) {
  const most = 200, rows = [], files = all.dataset.files.split(" ");
  const heads = ["bucket", "verdict", "oracle", "blame", "message", "nodes", "cases",
    "first seen, s", "known", "state"];
  const make = (tag, text, parent) => {
    const out = document.createElement(tag);
    if (text !== undefined) out.textContent = text;
    if (parent) parent.append(out);
    return out;
  };
  const button = make("button", "Load all " + Number(all.dataset.count).toLocaleString("en") +
    " causes into this page", all);
  button.type = "button";
  const bar = make("div"), label = make("label", "Filter ", bar), input = make("input");
  bar.className = "filter";
  input.type = "search";
  label.append(input);
  const told = make("span", "", bar);
  told.setAttribute("role", "status");
  told.className = "muted";
  const scroll = make("div"), table = make("table", undefined, scroll);
  scroll.className = "scroll tall";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "All causes");
  table.setAttribute("aria-label", "All causes");
  const head = make("tr", undefined, make("thead", undefined, table));
  for (const name of heads) make("th", name, head).scope = "col";
  const body = make("tbody", undefined, table);
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    body.replaceChildren();
    for (const row of rows) {
      const text = row.slice(0, heads.length).join(" ").toLowerCase();
      if (!words.every((w) => text.includes(w))) continue;
      if ((found += 1) > most) continue;
      const line = make("tr", undefined, body);
      const first = make("th", undefined, line);
      first.scope = "row";
      first.className = "mono name";
      make("a", row[0], first).href = row[heads.length];
      row.slice(1, heads.length).forEach((value) => {
        make("td", value, line).className = typeof value === "number" ? "n" : "name";
      });
    }
    told.textContent = found + " of " + rows.length +
      (found > most ? ", the first " + most + " are shown" : "");
  };
  const load = (i) => {
    if (i === files.length) {
      button.remove();
      all.append(bar, scroll);
      input.addEventListener("input", show);
      return show();
    }
    const script = make("script");
    script.src = files[i];
    script.onload = () => load(i + 1);
    script.onerror = () => {
      button.textContent = files[i] + " is not beside this page";
      button.disabled = true;
    };
    document.head.append(script);
  };
  window.fusilladeCauses = (more) => { for (const row of more) rows.push(row); };
  button.addEventListener("click", () => {
    button.disabled = true;
    load(0);
  });
}
const open = () => {
  const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = at && at.closest("details");
  if (details) { details.open = true; details.scrollIntoView(); }
};
addEventListener("hashchange", open);
open();
