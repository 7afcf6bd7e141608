/** @import { Me, Problem, View } from "./api-types.ts" */
import { createApi, ProblemError } from "./api.js";
import { h } from "./dom.js";
import { problemBox } from "./parts/problem.js";
import { pageHead } from "./parts/page.js";
import { refreshTimes } from "./parts/time.js";
import { findView } from "./routes.js";
import { shell } from "./shell.js";
import { showSignIn } from "./views/sign-in.js";

/** For this tab only: closing it signs out. */
const KEY_ITEM = "slipway.apiKey";
const NOTICE_MS = 4_000;
const TIMES_MS = 15_000;

const root = /** @type {HTMLElement} */ (document.querySelector("#app"));
const notice = /** @type {HTMLElement} */ (document.querySelector("#notice"));

/** @type {ReturnType<typeof setTimeout> | undefined} */
let noticeTimer;

/** @param {string} text */
function notify(text) {
  clearTimeout(noticeTimer);
  notice.textContent = text;
  noticeTimer = setTimeout(() => (notice.textContent = ""), NOTICE_MS);
}

/** @param {Problem | null} problem */
function signIn(problem) {
  sessionStorage.clear();
  document.title = "Sign in · Slipway";
  root.replaceChildren(
    showSignIn({
      problem,
      onKey: async (key) => {
        await createApi({ key }).get("/v1/me");
        sessionStorage.setItem(KEY_ITEM, key);
        await run(key);
      },
    }),
  );
  root.querySelector("input")?.focus();
}

/**
 * Shows the console with one key, until the user signs out or the key is refused.
 * @param {string} key
 */
async function run(key) {
  const ended = new AbortController();
  /** @param {Problem | null} problem */
  const end = (problem) => {
    if (ended.signal.aborted) return;
    ended.abort();
    signIn(problem);
  };
  const api = createApi({ key, onUnauthenticated: end });
  /** @type {Me} */
  const me = await api.get("/v1/me");
  const isAdmin = me.user.role === "admin";
  const { element, main, setCurrent } = shell({ me, onSignOut: () => end(null) });
  root.replaceChildren(element);

  let left = new AbortController();
  let shown = 0;
  const show = async () => {
    left.abort();
    left = new AbortController();
    shown += 1;
    const turn = shown;
    const path = location.hash.slice(1) || "/projects";
    const { view, params } = findView(path);
    setCurrent(path);
    main.setAttribute("aria-busy", "true");
    /** @type {View} */
    const context = {
      api,
      params,
      isAdmin,
      mayWrite: me.user.role !== "viewer",
      hasSandbox: isAdmin && me.cloud === "sandbox",
      notify,
      signal: AbortSignal.any([left.signal, ended.signal]),
      go: (to) => {
        if (location.hash === `#${to}`) void show();
        else location.hash = to;
      },
      reload: () => void show(),
    };
    const content = await view(context).catch((/** @type {unknown} */ error) =>
      failed(error, context.signal),
    );
    // A slow view that the user has left must not replace the current one.
    if (turn !== shown || ended.signal.aborted || content === null) return;
    main.replaceChildren(...content);
    main.removeAttribute("aria-busy");
    const heading = main.querySelector("h1");
    document.title = `${heading?.textContent ?? "Console"} · Slipway`;
    heading?.focus({ preventScroll: true });
    globalThis.scrollTo(0, 0);
  };
  globalThis.addEventListener("hashchange", () => void show(), { signal: ended.signal });
  await show();
}

/**
 * @param {unknown} error
 * @param {AbortSignal} signal
 * @returns {readonly HTMLElement[] | null}
 */
function failed(error, signal) {
  if (signal.aborted) return null;
  if (!(error instanceof ProblemError)) throw error;
  const title = error.problem.status === 404 ? "Not found" : "This could not be shown";
  return [
    pageHead({ title }),
    problemBox(error.problem),
    h("p", {}, h("a", { href: "#/projects" }, "Go to projects")),
  ];
}

setInterval(refreshTimes, TIMES_MS);
const key = sessionStorage.getItem(KEY_ITEM);
if (key === null) signIn(null);
else {
  run(key).catch((/** @type {unknown} */ error) => {
    if (!(error instanceof ProblemError)) throw error;
    // The sign-in page is already shown, with the reason.
    if (error.problem.status === 401) return;
    root.replaceChildren(
      h("div", { class: "alone" }, problemBox(error.problem), h("a", { href: "" }, "Try again")),
    );
  });
}
