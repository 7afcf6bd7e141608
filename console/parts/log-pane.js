/** @import { Api, DeployedService, LogLine } from "../api-types.ts" */
import { ProblemError } from "../api.js";
import { fill, h } from "../dom.js";
import { pause, untilVisible } from "../live.js";
import { button } from "./page.js";
import { problemBox, toProblem } from "./problem.js";
import { uniqueId } from "./unique-id.js";

/** Only the last lines of a long log are shown: the browser could not scroll a million. */
const SHOWN_LINES = 3_000;
const RETRY_MS = 2_000;

/**
 * The log of a deployment: live until it has ended. After that, a button loads what its services printed since.
 * @param {{ api: Api, path: string, signal: AbortSignal }} options `path`: of the log.
 */
export function logPane({ api, path, signal }) {
  const lines = h("ol", {});
  const pane = h(
    "div",
    { class: "log", role: "log", tabindex: "0", "aria-label": "Log", "aria-live": "off" },
    lines,
  );
  const state = h("span", { class: "quiet" });
  const failure = h("div", {});
  const dropped = h("p", { class: "fine", hidden: true }, `Only the last ${SHOWN_LINES} lines are shown.`);
  const choiceId = uniqueId("log");
  const choice = h("select", { id: choiceId }, h("option", { value: "" }, "All services"));
  const more = button("Load newer", () => readOn(), { class: "small", hidden: true });

  /** What is shown: which service, how far, and what stops it when another service is chosen. */
  let shown = { serviceId: "", cursor: /** @type {string | null} */ (null), end: new AbortController() };

  /** @param {readonly LogLine[]} added */
  const show = (added) => {
    const isAtEnd = pane.scrollHeight - pane.scrollTop - pane.clientHeight < 40;
    lines.append(...added.map((line) => lineOf(line, shown.serviceId === "")));
    while (lines.childElementCount > SHOWN_LINES) {
      lines.firstElementChild?.remove();
      dropped.hidden = false;
    }
    // Keep the position of a reader who has scrolled up.
    if (isAtEnd) pane.scrollTop = pane.scrollHeight;
  };
  /** @param {Record<string, string>} query */
  const addressOf = (query) => `${path}?${new URLSearchParams(query).toString()}`;
  const chosen = () => (shown.serviceId === "" ? {} : { serviceId: shown.serviceId });

  async function readOn() {
    const { end } = shown;
    failure.replaceChildren();
    try {
      const query = { ...chosen(), ...(shown.cursor === null ? {} : { cursor: shown.cursor }) };
      const page = await api.get(addressOf(query), AbortSignal.any([signal, end.signal]));
      if (end.signal.aborted) return;
      shown.cursor = page.nextCursor;
      show(page.lines);
      state.textContent = page.lines.length === 0 ? "nothing new" : "";
    } catch (error) {
      if (!end.signal.aborted && !signal.aborted) failure.replaceChildren(problemBox(toProblem(error)));
    }
  }

  async function follow() {
    const { end } = shown;
    const ending = AbortSignal.any([signal, end.signal]);
    while (!ending.aborted) {
      await untilVisible(ending);
      try {
        for await (const { event, id, data } of api.events(addressOf(chosen()), shown.cursor, ending)) {
          failure.replaceChildren();
          state.textContent = "live";
          if (event === "line") show([JSON.parse(data)]);
          if (id !== null) shown.cursor = id;
          if (event !== "end") continue;
          state.textContent = lines.childElementCount === 0 ? "nothing was printed" : "";
          // Without services there will be no more lines.
          more.hidden = choice.options.length === 1;
          return;
        }
      } catch (error) {
        if (ending.aborted) return;
        if (!(error instanceof ProblemError)) throw error;
        const { status } = error.problem;
        // Resume an interrupted stream after its last line.
        if (status !== 0 && status !== 503) {
          state.textContent = "";
          failure.replaceChildren(problemBox(error.problem));
          return;
        }
        state.textContent = "connection lost, retrying";
      }
      await pause(RETRY_MS, ending);
    }
  }

  const begin = () => {
    shown.end.abort();
    shown = { serviceId: choice.value, cursor: null, end: new AbortController() };
    lines.replaceChildren();
    failure.replaceChildren();
    dropped.hidden = true;
    more.hidden = true;
    state.textContent = "";
    void follow();
  };
  choice.addEventListener("change", begin);
  begin();

  return {
    element: h(
      "div",
      { class: "log-box" },
      h("div", { class: "log-head" }, h("label", { for: choiceId }, "Service"), choice, state, more),
      failure,
      dropped,
      pane,
    ),
    /** @param {readonly DeployedService[]} services What can be chosen. */
    offer: (services) => {
      const known = [...choice.options].map(({ value }) => value);
      if (services.every(({ id }) => known.includes(id))) return;
      const { value } = choice;
      const options = services.map(({ id, name }) => h("option", { value: id }, name));
      fill(choice, h("option", { value: "" }, "All services"), options);
      choice.value = value;
    },
  };
}

/**
 * @param {LogLine} line
 * @param {boolean} isMixed Whether lines of several services are shown.
 */
function lineOf({ at, service, stream, text }, isMixed) {
  return h(
    "li",
    { class: `from-${stream}` },
    h("time", { datetime: at, title: at, "data-clock": true }, at.slice(11, 23)),
    isMixed && h("span", { class: "of" }, service),
    h("span", { class: "text" }, text),
  );
}
