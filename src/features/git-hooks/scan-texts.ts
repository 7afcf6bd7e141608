/**
 * Finds a few texts of a JSON document by their place, and skips the rest without building values. Many members, or
 * deep nesting, cost no more than their bytes. It does not check the syntax: the signature shows that the document is
 * the sender's.
 */
export type TextScan = {
  /** Takes the next bytes of the document; they may be cut anywhere. */
  push(bytes: Uint8Array): void;
  /** The texts that were found so far, by place. */
  readonly found: ReadonlyMap<string, string>;
};

/** Longer texts are never needed. */
const LONGEST_TEXT = 4_096;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @param places the places of texts: a member of the document (`ref`), or of an object in it (`repository/url`) */
export function createTextScan(places: ReadonlySet<string>): TextScan {
  const found = new Map<string, string>();
  const objects = new Set([...places].flatMap((one) => (one.includes("/") ? [one.split("/", 1)[0]] : [])));
  let depth = 0;
  /** Whether the open value at depth 1, and at depth 2, is an object. */
  const isObject = [false, false, false];
  /** The members whose values are being read at these depths. */
  const names = ["", "", ""];
  let isNameNext = false;
  let isInText = false;
  let isEscaped = false;
  /** The text that is being read, and its length; -1 if it is not needed. */
  const kept = Buffer.alloc(LONGEST_TEXT);
  let keptLength = -1;
  /** The place of the text; null for a member's name. */
  let place: string | null = null;

  const open = (object: boolean): void => {
    depth += 1;
    if (depth > 2) return;
    isObject[depth] = object;
    isNameNext = object;
  };
  const beginText = (): void => {
    isInText = true;
    keptLength = -1;
    if (depth < 1 || depth > 2 || isObject[1] !== true || isObject[depth] !== true) return;
    const [, outer = "", inner = ""] = names;
    if (depth === 2 && !objects.has(outer)) return;
    place = isNameNext ? null : depth === 1 ? outer : `${outer}/${inner}`;
    if (place === null || places.has(place)) keptLength = 0;
  };
  const endText = (): void => {
    isInText = false;
    if (keptLength < 0) return;
    const text = decode(kept.toString("utf8", 0, keptLength));
    if (place === null) names[depth] = text ?? "";
    else if (text !== null) found.set(place, text);
  };

  return {
    found,
    push(bytes) {
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at];
        if (isInText) {
          if (byte === QUOTE && !isEscaped) {
            endText();
            continue;
          }
          isEscaped = byte === BACKSLASH && !isEscaped;
          if (keptLength < 0) continue;
          kept[keptLength] = byte ?? 0;
          keptLength = keptLength + 1 < LONGEST_TEXT ? keptLength + 1 : -1;
          continue;
        }
        switch (byte) {
          case QUOTE:
            beginText();
            break;
          case OPEN_OBJECT:
          case OPEN_ARRAY:
            open(byte === OPEN_OBJECT);
            break;
          case CLOSE_OBJECT:
          case CLOSE_ARRAY:
            depth -= 1;
            isNameNext = false;
            break;
          case COMMA:
            if (depth === 1 || depth === 2) isNameNext = isObject[depth] === true;
            break;
          case COLON:
            isNameNext = false;
            break;
          default:
        }
      }
    },
  };
}

/** Null when the quotes do not hold a valid JSON text. */
function decode(inside: string): string | null {
  if (!inside.includes("\\")) return inside;
  try {
    const text: unknown = JSON.parse(`"${inside}"`);
    return typeof text === "string" ? text : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
