import type { Readable } from "node:stream";
import type { ByteRange } from "./site-range.ts";

export type SiteFile = {
  /** Changes with the content. */
  readonly etag: string;
  /** Names this content among all sites. */
  readonly contentKey: string;
  readonly sizeBytes: number;
  /** @param range its first and its last byte; all bytes by default */
  readonly open: (range?: ByteRange) => Readable | Uint8Array;
};

/** Reads a path (without leading and trailing slashes): a file, a folder (`tree`) or null. `""` is the root. */
export type ReadSite = (sitePath: string) => Promise<SiteFile | "tree" | null>;
