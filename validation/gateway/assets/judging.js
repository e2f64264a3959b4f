// Faster work on Label Studio's labelling page: submit on the last needed key, undo, the next item at once, progress.
// Written for Label Studio 1.23. This script does not decide what is stored: every answer goes through the page's own
// requests, and the next item is compared with the server's. Without this script the page works as it is.
(() => {
  "use strict";
  const realFetch = window.fetch;
  const realPushState = history.pushState;
  const html = document.documentElement;
  try {
    start(JSON.parse(document.getElementById("nextset-judging").textContent));
  } catch (error) {
    window.fetch = realFetch;
    history.pushState = realPushState;
    html.classList.remove("nextset-judging", "nextset-gate", "nextset-last-key", "nextset-rtl");
    console.error("nextset: the page works without the script", error);
  }

  function start(told) {
    const words = told.words;
    const judging = told.role === "work";
    const lastKey = judging && told.submit === "last_key";
    const PAGE = `/projects/${told.project}/data`;
    if (location.pathname.replace(/\/$/, "") !== PAGE) return;
    if (!new URLSearchParams(location.search).has("labeling")) {
      location.replace(`${PAGE}?labeling=1`); // the list of tasks is not for judging
      return;
    }

    // Parts of Label Studio's page: its wrapper around the editor, the editor's store, the open annotation.
    const wrapper = () => (window.dataManager && window.dataManager.lsf) || null;
    const store = () => (wrapper() && wrapper().lsf) || null;
    const open = () => (store() && store().annotationStore && store().annotationStore.selected) || null;
    const shownTask = () => (wrapper() && wrapper().task && wrapper().task.id) || null;
    const busy = () => !store() || store().isSubmitting || store().isLoading || leaving;

    let leaving = false;
    let accepted = false; // the server has accepted an answer
    const done = []; // {task, annotation, skipped} in the order of this visit
    let back = null; // the place in `done` of the earlier answer that is shown, if any
    let listed = []; // the project's tasks as the server listed them
    let listUrl = null;
    let listTotal = 0;
    let waiting = null; // the task that the server gives next
    let guess = null; // the task to draw when the page next asks for one
    let keepDraft = false; // part of an answer to the waiting item was saved as a draft on the server
    let check = Promise.resolve(true); // whether the server agreed with the last guess
    let nextRequest = null; // how the page asks for the next task
    let labels = null; // the page's list of user labels, which is empty in these projects
    let onward = false; // after a changed answer: continue with the waiting item
    let prepared = null; // {url path, text}: a reply that is already here
    let unsure = null; // the task whose answer may not have arrived
    const tabs = new BroadcastChannel(PAGE); // this person's other tabs with the same items
    const json = { "Content-Type": "application/json" };
    const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const reply = (body, status = 200) =>
      new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers: json });

    const said = parts(told, words);
    if (judging && told.progress) said.progress(told.progress); // unknown while a batch is being sent

    // ------------------------------------------------------------------ requests of the page
    window.fetch = function (input, init) {
      let handler;
      try {
        const url = new URL(input instanceof Request ? input.url : input, location.href);
        const method = ((init && init.method) || (input instanceof Request ? input.method : "GET")).toUpperCase();
        if (url.origin === location.origin && !(input instanceof Request)) handler = handlerOf(method, url);
        if (handler) return handler(url, init || {});
      } catch (error) {
        console.error("nextset:", error);
      }
      return realFetch.call(window, input, init);
    };

    function handlerOf(method, url) {
      const path = url.pathname.replace(/\/$/, "");
      const id = (pattern) => (path.match(pattern) || [])[1];
      if (method === "POST" && path === "/api/dm/actions" && url.searchParams.get("id") === "next_task")
        return nextTask;
      if (method === "POST" && id(/^\/api\/tasks\/(\d+)\/annotations$/)) return submitAnswer;
      if (method === "PATCH" && id(/^\/api\/annotations\/(\d+)$/)) return changeAnswer;
      if (!judging) return null;
      if (method === "GET" && path === "/api/label_links") return userLabels;
      if (method === "GET" && path === "/api/tasks" && url.searchParams.has("page")) return list;
      if (method === "GET" && prepared && prepared.path === path) return givePrepared;
      return null;
    }

    /** Ask for the next task; without one, Label Studio's answer is 404, which a browser lists as an error. */
    async function askForNext(url, init) {
      const headers = new Headers(init.headers);
      headers.set("X-Nextset-No-Item", "1");
      const response = await realFetch(url, { ...init, headers });
      return response.headers.has("X-Nextset-No-Item") ? reply({ detail: "no item" }, 404) : response;
    }

    async function nextTask(url, init) {
      nextRequest = { url: url.href, init };
      const known = guess;
      guess = null;
      if (known) {
        waiting = known;
        check = wait(150).then(() => agrees(known)); // draw first
        return reply(known);
      }
      check = Promise.resolve(true);
      const response = await askForNext(url.href, init);
      if (response.status === 404 && !judging && !accepted) setTimeout(showGate, 0);
      else if (response.status === 404 && leave()) return new Promise(() => {});
      if (response.ok) waiting = await response.clone().json();
      return response;
    }

    /** When a person comes back to an answered gate, for example to withdraw consent, show the answer. */
    async function showGate() {
      await idle();
      const answered = (store().taskHistory || []).filter((seen) => seen.annotationId).pop();
      if (answered) await wrapper().loadTask(answered.taskId, answered.annotationId, true);
    }

    /** Ask the server in the background whether ``task`` is next; if a different task is next, draw that. */
    async function agrees(task) {
      let theirs;
      try {
        const response = await askForNext(nextRequest.url, nextRequest.init);
        if (response.status === 404) {
          leave();
          return false;
        }
        if (!response.ok) return true; // unknown for now; submitting will show it
        theirs = await response.json();
      } catch (_) {
        return true;
      }
      const same =
        theirs.id === task.id &&
        JSON.stringify(theirs.data) === JSON.stringify(task.data) &&
        !(theirs.drafts || []).length;
      waiting = theirs;
      if (!same && back === null) setTimeout(redraw, 0);
      return same;
    }

    async function redraw() {
      await idle();
      guess = null;
      await loadNext();
    }

    async function submitAnswer(url, init) {
      const task = Number(url.pathname.split("/")[3]);
      if (back === null && !(await check)) return reply({ detail: "this item is no longer next" }, 409);
      let response = null;
      if (unsure === task) response = await changeInstead(task, init);
      if (!response) response = await sent(url, init, task);
      if (!response.ok) return response;
      unsure = null;
      if (!judging) {
        leave();
        return new Promise(() => {});
      }
      const { id, was_cancelled } = await response.clone().json();
      tabs.postMessage(task);
      done.push({ task, annotation: String(id), skipped: Boolean(was_cancelled) });
      guess = after(task);
      said.undo(true);
      return response;
    }

    async function changeAnswer(url, init) {
      const annotation = url.pathname.split("/")[3];
      const mine = done.find((d) => d.annotation === annotation);
      if (mine && mine.skipped) {
        const body = JSON.parse(init.body);
        // the item was skipped and is now answered
        if (body.was_cancelled === undefined) init = { ...init, body: JSON.stringify({ ...body, was_cancelled: false }) };
      }
      const response = await sent(url, init, null);
      if (!response.ok) return response;
      if (!judging) {
        leave();
        return new Promise(() => {});
      }
      if (mine) mine.skipped = Boolean((await response.clone().json()).was_cancelled);
      onward = back !== null;
      return response;
    }

    /** Send an answer. A lost answer stays on the screen: the page treats any reply without a status as success. */
    async function sent(url, init, task) {
      let response;
      try {
        const taken = await realFetch(url.href, init);
        response = new Response(await taken.text(), { status: taken.status, headers: taken.headers });
        if (response.ok) await response.clone().json(); // the reply has arrived in full
      } catch (_) {
        unsure = task;
        said.problem(words.not_saved);
        return reply({ detail: "the server cannot be reached" }, 503);
      }
      if (!response.ok) {
        if (response.status >= 500) unsure = task;
        said.problem(words.not_saved, response.status === 404 && goOn);
        return response;
      }
      accepted = true;
      said.problem("");
      const [n, of] = (response.headers.get("X-Nextset-Progress") || "").split("/").map(Number);
      if (of > 0) said.progress({ done: n, of });
      return response;
    }

    /** The result of an earlier try is unknown: if the server has that answer, change it. */
    async function changeInstead(task, init) {
      try {
        const asked = await realFetch(`/api/tasks/${task}?interaction=labelstream&project=${told.project}`);
        if (!asked.ok) return null;
        const [there] = (await asked.json()).annotations || [];
        if (!there) return null;
        const url = new URL(`/api/annotations/${there.id}?project=${told.project}`, location.href);
        return await sent(url, { ...init, method: "PATCH" }, task);
      } catch (_) {
        return reply({ detail: "the server cannot be reached" }, 503);
      }
    }

    async function userLabels(url, init) {
      if (labels !== null) return reply(labels);
      const response = await realFetch(url.href, init);
      if (response.ok) {
        const text = await response.clone().text();
        if (!(JSON.parse(text).results || []).length) labels = text;
      }
      return response;
    }

    async function list(url, init) {
      const response = await realFetch(url.href, init);
      if (response.ok) {
        listUrl = url;
        learn(await response.clone().json());
      }
      return response;
    }

    async function givePrepared() {
      const { text } = prepared;
      prepared = null;
      return reply(text);
    }

    // ------------------------------------------------------------------ the item after this one
    function learn(page) {
      const old = new Set(listed.map((t) => t.id));
      const [tasks, total] = [page.tasks || [], page.total || 0];
      const fresh = new Map(tasks.map((t) => [t.id, t]));
      listed = listed.map((t) => fresh.get(t.id) || t).concat(tasks.filter((t) => !old.has(t.id)));
      listTotal = total;
    }

    const untouched = (t) =>
      !t.is_labeled && !t.total_annotations && !t.cancelled_annotations && !(t.drafts || []).length &&
      !done.some((d) => d.task === t.id);

    /** Return the task after ``id`` as the server would give it, or null if it is not listed; list more in time. */
    function after(id) {
      const at = listed.findIndex((t) => t.id === id);
      if (at < 0) return null;
      const rest = listed.slice(at + 1).filter(untouched);
      if (rest.length < 2) readOn();
      if (!rest.length || !waiting) return null;
      const task = {};
      for (const key of Object.keys(waiting)) if (key in rest[0]) task[key] = rest[0][key];
      return { ...task, annotations: [], predictions: [], unique_lock_id: null, queue: waiting.queue };
    }

    let reading = false;
    async function readOn() {
      if (reading || !listUrl) return;
      reading = true;
      try {
        const url = new URL(listUrl);
        const size = Number(url.searchParams.get("page_size")) || 30;
        url.searchParams.set("page", String(Math.max(1, Math.ceil((listed.length + 1) / size))));
        const response = await realFetch(url.href);
        if (response.ok) learn(await response.json());
      } catch (_) {
        // the page then asks for the next task when it needs it, as without this script
      } finally {
        reading = listed.length >= listTotal; // all are listed; a new batch comes with the next visit
        if (reading) setTimeout(() => (reading = false), 20000);
      }
    }

    // The item may have been answered elsewhere: continue with the next one, unless it is partly answered here.
    function lookAgain() {
      if (back !== null || busy() || !nextRequest || !waiting) return;
      if (judging && shownTask() === waiting.id && !started()) check = agrees(waiting);
    }
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && lookAgain());
    tabs.onmessage = guarded(({ data }) => {
      if (data !== shownTask() || back !== null) return;
      unsure = data; // an answer begun here changes the one of the other tab
      lookAgain();
    });

    // ------------------------------------------------------------------ back and forward
    const started = () => answer() !== null && answer().length > 0;

    async function loadNext() {
      back = null;
      said.backAt(false);
      said.undo(done.length > 0);
      await Object.getPrototypeOf(wrapper()).loadTask.call(wrapper());
    }

    async function undo() {
      const place = (back === null ? done.length : back) - 1;
      if (place < 0 || busy() || !wrapper()) return;
      const { task, annotation } = done[place];
      const path = `/api/tasks/${task}`;
      try {
        const asked = await realFetch(`${path}?interaction=labelstream&project=${told.project}`);
        const text = asked.ok ? await asked.text() : "";
        if (!text || !JSON.parse(text).annotations.some((a) => String(a.id) === annotation)) {
          if (asked.ok || asked.status === 404) done.splice(place, 1); // it no longer exists
          said.undo(done.length > 0);
          return;
        }
        if (busy()) return;
        if (back === null && started()) {
          keepDraft = true;
          await wrapper().saveDraft();
        }
        prepared = { path, text };
        takeOver();
        await Object.getPrototypeOf(wrapper()).loadTask.call(wrapper(), task, annotation, true);
        if (shownTask() === task) {
          back = place;
          said.undo(place > 0);
          said.backAt(true);
        }
      } catch (error) {
        console.error("nextset:", error);
      }
    }

    async function goOn() {
      if (busy()) return;
      said.problem("");
      guess = back !== null && !keepDraft ? waiting : null;
      keepDraft = false;
      await loadNext();
    }

    /** After a changed answer Label Studio draws the same item again; continue with the waiting one instead. */
    function takeOver() {
      const page = wrapper();
      if (Object.hasOwn(page, "loadTask")) return;
      page.loadTask = (...args) => {
        if (!onward) return Object.getPrototypeOf(page).loadTask.apply(page, args);
        onward = false;
        guess = keepDraft ? null : waiting;
        keepDraft = false;
        return loadNext();
      };
    }

    function leave() {
      if (leaving) return true;
      const last = Number(sessionStorage.getItem("nextset-left") || 0);
      if (Date.now() - last < 3000 && !accepted) return false; // it would send the person back at once
      sessionStorage.setItem("nextset-left", String(Date.now()));
      leaving = true;
      location.assign(told.next);
      return true;
    }

    // ------------------------------------------------------------------ keys, taps and clicks
    const idle = () =>
      new Promise((resolve) => {
        const look = () => (store() && (store().isSubmitting || store().isLoading) ? setTimeout(look, 20) : resolve());
        look();
      });

    /** Return the chosen aliases by block, or null. */
    function answer() {
      const annotation = open();
      return annotation && annotation.serializeAnnotation ? annotation.serializeAnnotation() : null;
    }

    function complete() {
      const chosen = {};
      for (const r of answer() || []) if (r.type === "choices") chosen[r.from_name] = r.value.choices[0];
      if (chosen.verdict) return chosen.verdict !== "valid" || Boolean(chosen.stance || chosen.known);
      if (chosen.answer) return true;
      if (chosen.underspecified === "declined") return true;
      return Boolean(chosen.underspecified && chosen.grammatical && chosen.free_of_hint);
    }

    function submit() {
      const annotation = open();
      if (!annotation || busy()) return;
      annotation.submissionInProgress();
      if (annotation.pk) store().updateAnnotation();
      else store().submitAnnotation();
    }

    const typing = (target) =>
      target instanceof Element &&
      (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox]):not([type=radio])"));
    const boxOf = (target) => (target instanceof Element ? target.closest(".ns .lsf-choice__checkbox") : null);
    const needed = (box) => !box.closest(".ns-small");
    const chosen = (box) => box.querySelector("input").checked;

    function boxFor(event) {
      const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
      const key = digit ? digit[1] : event.key.toLowerCase();
      for (const kbd of document.querySelectorAll(".ns .lsf-choice__checkbox kbd"))
        if (kbd.textContent.toLowerCase() === key && kbd.closest(".lsf-choice__checkbox").getClientRects().length)
          return boxOf(kbd);
      return null;
    }

    const stop = (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };

    let holding = false;
    window.addEventListener(
      "keydown",
      guarded((event) => {
        // while the guidelines are open, keys belong to them
        if (document.querySelector("#nextset-guidelines[open]")) return event.stopImmediatePropagation();
        if (!judging || typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "Backspace") {
          stop(event);
          if (!event.repeat) undo();
          return;
        }
        if (!lastKey || !event.key) return;
        const box = boxFor(event);
        if (!box) return;
        if (event.repeat || busy()) return stop(event); // a key held down judges one item
        if (event.shiftKey) {
          stop(event);
          holding = true;
          box.querySelector("input").click();
          holding = false;
        } else if (needed(box)) {
          if (chosen(box) && complete()) {
            stop(event);
            submit();
          } else setTimeout(guarded(() => complete() && submit()), 0);
        }
      }),
      true,
    );

    let pressed = { at: 0, shift: false };
    window.addEventListener("pointerdown", (event) => (pressed = { at: event.timeStamp, shift: event.shiftKey }), true);
    window.addEventListener(
      "click",
      guarded((event) => {
        if (!lastKey || holding || !(event.target instanceof HTMLInputElement)) return;
        const box = boxOf(event.target);
        if (!box || !needed(box)) return;
        if (busy()) return stop(event);
        // ``checked`` already has its new value: a second tap on the same choice submits it
        if (pressed.shift || event.timeStamp - pressed.at > 500) return; // held: chosen, not submitted
        if (!event.target.checked && complete()) {
          stop(event);
          submit();
        } else setTimeout(guarded(() => complete() && submit()), 0);
      }),
      true,
    );

    function guarded(handler) {
      return (event) => {
        try {
          return handler(event);
        } catch (error) {
          console.error("nextset:", error);
        }
      };
    }

    // Label Studio adds the same address to the history at each submit: one step back would leave the tasks.
    history.pushState = function (state, title, url) {
      const same = url && new URL(url, location.href).href === location.href;
      return (same ? history.replaceState : realPushState).call(history, state, title, url);
    };

    const viewport = document.querySelector("meta[name=viewport]");
    if (viewport) viewport.content = "width=device-width, initial-scale=1";
    const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&").replace(/\s/g, " ")}"`;
    html.style.setProperty("--nextset-last-key", quoted(words.last_key));
    html.style.setProperty("--nextset-last-tap", quoted(words.last_tap));
    nameButtons(words);
    html.classList.add("nextset-judging");
    if (told.direction === "rtl") html.classList.add("nextset-rtl");
    if (!judging) html.classList.add("nextset-gate");
    if (lastKey) html.classList.add("nextset-last-key");
    said.onGuidelines(async () => {
      const project = await realFetch(`/api/projects/${told.project}`);
      return project.ok ? (await project.json()).expert_instruction || "" : "";
    });
    said.onUndo(undo);
    said.onGoOn(goOn);
  }

  /** Return the elements of ``written``, HTML, that only structure a text, without any attributes. */
  function plainly(written) {
    const kept = /^(H[1-6]|P|UL|OL|LI|TABLE|THEAD|TBODY|TR|TH|TD|BLOCKQUOTE|STRONG|EM|CODE|BR|HR)$/;
    const copy = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.data)];
      if (node.nodeType !== Node.ELEMENT_NODE || /^(SCRIPT|STYLE|TEMPLATE)$/.test(node.nodeName)) return [];
      const inside = [...node.childNodes].flatMap(copy);
      if (!kept.test(node.nodeName)) return inside;
      const made = document.createElement(node.nodeName);
      made.append(...inside);
      return [made];
    };
    return [...new DOMParser().parseFromString(written, "text/html").body.childNodes].flatMap(copy);
  }

  /** Give Label Studio's buttons the texts of the session's language, each time the page draws them again. */
  function nameButtons(words) {
    const name = () => {
      for (const [id, word] of [["submit", words.submit], ["update", words.update], ["skip", words.skip]]) {
        const button = document.querySelector(`[data-testid="bottombar-${id}-button"]`);
        if (!button || !word) continue;
        const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
        const text = texts.nextNode();
        if (text && text.nodeValue !== word) text.nodeValue = word;
        if (button.getAttribute("aria-label") !== word) button.setAttribute("aria-label", word);
      }
    };
    const drawn = { childList: true, subtree: true, characterData: true };
    new MutationObserver(name).observe(document.body, { ...drawn, attributeFilter: ["aria-label", "data-testid"] });
    name();
  }

  /** Return the parts that this script adds to the page: progress, back and forward, unsaved answers. */
  function parts(told, words) {
    const make = (name, id, attributes = {}) => {
      const element = document.createElement(name);
      element.id = id;
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      return element;
    };
    const button = (id, text, key) => {
      const made = make("button", id, { type: "button", hidden: "" });
      made.append(text);
      if (key) {
        const kbd = document.createElement("kbd");
        kbd.textContent = key;
        made.append(kbd);
        made.setAttribute("aria-keyshortcuts", "Backspace");
      }
      return made;
    };
    const place = make("section", "nextset-parts", { "aria-label": words.label, dir: told.direction });
    const progress = make("p", "nextset-progress", { role: "status" });
    const problem = make("div", "nextset-problem", { role: "alert" });
    const undo = button("nextset-undo", words.undo, "⌫");
    const on = button("nextset-on", words.go_on);
    const way = make("div", "nextset-way");
    way.append(undo, on);
    const help = button("nextset-help", words.guidelines);
    help.hidden = told.role !== "work";
    help.setAttribute("aria-haspopup", "dialog");
    const guidelines = make("dialog", "nextset-guidelines", { dir: told.direction, "aria-label": words.guidelines });
    const close = make("button", "nextset-close", { type: "button" });
    close.append(words.close);
    close.addEventListener("click", () => guidelines.close());
    const text = document.createElement("div");
    const foot = make("div", "nextset-foot");
    foot.append(close);
    guidelines.append(text, foot);
    place.append(progress, help, way, problem, guidelines);
    document.body.append(place);
    return {
      progress: ({ done, of }) => {
        // the number of the item that is judged now
        progress.textContent = words.progress.replace("{done}", Math.min(done + 1, of)).replace("{of}", of);
        progress.style.setProperty("--share", of > 0 ? Math.min(1, done / of) : 0);
      },
      problem: (text, goOn) => {
        problem.textContent = text;
        if (goOn) on.hidden = false;
      },
      onGuidelines: (read) =>
        help.addEventListener("click", async () => {
          help.blur();
          if (!text.childElementCount) text.replaceChildren(...plainly(await read()));
          guidelines.showModal();
          guidelines.scrollTop = 0;
        }),
      undo: (can) => (undo.hidden = !can),
      backAt: (earlier) => (on.hidden = !earlier),
      onUndo: (act) => undo.addEventListener("click", () => (undo.blur(), act())),
      onGoOn: (act) => on.addEventListener("click", () => (on.blur(), act())),
    };
  }
})();
