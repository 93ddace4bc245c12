//<![CDATA[
"use strict";
(() => {
  // Hover: the message size nearest to the pointer, and what each curve has there.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);

  function line(parent, tag, text) {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  }

  function place(event) {
    const left = Math.min(event.pageX + 16, scrollX + document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(scrollX + 4, left)}px`;
    tip.style.top = `${event.pageY + 16}px`;
  }

  for (const svg of document.querySelectorAll("svg.chart")) {
    if (!svg.querySelector(".curve")) continue;
    const marks = [...svg.querySelectorAll(".curve .mark[data-x]")];
    const cross = document.createElementNS(svg.namespaceURI, "path");
    cross.setAttribute("class", "cross");
    svg.prepend(cross);
    svg.querySelectorAll(".curve title").forEach(title => title.remove());

    svg.addEventListener("pointermove", event => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const shown = marks.filter(mark => !mark.parentNode.classList.contains("off"));
      const near = shown.reduce((best, mark) => !best || Math.abs(mark.dataset.x - point.x) < Math.abs(best.dataset.x - point.x) ? mark : best, null);
      const inside = near && point.y < 300 && point.x > 50;
      tip.hidden = !inside;
      cross.setAttribute("d", inside ? `M${near.dataset.x},14V284` : "");
      if (!inside) return;
      tip.replaceChildren();
      line(tip, "b", near.dataset.size);
      for (const mark of shown.filter(other => other.dataset.x === near.dataset.x)) {
        const row = line(tip, "div", "");
        const swatch = line(row, "i", "");
        swatch.style.color = getComputedStyle(mark.parentNode).color;
        row.append(`${mark.parentNode.dataset.label}: ${mark.dataset.text}`);
      }
      place(event);
    });
    svg.addEventListener("pointerleave", () => { tip.hidden = true; cross.setAttribute("d", ""); });

    // A click on a legend row hides or shows its curve.
    for (const key of svg.querySelectorAll(".key")) {
      key.addEventListener("click", () => {
        svg.querySelectorAll(`[data-curve="${key.dataset.curve}"]`).forEach(element => element.classList.toggle("off"));
      });
    }
  }

  // Everything else with a title shows it at once: links with their load, events, ranks, parts of bars.
  const titles = new Map();
  for (const title of document.querySelectorAll("svg *:not(svg) > title")) {
    titles.set(title.parentNode, title.textContent);
    title.remove();
  }
  for (const element of document.querySelectorAll("[title]")) {
    titles.set(element, element.title);
    element.setAttribute("aria-label", element.title);
    element.removeAttribute("title");
  }
  for (const [element, text] of titles) {
    element.addEventListener("pointermove", event => {
      tip.replaceChildren(text + (element.dataset.load ? `; load ${element.dataset.load}` : ""));
      tip.hidden = false;
      place(event);
    });
    element.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(rows => { rows.open = true; }));

  // Tables sort by a click on a heading.
  const value = cell => cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.textContent;
  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      heading.tabIndex = 0;
      const sort = () => {
        const up = heading.getAttribute("aria-sort") !== "ascending";
        headings.forEach(other => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...table.tBodies[0].rows];
        const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});
        rows.sort((a, b) => (up ? 1 : -1) * compare(value(a.cells[column]), value(b.cells[column])));
        table.tBodies[0].append(...rows);
      };
      heading.addEventListener("click", sort);
      heading.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
    });
  }

  // A fabric shows the loads of the run that is chosen: each cable its own, all else that of its tier.
  const runs = JSON.parse(document.getElementById("loads").textContent);
  const bounds = [0.01, 0.25, 0.5, 0.75, 0.95];
  for (const figure of document.querySelectorAll("figure.fabric")) {
    const choice = figure.querySelector("select.run");
    if (!choice) continue;
    const show = run => {
      for (const edge of figure.querySelectorAll(".topology [data-tier]")) {
        const own = run.cables[edge.dataset.cable];
        const load = own ?? run.loads[`${edge.dataset.tier}/${edge.dataset.pod}`] ?? run.loads[edge.dataset.tier];
        edge.classList.remove("l0", "l1", "l2", "l3", "l4", "l5");
        delete edge.dataset.load;
        if (load === undefined) continue;
        edge.classList.add(`l${bounds.filter(bound => load >= bound).length}`);
        edge.dataset.load = `${Math.round(load * 100)} %${own === undefined ? " (busiest of its tier)" : ""}`;
      }
      for (const mark of figure.querySelectorAll(".topology .binding")) {
        mark.classList.toggle("on", mark.dataset.link === run.bound_by);
      }
      figure.querySelector(".bound").textContent = run.bound_by || "not said";
    };
    choice.addEventListener("change", () => show(runs[choice.value]));
    show(runs[choice.value]);
  }
})();
//]]>
