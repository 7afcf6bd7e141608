/** Markup that is safe to send. Only `html` makes it. */
export class SafeHtml {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ENTITIES: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Markup, with each inserted text escaped, also within a quoted attribute. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | SafeHtml)[]): SafeHtml {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) {
    const safe =
      value instanceof SafeHtml ? value.text : value.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? "");
    text += safe + (strings[index + 1] ?? "");
  }
  return new SafeHtml(text);
}
