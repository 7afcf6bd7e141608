import { h } from "../dom.js";

/**
 * A text with a button that copies it.
 * @param {string} text
 * @param {{ what: string, notify: (text: string) => void, focus?: string }} options `what`: the name of the text for screen readers.
 */
export function copyable(text, { what, notify, focus }) {
  const code = h("code", {}, text);
  const copy = h(
    "button",
    {
      type: "button",
      class: "copy",
      "aria-label": `Copy ${what}`,
      title: `Copy ${what}`,
      "data-focus": focus,
    },
    "Copy",
  );
  copy.addEventListener("click", () => {
    void copyText(text).then((isCopied) => {
      if (isCopied) return notify(`Copied ${what}.`);
      globalThis.getSelection()?.selectAllChildren(code);
      notify("Selected. Press Ctrl+C or ⌘C to copy it.");
    });
  });
  return h("span", { class: "copyable" }, code, copy);
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} False where the browser does not let a page copy, for example over plain HTTP.
 */
async function copyText(text) {
  if (!globalThis.isSecureContext) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
