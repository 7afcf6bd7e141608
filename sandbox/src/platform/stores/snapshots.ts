/** Snapshots of data stores: copies of their data, each in a folder of its own. They outlive their stores. */
import { cp, mkdir, rename } from "node:fs/promises";
import path from "node:path";
import type { StoreType } from "../../../../src/cloud/data-stores.ts";
import type { SnapshotStatus } from "../../../../src/cloud/platform.ts";
import type { SnapshotMessage } from "../../protocol.ts";
import type { SandboxState } from "../../state.ts";
import { DATA_MISSING, type Failure } from "./failures.ts";
import { drop } from "../store.ts";
import { exists, sizeOf } from "./folders.ts";

export type Place = { readonly accountId: string; readonly serviceId: string; readonly token: string };

export type StoredSnapshot = Place & {
  readonly type: StoreType;
  readonly version: string;
  readonly status: SnapshotStatus;
  readonly failure: Failure | null;
  readonly sizeBytes: number | null;
  /** Its folder is being deleted. */
  readonly isRemoved: boolean;
};

/** @param root a folder, which is made when the first snapshot is taken */
export function openSnapshots(state: SandboxState, root: string) {
  const stored = state.collection<StoredSnapshot>("platform-store-snapshots");
  const keyOf = ({ accountId, serviceId, token }: Place) => `${accountId}/${serviceId}/${token}`;
  const folderOf = (of: Place) => path.join(root, keyOf(of).replaceAll("/", "-"));

  function set(of: Place, change: Partial<StoredSnapshot>): void {
    const now = stored.get(keyOf(of));
    if (now !== undefined) stored.put(keyOf(of), { ...now, ...change });
  }

  function fail(of: Place, failure: Failure): void {
    set(of, { status: "FAILED", failure });
  }

  /** @param proof a file of complete data */
  async function complete(of: Place, proof: string): Promise<void> {
    if (!(await exists(path.join(folderOf(of), proof)))) return fail(of, DATA_MISSING);
    set(of, { status: "AVAILABLE", failure: null, sizeBytes: await sizeOf(folderOf(of)) });
  }

  async function clear(of: Place): Promise<void> {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await drop(folderOf(of));
  }

  return {
    find: (place: Place) => stored.get(keyOf(place)),
    list: (): readonly StoredSnapshot[] => [...stored.values()],
    folderOf,
    fail,
    /** With `CREATING`. */
    make(of: Place & Pick<StoredSnapshot, "type" | "version">): StoredSnapshot {
      const empty = { failure: null, sizeBytes: null, isRemoved: false };
      const made: StoredSnapshot = { ...of, ...empty, status: "CREATING" };
      stored.put(keyOf(of), made);
      return made;
    },
    /** @param data of a server that does not run */
    async copy(of: Place, data: string, proof: string): Promise<void> {
      await clear(of);
      try {
        if (await exists(data)) await cp(data, folderOf(of), { recursive: true });
        await complete(of, proof);
      } catch (error) {
        await drop(folderOf(of));
        throw error;
      }
    },
    /** Takes the data itself. After a crash, it may have been taken already. */
    async take(of: Place, data: string, proof: string): Promise<void> {
      if (await exists(data)) {
        await clear(of);
        await rename(data, folderOf(of));
      }
      await complete(of, proof);
    },
    hide: (place: Place) => set(place, { isRemoved: true }),
    async remove(place: Place): Promise<void> {
      await drop(folderOf(place));
      stored.delete(keyOf(place));
    },
  };
}

export function viewSnapshot(of: StoredSnapshot | undefined): SnapshotMessage | null {
  if (of === undefined || of.isRemoved) return null;
  const { token, status, failure, sizeBytes } = of;
  return { token, status, failure, sizeBytes };
}
