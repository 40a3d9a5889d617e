/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search of the site, in the place of MkDocs's own, which needs a server: pages
 * from a disk may load scripts, but no other files.  search/index.js sets `searchIndex`,
 * an entry for each heading: its place, the titles of its page and of itself, its text. */
"use strict";

const most = 30;

/* Entries that have all words: those with more of them in a title come first. */
function matches(query) {
  const words = query.toLowerCase().split(/\s+/).filter(word => word);
  const found = [];

  for (const entry of words.length ? searchIndex : []) {
    const titles = (entry.page + " " + entry.title).toLowerCase();
    const all = titles + " " + entry.text.toLowerCase();

    if (words.every(word => all.includes(word)))
      found.push([words.filter(word => titles.includes(word)).length, entry]);
  }
  return found.sort((a, b) => b[0] - a[0]).slice(0, most).map(pair => pair[1]);
}

/* The words around the first place of the query. */
function around(text, query) {
  const at = text.toLowerCase().indexOf(query.toLowerCase().split(/\s+/)[0]);
  const from = Math.max(at - 60, 0);

  return (from ? "… " : "") + text.slice(from, from + 160);
}

function show(query, place) {
  const results = document.getElementById("mkdocs-search-results");
  const found = matches(query);

  results.replaceChildren();
  for (const entry of found) {
    const article = document.createElement("article");
    const title = document.createElement("h3");
    const link = document.createElement("a");
    const text = document.createElement("p");

    link.href = place + entry.location;
    link.textContent = entry.page +
      (entry.title && entry.title != entry.page ? " › " + entry.title : "");
    text.textContent = around(entry.text, query);
    title.append(link);
    article.append(title, text);
    results.append(article);
  }
  if (query && !found.length)
    results.textContent = results.dataset.noResultsText || "No results found";
}

function begin(place) {
  const input = document.getElementById("mkdocs-search-query");
  const wanted = new URLSearchParams(window.location.search).get("q");

  if (!input)
    return;
  input.addEventListener("input", () => show(input.value, place));
  if (wanted) {
    input.value = wanted;
    show(wanted, place);
  }
}

{
  const place = document.currentScript.src.replace(/search\/main\.js.*$/, "");
  const index = document.createElement("script");

  index.src = place + "search/index.js";
  index.onload = () => begin(place);
  document.head.append(index);
}
