// Shows the time when the next batch opens by the reader's own clock, and goes on when it has come.
"use strict";
const opens = document.body.dataset.opens;
if (opens) {
  const at = new Date(opens);
  const today = new Date().toDateString() === at.toDateString();
  const form = today ? { timeStyle: "short" } : { dateStyle: "long", timeStyle: "short" };
  document.querySelector(".opens time").textContent = at.toLocaleString(document.documentElement.lang, form);
  // the server's seconds, for the reader's clock may be wrong; a laptop that slept looks when it wakes up
  const until = Date.now() + Number(document.body.dataset.wait) * 1000;
  const look = () => Date.now() >= until && location.reload();
  setInterval(look, 1000);
  document.addEventListener("visibilitychange", look);
}
