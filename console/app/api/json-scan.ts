/** Reads JSON that may be unfinished: the position of each value, the first fault, and the place of the caret. Pure. */

/** An object or a list of the text. */
export type Frame = {
  readonly kind: "object" | "list";
  readonly parent: Frame | null;
  /** Its name or its number in the parent. */
  readonly step: string;
  readonly pointer: string;
  /** Values that are texts, by name: also those after the caret. */
  readonly texts: Map<string, string>;
  readonly names: Set<string>;
};

/** The text at the caret that can be completed. */
export type CaretPlace = {
  readonly frame: Frame | null;
  readonly role: "name" | "value";
  /** With `value`: the name or the number that it belongs to. */
  readonly step: string;
  /** What a completion replaces, and what of it is before the caret, without quotes. */
  readonly from: number;
  readonly to: number;
  readonly typed: string;
};

export type Scan = {
  /** Where the value at each JSON Pointer begins. */
  readonly positions: ReadonlyMap<string, number>;
  readonly error: { readonly at: number; readonly message: string } | null;
  readonly place: CaretPlace | null;
};

type Expected = "name" | "colon" | "value" | "comma" | "end";
type Open = Frame & { expected: Expected; name: string; index: number };

const TOKEN = /\s*(?:("(?:[^"\\\n]|\\.)*"?)|([{}[\],:])|([^\s{}[\],:"]+))/y;
const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const WORDS: Readonly<Record<Expected, string>> = {
  name: "a name in double quotes",
  colon: "a colon",
  value: "a value",
  comma: "a comma or the end",
  end: "nothing more",
};

export function scanJson(text: string, caret = -1): Scan {
  const positions = new Map<string, number>();
  let open: Open | null = null;
  let rootExpects: Expected = "value";
  let error: Scan["error"] = null;
  let place: CaretPlace | null = null;
  let isCaretPassed = false;

  const expected = (): Expected => open?.expected ?? rootExpects;
  const expect = (next: Expected): void => {
    if (open === null) rootExpects = next;
    else open.expected = next;
  };
  const complain = (at: number, message: string): void => {
    error ??= { at, message };
  };
  const stepOf = (): string => (open === null ? "" : open.kind === "object" ? open.name : String(open.index));
  const pointerOf = (): string => (open === null ? "" : `${open.pointer}/${escape(stepOf())}`);
  const look = (from: number, to: number, typed: string): void => {
    if (isCaretPassed) return;
    isCaretPassed = true;
    const role = expected();
    if (role === "name" || role === "value") place = { frame: open, role, step: stepOf(), from, to, typed };
  };
  const begin = (kind: Frame["kind"], at: number): void => {
    positions.set(pointerOf(), at);
    const frame: Open = {
      kind,
      parent: open,
      step: stepOf(),
      pointer: pointerOf(),
      texts: new Map(),
      names: new Set(),
      expected: kind === "object" ? "name" : "value",
      name: "",
      index: 0,
    };
    expect("comma");
    open = frame;
  };
  const readMark = (mark: string, at: number): void => {
    const now = expected();
    if (mark === "{" || mark === "[") {
      if (now !== "value") complain(at, `Expected ${WORDS[now]} before ${mark}`);
      begin(mark === "{" ? "object" : "list", at);
    } else if (mark === "}" || mark === "]") {
      const kind = mark === "}" ? "object" : "list";
      if (open?.kind !== kind) return complain(at, `${mark} closes nothing`);
      const isEmpty = open.kind === "object" ? open.names.size === 0 : open.index === 0;
      const mayEnd = now === "comma" || (isEmpty && now === (open.kind === "object" ? "name" : "value"));
      if (!mayEnd) complain(at, `Expected ${WORDS[now]} before ${mark}`);
      open = open.parent as Open | null;
      if (open === null) rootExpects = "end";
    } else if (mark === ",") {
      if (now !== "comma") complain(at, `Expected ${WORDS[now]} before the comma`);
      if (open === null) return;
      if (open.kind === "list") open.index += 1;
      expect(open.kind === "object" ? "name" : "value");
    } else {
      if (now !== "colon") complain(at, `Expected ${WORDS[now]} before the colon`);
      expect("value");
    }
  };
  const readText = (token: string, at: number): void => {
    const isClosed = token.length > 1 && token.endsWith('"') && !/[^\\](?:\\\\)*\\"$/.test(token);
    if (!isClosed) complain(at, "The text has no closing quote");
    const value = unquote(token);
    const now = expected();
    if (now === "name" && open !== null) {
      if (open.names.has(value)) complain(at, `${JSON.stringify(value)} is there twice`);
      open.names.add(value);
      open.name = value;
      expect("colon");
    } else if (now === "value") {
      positions.set(pointerOf(), at);
      open?.texts.set(stepOf(), value);
      expect(open === null ? "end" : "comma");
    } else complain(at, `Expected ${WORDS[now]} before ${token}`);
  };

  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) break;
    const [whole, quoted, mark, word] = match;
    const end = at + whole.length;
    const start = end - (quoted ?? mark ?? word ?? "").length;
    if (caret >= at && caret <= start && caret < end && (caret < start || mark !== undefined || caret === at))
      look(caret, caret, "");
    else if (mark === undefined && caret > start && caret <= end && !isAfterQuote(quoted, caret, end))
      look(start, end, text.slice(start, caret).replace(/^"/, ""));
    if (quoted !== undefined) readText(quoted, start);
    else if (mark !== undefined) readMark(mark, start);
    else if (word !== undefined) {
      if (expected() === "value") {
        if (!LITERAL.test(word)) complain(start, `${word} is not a value: texts need double quotes`);
        positions.set(pointerOf(), start);
        expect(open === null ? "end" : "comma");
      } else complain(start, `Expected ${WORDS[expected()]} before ${word}`);
    }
    at = end;
  }
  if (caret >= at && !isCaretPassed) look(caret, caret, "");
  if (open !== null || rootExpects === "value") complain(text.length, "The end is missing");
  return { positions, error, place };
}

/** Behind a closed text, nothing of it is completed. */
function isAfterQuote(quoted: string | undefined, caret: number, end: number): boolean {
  return quoted !== undefined && caret === end && quoted.length > 1 && quoted.endsWith('"');
}

function unquote(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.replaceAll('"', "");
  }
}

function escape(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The line and the column of an offset, both from 1. */
export function lineOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - start + 1 };
}

/** Where the value at a pointer begins; what is missing is where the nearest part around it begins. */
export function offsetOf({ positions }: Scan, pointer: string): number {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const found = positions.get(at);
    if (found !== undefined) return found;
  }
  return positions.get("") ?? 0;
}
