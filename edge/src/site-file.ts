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

export type SiteContent = {
  readonly read: ReadSite;
  /** Whether every address without a file extension is answered with `index.html`, whose script reads the address. */
  readonly singlePageApp?: boolean;
};

/** The files of a release. They never change. */
export type StaticFiles = SiteContent & {
  /** Names them and how they are served; letters, digits, `-` and `_`. */
  readonly key: string;
  /** All files; null if they cannot be listed, or are too many. */
  list(): Promise<FileList | null>;
};

export type FileList = {
  /** Of each file (`SiteFile.etag`). */
  readonly etag: string;
  readonly singlePageApp?: boolean;
  /** As `ReadSite` takes them. */
  readonly files: readonly { readonly path: string; readonly sizeBytes: number }[];
};

/** Reads a path (without leading and trailing slashes): a file, a folder (`tree`) or null. `""` is the root. */
export type ReadSite = (sitePath: string) => Promise<SiteFile | "tree" | null>;
