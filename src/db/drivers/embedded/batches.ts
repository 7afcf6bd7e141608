/** A message of PostgreSQL's protocol: a type of one byte, and a length of four that counts itself (protocol, "Message Formats"). */
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
/** What PostgreSQL answers as soon as it has it: Query, and Sync, which ends the messages of a named statement. */
const ANSWERED: ReadonlySet<number> = new Set(Buffer.from("QS"));
export const TERMINATE = Buffer.from("X")[0];

/**
 * Cuts what a client sends into batches that are answered as a whole: PGlite answers what it is given, and must not be
 * given half a statement. The first batch is the startup message, which has no type; Terminate is a batch of its own.
 * @returns a function that takes the next bytes and returns the batches that they complete
 */
export function createMessageBatches(): (bytes: Buffer) => readonly Buffer[] {
  let isStarted = false;
  let chunks: Buffer[] = [];
  let size = 0;
  /** Nothing is complete with fewer bytes, so that a large message is put together once. */
  let needed = 0;
  return (bytes) => {
    chunks.push(bytes);
    size += bytes.length;
    if (size < needed) return [];
    const whole = chunks.length === 1 ? bytes : Buffer.concat(chunks, size);
    const batches: Buffer[] = [];
    let from = 0;
    let at = 0;
    for (;;) {
      const headerBytes = (isStarted ? TYPE_BYTES : 0) + LENGTH_BYTES;
      needed = at + headerBytes;
      if (whole.length < needed) break;
      needed += whole.readUInt32BE(needed - LENGTH_BYTES) - LENGTH_BYTES;
      if (whole.length < needed) break;
      const type = whole[at] ?? 0;
      at = needed;
      if (!isStarted || type === TERMINATE || ANSWERED.has(type)) {
        batches.push(whole.subarray(from, at));
        from = at;
      }
      isStarted = true;
    }
    chunks = [whole.subarray(from)];
    size = whole.length - from;
    needed -= from;
    return batches;
  };
}
