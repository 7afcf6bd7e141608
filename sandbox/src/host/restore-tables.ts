/** Makes an own server's folder from the tables of a backup. */
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { syncFolder } from "../../../src/lib/sync-folder.ts";
import { keySealOf } from "../acme/order.ts";
import type { NameState } from "../acme/name-state.ts";
import { BUILDS_FOLDER } from "../platform/store.ts";
import { isDiskFull, openDocuments } from "../state.ts";
import type { Vault } from "../vault.ts";
import { DOCUMENTS, FILES, type HostTable } from "./host-tables.ts";

export type HostDraft = {
  /** @throws OperatorError when the table is not as Slipway writes it */
  write(table: HostTable): Promise<void>;
  /** Opens what is sealed. @returns how many keys of certificates there are. @throws SealingError */
  openAll(vault: Vault): number;
  /** Gives the folder its name. */
  publish(): Promise<void>;
  /** Removes what was made, also after `publish`. */
  discard(): Promise<void>;
};

export function isHostTable(name: string): boolean {
  return name === DOCUMENTS || name === FILES;
}

/** @param folder must not exist */
export async function draftHost(folder: string): Promise<HostDraft> {
  const draft = `${folder}.unfinished`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const database: DatabaseSync = openDocuments(draft);
  const insert = database.prepare("insert into documents (collection, id, body) values (?, ?, ?)");
  const select = database.prepare("select body from documents where collection = ?");
  /** Made last, so that no file is written through one. */
  const links: { readonly at: string; readonly target: string }[] = [];
  let isOpen = true;
  let isPublished = false;
  const close = (): void => {
    if (isOpen) database.close();
    isOpen = false;
  };

  async function writeRow(name: string, row: readonly unknown[]): Promise<void> {
    if (!row.every((one) => typeof one === "string"))
      throw damaged("a row of it is not as Slipway writes it");
    if (name === DOCUMENTS) {
      const [collection = "", id = "", body = ""] = row;
      insert.run(collection, id, body);
      return;
    }
    const [place = "", part = "", kind = "", mode = "", content = ""] = row;
    const at = path.join(draft, place);
    if (!at.startsWith(path.join(draft, BUILDS_FOLDER) + path.sep))
      throw damaged(`it has a file at ${place}`);
    const permissions = Number.parseInt(mode, 8) & 0o777;
    if (kind === "folder") await mkdir(at, { recursive: true, mode: permissions | 0o700 });
    else if (kind === "link") links.push({ at, target: content });
    else
      await writeFile(at, Buffer.from(content, "base64"), {
        flag: part === "0" ? "wx" : "a",
        mode: permissions,
        flush: true,
      });
  }

  return {
    async write({ name, rows }) {
      for await (const lines of rows) {
        database.exec("begin");
        try {
          for (const line of lines) await writeRow(name, JSON.parse(line) as unknown[]);
        } catch (error) {
          if (error instanceof OperatorError || isOfDisk(error)) throw error;
          throw damaged("a row of it is not as Slipway writes it", error);
        } finally {
          database.exec("commit");
        }
      }
    },
    openAll(vault) {
      const bodies = (collection: string) =>
        select.all(collection).map(({ body }) => JSON.parse(String(body)) as unknown);
      for (const sealed of bodies("vault")) vault.open("check", String(sealed));
      let count = 0;
      for (const { id, certificate } of bodies("acme-names") as readonly NameState[]) {
        if (certificate === null) continue;
        vault.open(keySealOf(id), certificate.sealedKey);
        count += 1;
      }
      return count;
    },
    async publish() {
      for (const { at, target } of links)
        await symlink(target, at).catch((error: unknown) => {
          throw isOfDisk(error) ? error : damaged("a link of it has no place", error);
        });
      close();
      await rename(draft, folder);
      isPublished = true;
      await syncFolder(path.dirname(folder));
    },
    async discard() {
      close();
      for (const made of [draft, ...(isPublished ? [folder] : [])])
        await rm(made, { recursive: true, force: true });
    },
  };
}

/** Not about the content. */
function isOfDisk(error: unknown): boolean {
  if (isDiskFull(error)) return true;
  if (!(error instanceof Error && "code" in error)) return false;
  return ["ENOSPC", "EDQUOT", "EACCES", "EROFS", "EMFILE"].includes(String(error.code));
}

function damaged(what: string, cause?: unknown): OperatorError {
  return new OperatorError(`The server's folder in the backup is damaged: ${what}. Use another backup.`, {
    cause,
  });
}
