export type JsonFault = {
  readonly line: number;
  readonly column: number;
  /** One character; "" at the end. */ readonly found: string;
};

/** Where a text stops being JSON; null if it is JSON. The engine's own message often has no position. */
export function findJsonFault(text: string): JsonFault | null {
  if (isJson(text)) return null;
  let valid = 0;
  let broken = text.length + 1;
  while (broken - valid > 1) {
    const middle = Math.floor((valid + broken) / 2);
    if (middle <= text.length && canContinue(text.slice(0, middle))) valid = middle;
    else broken = middle;
  }
  const before = text.slice(0, valid).split("\n");
  const found = String.fromCodePoint(...[text.codePointAt(valid)].filter((code) => code !== undefined));
  return { line: before.length, column: (before.at(-1) ?? "").length + 1, found };
}

function isJson(text: string): boolean {
  return messageOf(text) === null;
}

/** Whether a beginning may become JSON: it is, or it is only its end that is missing. */
function canContinue(beginning: string): boolean {
  // The end may be the first letters of `true`, which the engine calls unexpected.
  const text = beginning.replace(/(?:t(?:ru?)?|f(?:al?s?)?|n(?:ul?)?)$/, "");
  const message = messageOf(text);
  if (message === null || /Unexpected end|Unterminated/.test(message)) return true;
  const position = /at position (\d+)/.exec(message)?.[1];
  return position !== undefined && Number(position) >= text.length;
}

function messageOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}
