import type { Readable } from "node:stream";
import { bodyTooLarge, unreadable } from "../problems/error-response.ts";
import type { BodyShare } from "../limits/body-budget.ts";

/** Size of the pieces that a body is kept in. One turn of the event loop works on one piece. */
const BLOCK_BYTES = 65_536;
/** Size of the first piece, when the length is not known. */
const FIRST_BLOCK_BYTES = 4_096;

/** A body as it was read: complete, or only its beginning if it was cut. */
export type ReadBody = { readonly blocks: readonly Buffer[]; readonly isCut: boolean };

/**
 * Reads a whole body into its own blocks of memory, and overwrites the pieces in which it came: a body may hold
 * secrets, and Node frees memory without clearing it. The caller overwrites the blocks in turn. Pieces are copied and
 * not kept, because a piece of one byte costs hundreds.
 * @param declaredLength the Content-Length, if there is one
 * @param share pays for the blocks before they are made
 * @param cutAt if set, a body over `maxBytes` is not refused: at least this many of its first bytes are kept
 * @throws AppError `BODY_TOO_LARGE`; `INVALID_REQUEST` for a body that ends early or exceeds its declared length; what
 * `share` throws
 */
export async function readBlocks(
  payload: Readable,
  options: {
    readonly maxBytes: number;
    readonly declaredLength: number | null;
    readonly share: Pick<BodyShare, "take">;
    /** Fires with the refusal when the rest shall not be waited for. */
    readonly givenUp: AbortSignal;
    readonly cutAt?: number;
  },
): Promise<ReadBody> {
  const { maxBytes, declaredLength, share, givenUp, cutAt } = options;
  let isCut = declaredLength !== null && declaredLength > maxBytes;
  if (isCut && cutAt === undefined) throw bodyTooLarge();
  const mostBytes = isCut && cutAt !== undefined ? cutAt : maxBytes;
  const blocks: Buffer[] = [];
  let length = 0;
  /** Bytes used of the last block. */
  let filled = 0;

  const addBlock = (): Buffer => {
    const expected = (declaredLength ?? (length === 0 ? FIRST_BLOCK_BYTES : mostBytes)) - length;
    const bytes = Math.max(1, Math.min(BLOCK_BYTES, expected));
    share.take(bytes);
    // Not from Node's pool, where neighbours would keep it from being freed.
    const block = Buffer.allocUnsafeSlow(bytes);
    blocks.push(block);
    filled = 0;
    return block;
  };
  const keep = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length;) {
      let block = blocks.at(-1);
      if (block === undefined || filled === block.length) block = addBlock();
      const copied = chunk.copy(block, filled, at);
      at += copied;
      filled += copied;
      length += copied;
    }
  };

  const { promise: arrived, resolve, reject } = Promise.withResolvers<void>();
  let isSettled = false;
  const refuse = (error: unknown): void => {
    isSettled = true;
    reject(error);
  };
  const giveUp = (): void => refuse(givenUp.reason);
  payload.on("data", (chunk: Buffer) => {
    try {
      // After a refusal or a cut, the rest is read and dropped until the answer closes the connection.
      if (isSettled) return;
      if (length + chunk.length <= mostBytes) return keep(chunk);
      if (cutAt === undefined) return refuse(bodyTooLarge());
      keep(chunk.subarray(0, mostBytes - length));
      [isCut, isSettled] = [true, true];
      resolve();
    } catch (error) {
      refuse(error);
    } finally {
      chunk.fill(0);
    }
  });
  payload.once("end", resolve);
  payload.once("error", (error) => refuse(unreadable(error)));
  givenUp.addEventListener("abort", giveUp);
  try {
    await arrived;
    if (!isCut && declaredLength !== null && declaredLength !== length) throw unreadable();
  } catch (error) {
    for (const block of blocks.splice(0)) block.fill(0);
    throw error;
  } finally {
    // With a listener, V8 keeps the body over several collections of young objects.
    givenUp.removeEventListener("abort", giveUp);
  }
  const last = blocks.pop();
  return { blocks: last === undefined ? [] : [...blocks, last.subarray(0, filled)], isCut };
}

/** Joins blocks into one buffer, and clears them. */
export function joinBlocks(blocks: readonly Buffer[]): Buffer {
  const [first, ...more] = blocks;
  if (first !== undefined && more.length === 0) return first;
  const body = Buffer.allocUnsafeSlow(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    at += block.copy(body, at);
    block.fill(0);
  }
  return body;
}
