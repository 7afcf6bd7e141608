import { hash } from "node:crypto";

/** How many rows there are, and a checksum of all of them that does not depend on their order. */
export type Tally = { readonly rows: number; readonly sum: string };

/** The sum of the rows' hashes (SHA-256, the first 16 bytes), modulo 2^128. Rows differ: each has its primary key. */
export function createTally(): { add(lines: readonly string[]): void; result(): Tally } {
  let rows = 0;
  let high = 0n;
  let low = 0n;
  return {
    add(lines) {
      for (const line of lines) {
        const digest = hash("sha256", line, "buffer");
        high += digest.readBigUInt64BE(0);
        low += digest.readBigUInt64BE(8);
      }
      rows += lines.length;
    },
    result: () => ({
      rows,
      sum: BigInt.asUintN(128, (high << 64n) + low)
        .toString(16)
        .padStart(32, "0"),
    }),
  };
}
