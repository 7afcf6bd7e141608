import { AppError, COMMON_ERRORS } from "../errors.ts";

export const MAX_BODY_BYTES = 1_048_576;
const MAX_DEPTH = 10;

/**
 * Parses a body more strictly than `JSON.parse`, which accepts bodies that lose data later: it keeps the last of two
 * members with the same name, PostgreSQL cannot store U+0000, and half of a surrogate pair becomes U+FFFD when it is
 * encoded.
 * @throws AppError `INVALID_JSON`
 */
export function parseJsonBody(bytes: Buffer, depthMax: number = MAX_DEPTH): unknown {
  const text = decodeBody(bytes);
  if (text.startsWith("\uFEFF"))
    throw invalid("The body begins with a byte order mark; send UTF-8 without one.");
  const scan = scanStructure(text);
  if (scan.depth > depthMax) throw invalid(`The body is nested deeper than ${depthMax} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(describeSyntaxError(text, error), error);
  }
  const seen = { members: 0 };
  checkValue(value, seen);
  if (seen.members !== scan.members) throw invalid("An object in the body has a duplicate key.");
  return value;
}

function decodeBody(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw invalid("The body is not UTF-8.", error);
  }
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError(COMMON_ERRORS.INVALID_JSON, message, { cause });
}

/** V8's own message quotes the text, which may be a secret. This one only says where the error is. */
function describeSyntaxError(text: string, error: unknown): string {
  if (text.trim() === "") return "The body is empty; send a JSON object.";
  const place = error instanceof Error ? /line \d+ column \d+/.exec(error.message)?.[0] : undefined;
  return `The body does not parse as JSON${place === undefined ? "" : `: look at ${place}`}.`;
}

/** Finds the depth and the number of members in the unparsed text, in linear time and without recursion. */
function scanStructure(text: string): { depth: number; members: number } {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        index = endOfString(text, index);
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1;
        break;
      case 0x3a: // :
        members += 1;
        break;
      default:
    }
  }
  return { depth: deepest, members };
}

/** Index of the quote that closes the string which opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index += 1;
    else if (code === 0x22) return index;
  }
  return text.length;
}

function checkValue(value: unknown, seen: { members: number }): void {
  if (typeof value === "string") {
    checkText(value);
  } else if (Array.isArray(value)) {
    for (const item of value) checkValue(item, seen);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      seen.members += 1;
      checkText(name);
      checkValue(member, seen);
    }
  }
}

function checkText(text: string): void {
  if (text.includes("\0"))
    throw invalid("A string in the body contains a NUL character (U+0000), which cannot be stored.");
  if (!text.isWellFormed())
    throw invalid("A string in the body contains an unpaired surrogate, which is not a character.");
}

/** The value of a text; null for a text that is not JSON. */
export function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
