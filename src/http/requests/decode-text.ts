import { AppError, COMMON_ERRORS } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";

/** Spreadsheets write it in Europe and America; Latin-1 is a part of it. */
const WESTERN = "windows-1252";

/**
 * Decodes a text file that a client uploads. A byte order mark decides, then the declared charset, then the bytes:
 * UTF-16 without a mark, UTF-8, and each line that is not UTF-8 as Windows-1252.
 * @param charset of the Content-Type; null without one
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE` for an unknown charset, `INVALID_REQUEST` for bytes that are not text
 */
export function decodeText(bytes: Buffer, charset: string | null): string {
  const text = decode(bytes, charset);
  // PostgreSQL cannot store U+0000, and no text has it.
  if (!text.includes("\0")) return text;
  throw new AppError(
    COMMON_ERRORS.INVALID_REQUEST,
    "The body is not a text file. Save the table as CSV, and send that file.",
  );
}

function decode(bytes: Buffer, charset: string | null): string {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const isMarkedUtf8 = first === 0xef && second === 0xbb && third === 0xbf;
  if (charset !== null && !isMarkedUtf8 && !/^utf-?8$/i.test(charset))
    return new TextDecoder(readLabel(charset)).decode(bytes);
  if (second === 0) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0) return new TextDecoder("utf-16be").decode(bytes);
  const text = decodeUtf8(bytes);
  if (text !== null) return text;
  // One wrong byte must not change the letters of all other lines.
  const lines: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf("\n", at);
    const line = bytes.subarray(at, end === -1 ? bytes.length : end + 1);
    lines.push(decodeUtf8(line) ?? new TextDecoder(WESTERN).decode(line));
    at += line.length;
  }
  return lines.join("");
}

function decodeUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function readLabel(charset: string): string {
  try {
    return new TextDecoder(charset).encoding;
  } catch (error) {
    throw new AppError(
      HTTP_ERRORS.UNSUPPORTED_MEDIA_TYPE,
      "The charset of the Content-Type is unknown. Send UTF-8, UTF-16 or Windows-1252.",
      { cause: error },
    );
  }
}
