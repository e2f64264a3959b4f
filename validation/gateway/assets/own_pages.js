// Shows by the reader's clock when the next batch opens, and reloads the page at that time.
"use strict";
const opens = document.body.dataset.opens;
if (opens) {
  const at = new Date(opens);
  const today = new Date().toDateString() === at.toDateString();
  const form = today ? { timeStyle: "short" } : { dateStyle: "long", timeStyle: "short" };
  document.querySelector(".opens time").textContent = at.toLocaleString(document.documentElement.lang, form);
  // counted in the server's seconds, since the reader's clock may be wrong; a laptop checks when it wakes up
  const until = Date.now() + Number(document.body.dataset.wait) * 1000;
  const look = () => Date.now() >= until && location.reload();
  setInterval(look, 1000);
  document.addEventListener("visibilitychange", look);
}
