/** @import { Me } from "./api-types.ts" */
import { h } from "./dom.js";
import { link } from "./parts/page.js";

/** @type {readonly { path: string, words: string, covers: RegExp, adminOnly?: boolean }[]} */
const PLACES = [
  { path: "/projects", words: "Projects", covers: /^\/(projects|environments|services|groups)\b/ },
  { path: "/deployments", words: "Deployments", covers: /^\/deployments\b/ },
  { path: "/accounts", words: "Cloud accounts", covers: /^\/accounts\b/ },
  { path: "/git-integrations", words: "Git", covers: /^\/git-integrations\b/, adminOnly: true },
  { path: "/users", words: "Users", covers: /^\/users\b/ },
  { path: "/api-keys", words: "API keys", covers: /^\/api-keys\b/, adminOnly: true },
  { path: "/audit", words: "Audit", covers: /^\/audit\b/, adminOnly: true },
];

/**
 * The frame around every view: navigation and sign-out.
 * @param {{ me: Me, onSignOut: () => void }} options
 */
export function shell({ me, onSignOut }) {
  const main = h("main", { id: "main", tabindex: "-1" });
  const links = PLACES.filter(({ adminOnly }) => adminOnly !== true || me.user.role === "admin").map(
    (place) => ({
      ...place,
      anchor: link(place.path, place.words),
    }),
  );
  const skip = h("button", { type: "button", class: "skip" }, "Skip to content");
  skip.addEventListener("click", () => main.focus());
  const signOut = h("button", { type: "button", class: "plain" }, "Sign out");
  signOut.addEventListener("click", onSignOut);
  const element = h(
    "div",
    { class: "shell" },
    skip,
    h(
      "header",
      { class: "bar" },
      h(
        "a",
        { class: "brand", href: "#/projects" },
        h("img", { src: "icon.svg", alt: "", width: "26", height: "26" }),
        "Slipway",
      ),
      h(
        "nav",
        { "aria-label": "Main" },
        h(
          "ul",
          {},
          links.map(({ anchor }) => h("li", {}, anchor)),
        ),
      ),
      h(
        "div",
        { class: "bar-end" },
        h("span", { class: "who", title: whoTitle(me) }, `${me.organization.name} · ${me.user.role}`),
        h("a", { href: "/docs", target: "_blank", rel: "noopener" }, "API reference"),
        signOut,
      ),
    ),
    main,
  );
  return {
    element,
    main,
    /** @param {string} path */
    setCurrent: (path) => {
      for (const { anchor, covers } of links) {
        if (covers.test(path)) anchor.setAttribute("aria-current", "page");
        else anchor.removeAttribute("aria-current");
      }
    },
  };
}

/** @param {Me} me */
function whoTitle({ user, apiKey, organization }) {
  return `${user.name} of ${organization.name}${apiKey === null ? "" : `, with the key ${apiKey.prefix}…`}`;
}
