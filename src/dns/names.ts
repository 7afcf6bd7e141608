/** Lower case and without the trailing dot; the root is the empty string. DNS names compare so (RFC 4343). */
export function normalizeName(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/** Whether a normalized name can be put into a question: RFC 1035 lengths, printable ASCII. */
export function isAskable(name: string): boolean {
  return name.length <= 253 && /^(?:[!-\-/-~]{1,63})(?:\.[!-\-/-~]{1,63})*$/.test(name);
}

/** Whether `name` is `zone` or below it. Everything is within the root. */
export function isWithin(name: string, zone: string): boolean {
  return zone === "" || name === zone || name.endsWith(`.${zone}`);
}

/** The name without its first label; the empty string above a single label. */
export function parentOf(name: string): string {
  const dot = name.indexOf(".");
  return dot === -1 ? "" : name.slice(dot + 1);
}
