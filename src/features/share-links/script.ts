import { createHash } from "node:crypto";

/**
 * The script of the page, for all browsers since 2020: it adds buttons that copy, and asks for what has changed. It
 * puts only text into the page, so that its policy can refuse all markup (Trusted Types).
 */
export const SCRIPT = `"use strict";
(() => {
  const LOOK_MS = 5000;
  const DONE_MS = 30000;
  const FAILED_MS = 20000;
  const shape = document.body.dataset.shape;
  const address = location.pathname + "/live";
  const stopped = document.getElementById("stopped");

  for (const code of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy the " + code.dataset.copy + " " + code.textContent);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        // Without HTTPS there is no clipboard: what is selected can be copied by hand.
        getSelection().selectAllChildren(code);
        document.execCommand("copy");
      }
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    code.after(" ", button);
  }

  const show = (parts) => {
    for (const one of document.querySelectorAll("[data-live]")) {
      const part = parts[one.dataset.live];
      if (part === undefined) continue;
      if (one.textContent !== part.text) one.textContent = part.text;
      if (part.state !== undefined) one.dataset.state = part.state;
    }
  };
  const isDone = () => [...document.querySelectorAll("[data-live].says")].every((one) => one.dataset.state === "right");

  let timer;
  let isAsking = false;
  const look = async () => {
    clearTimeout(timer);
    if (document.hidden || isAsking) return;
    isAsking = true;
    let wait = FAILED_MS;
    try {
      const answer = await fetch(address, { cache: "no-store", credentials: "omit" });
      if (answer.ok) {
        const live = await answer.json();
        if (live.shape !== shape) return location.reload();
        show(live.parts);
        stopped.textContent = "";
        wait = isDone() ? DONE_MS : LOOK_MS;
      } else if (answer.status === 404) {
        return location.reload();
      } else {
        wait = Math.max(FAILED_MS, 1000 * Number(answer.headers.get("retry-after") || 0));
        stopped.textContent = "This page could not be updated. It retries automatically.";
      }
    } catch {
      stopped.textContent = "This page could not be updated. It retries automatically.";
    } finally {
      isAsking = false;
    }
    timer = setTimeout(look, wait);
  };
  document.addEventListener("visibilitychange", look);
  timer = setTimeout(look, LOOK_MS);
})();
`;

/** Changes with the script, so that browsers may keep it. */
export const SCRIPT_VERSION = createHash("sha256").update(SCRIPT).digest("hex").slice(0, 12);
