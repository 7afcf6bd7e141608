/** Copies of static releases on the disk. A release is copied as a whole, so it is served while the main machine is down. */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, statfs } from "node:fs/promises";
import path from "node:path";
import { isFileError, toFolderError } from "../../../src/lib/operator-error.ts";
import type { FileList, ReadSite, SiteContent } from "../site-file.ts";
import { type Control, PLACES } from "./control.ts";
import { type EdgeKeys, EdgeSecretError } from "./keys.ts";

export type FileCopies = {
  /** Reads which copies the disk has. @throws FolderError */
  open(): Promise<void>;
  /** Null if there is no whole copy. */
  read(key: string): SiteContent | null;
  /**
   * Removes copies that are not wanted, and makes missing copies that fit.
   * @throws ControlError, FolderError
   */
  follow(wanted: ReadonlySet<string>, signal: AbortSignal): Promise<void>;
};

type Copy = { readonly content: SiteContent; readonly sizeBytes: number };

/** The sealed list of a copy's files. The others have numbers, in the order of the list. */
const LIST = "list.sealed";
const UNFINISHED = ".new";

export function createFileCopies(options: {
  readonly folder: string;
  readonly maxBytes: number;
  readonly control: Pick<Control, "readFiles" | "readFile">;
  readonly keys: EdgeKeys;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}): FileCopies {
  const { folder, maxBytes, control, keys, log } = options;
  const copies = new Map<string, Copy>();
  /** Releases that the main machine serves; each is in the log once. */
  const left = new Set<string>();

  async function guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw isFileError(error) ? toFolderError("The edge's copies of files", folder, error) : error;
    }
  }

  async function openCopy(key: string): Promise<void> {
    const sealed = await readFile(path.join(folder, key, LIST));
    const list = JSON.parse(keys.open(PLACES.files(key), sealed).toString()) as FileList;
    const { singlePageApp = false } = list;
    const content = { read: readerOf(path.join(folder, key), key, list), singlePageApp };
    copies.set(key, { content, sizeBytes: sizeOf(list) });
  }

  /** False if the main machine serves them. */
  async function copy(key: string, signal: AbortSignal): Promise<boolean> {
    const list = await control.readFiles(key, signal);
    if (list === null || sizeOf(list) > (await freeBytes())) return false;
    const unfinished = path.join(folder, `${key}${UNFINISHED}`);
    try {
      await write(unfinished, key, list, signal);
      await rename(unfinished, path.join(folder, key));
    } catch (error) {
      // The names, and logs, may be on the same disk.
      await rm(unfinished, { recursive: true, force: true });
      throw error;
    }
    await openCopy(key);
    return true;
  }

  /** Of `maxBytes`, and of the disk. */
  async function freeBytes(): Promise<number> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(folder);
    const used = [...copies.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return Math.min(maxBytes - used, bavail * bsize);
  }

  async function write(unfinished: string, key: string, list: FileList, signal: AbortSignal): Promise<void> {
    await mkdir(unfinished, { mode: 0o700 });
    for (const [number, file] of list.files.entries()) {
      await using handle = await open(path.join(unfinished, String(number)), "wx", 0o600);
      for (let from = 0; from < file.sizeBytes;) {
        const bytes = await control.readFile(key, file.path, from, signal);
        await handle.writeFile(bytes);
        from += bytes.length;
      }
      await handle.sync();
    }
    await using handle = await open(path.join(unfinished, LIST), "wx", 0o600);
    await handle.writeFile(keys.seal(PLACES.files(key), Buffer.from(JSON.stringify(list))));
    await handle.sync();
  }

  return {
    open: () =>
      guard(async () => {
        const names = await readdir(folder).catch((error: unknown) => {
          if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
          throw error;
        });
        for (const name of names) {
          try {
            if (!name.endsWith(UNFINISHED)) await openCopy(name);
          } catch (error) {
            if (!(error instanceof EdgeSecretError) && !isFileError(error)) throw error;
            log.warn({ err: error, files: name }, "A copy of files is damaged; the edge copies them again");
          }
        }
      }),
    read: (key) => copies.get(key)?.content ?? null,
    follow: (wanted, signal) =>
      guard(async () => {
        for (const key of copies.keys()) if (!wanted.has(key)) copies.delete(key);
        for (const key of left) if (!wanted.has(key)) left.delete(key);
        const names = await readdir(folder).catch(() => []);
        for (const name of names)
          if (!copies.has(name)) await rm(path.join(folder, name), { recursive: true, force: true });
        let failure: unknown = null;
        for (const key of wanted) {
          if (copies.has(key)) continue;
          const isCopied = await copy(key, signal).catch((error: unknown) => {
            failure = error;
            return null;
          });
          if (isCopied === true) {
            left.delete(key);
            log.info({ files: key }, "The edge has a copy of a release");
          } else if (isCopied === false && !left.has(key)) {
            left.add(key);
            log.info(
              { files: key, maxBytes },
              "The main machine serves the files of a release, which cannot be copied, or do not fit into SLIPWAY_EDGE_FILES_MB or on the disk",
            );
          }
        }
        if (failure !== null) throw failure;
      }),
  };
}

function sizeOf({ files }: FileList): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function readerOf(folder: string, key: string, { etag, files }: FileList): ReadSite {
  const byPath = new Map(files.map((file, number) => [file.path, { ...file, number }]));
  const folders = new Set([""]);
  for (const { path: at } of files)
    for (let end = at.indexOf("/"); end !== -1; end = at.indexOf("/", end + 1)) folders.add(at.slice(0, end));
  return async (sitePath) => {
    const found = byPath.get(sitePath);
    if (found === undefined) return folders.has(sitePath) ? "tree" : null;
    return {
      etag,
      contentKey: `${key} ${found.number}`,
      sizeBytes: found.sizeBytes,
      open: (range) => createReadStream(path.join(folder, String(found.number)), range),
    };
  };
}
