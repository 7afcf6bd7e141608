/** @typedef {Node | string | number | null | undefined | false} Child */

/** @typedef {{ readonly [attribute: string]: string | number | boolean | null | undefined }} Props */

/**
 * Makes an element. Strings become text nodes, never markup, so that no user's name or value can be read as HTML.
 * `true` sets an empty attribute; `false`, null and undefined set none.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} props
 * @param {...(Child | readonly Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "href" && !isSafeLink(String(value))) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/**
 * @param {Node} parent
 * @param {readonly (Child | readonly Child[])[]} children
 */
function append(parent, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Replaces the content of an element. The focus stays on the element with the same `data-focus` name.
 * @param {HTMLElement} parent
 * @param {...(Child | readonly Child[])} children
 */
export function fill(parent, ...children) {
  const focused =
    document.activeElement instanceof HTMLElement && parent.contains(document.activeElement)
      ? document.activeElement.dataset["focus"]
      : undefined;
  parent.replaceChildren();
  append(parent, children);
  if (focused === undefined) return;
  for (const candidate of parent.querySelectorAll("[data-focus]")) {
    if (candidate instanceof HTMLElement && candidate.dataset["focus"] === focused) candidate.focus();
  }
}

/**
 * Whether a link leads to a page, not to a script (`javascript:`) or to arbitrary data (`data:`).
 * @param {string} href
 */
function isSafeLink(href) {
  const url = URL.parse(href, document.baseURI);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:");
}
