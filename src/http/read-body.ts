import type { Readable } from "node:stream";
import { AppError } from "../errors.ts";

/**
 * Reads a whole body into memory of its own, and overwrites the pieces in which it came: a body may hold
 * secrets, and Node gives freed memory back as it is. Who asked for the body overwrites it in turn.
 * @param declaredLength the Content-Length, where there is one
 * @throws AppError `BODY_TOO_LARGE`; `INVALID_REQUEST` for one that ends early or goes on too long
 */
export async function readBody(
  payload: Readable,
  maxBytes: number,
  declaredLength: number | null,
): Promise<Buffer> {
  if (declaredLength !== null && declaredLength > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      payload.on("data", (chunk: Buffer) => {
        length += chunk.length;
        // What comes after is read and dropped until the answer closes the connection.
        if (length <= maxBytes) chunks.push(chunk);
        else reject(tooLarge());
      });
      payload.once("end", resolve);
      payload.once("error", (error) => reject(broken(error)));
    });
    if (declaredLength !== null && declaredLength !== length) throw broken();
    // Not of Node's pool, where neighbours would keep it from being given back.
    const body = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (const chunk of chunks) at += chunk.copy(body, at);
    return body;
  } finally {
    for (const chunk of chunks) chunk.fill(0);
  }
}

function tooLarge(): AppError {
  return new AppError(
    "BODY_TOO_LARGE",
    "The body is larger than this endpoint takes: 1 MiB, or 5 MiB for git hooks.",
  );
}

function broken(cause?: Error): AppError {
  return new AppError(
    "INVALID_REQUEST",
    "The request could not be read: its framing, length or encoding is wrong.",
    { cause },
  );
}
