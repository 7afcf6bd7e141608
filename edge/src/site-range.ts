import type { IncomingMessage } from "node:http";

/** The first and the last byte of a part of a file, counted from 0. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * The part that a request asks for (RFC 9110, 14.2); null for the whole file, also if the request asks for several
 * parts, or for a part of another content than this (`If-Range`, 13.1.5).
 * @param etag strong, in quotes
 */
export function rangeOf(
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  etag: string,
  sizeBytes: number,
): ByteRange | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(headers.range ?? "") ?? [];
  if (method !== "GET" || (first === "" && last === "")) return null;
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== etag) return null;
  // Without a first byte, it is the number of bytes at the end.
  const start = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  return start >= sizeBytes ? "unsatisfiable" : { start, end };
}
