/** The part of a backup that is the folder of an own server. */
import { existsSync } from "node:fs";
import type { CopySource } from "../../db/copy/write-rows.ts";
import type { HostVault } from "../../sealing/vault.ts";
import { draftHost, type HostDraft, isHostTable } from "../../start/own-server/back-up.ts";
import { OperatorError } from "../../lib/operator-error.ts";

export type OwnServerPart = {
  /** The rest of the backup. Its tables have to be read first. */
  readonly source: CopySource;
  /** Opens what is sealed in the folder. @returns how many keys of certificates there are. @throws SealingError */
  openAll(vault: HostVault | null): number;
  /** Removes what was made. */
  discard(): Promise<void>;
};

/**
 * Writes the tables of the server's folder there, and passes on the others.
 * @param isPublished whether the folder gets its name, before the database gets its rows for good
 */
export function takeOwnServer(from: CopySource, folder: string, isPublished: boolean): OwnServerPart {
  let draft: HostDraft | null = null;
  async function* tables() {
    for await (const table of from.tables()) {
      if (!isHostTable(table.name)) {
        yield table;
        continue;
      }
      if (existsSync(folder))
        throw new OperatorError(
          `There is a folder ${folder}, and a restore does not replace it. Set SLIPWAY_DATA_DIR to another folder, or move this one away.`,
        );
      draft ??= await draftHost(folder);
      await draft.write(table);
    }
  }
  return {
    source: {
      tables,
      async sequences() {
        const found = await from.sequences();
        if (isPublished) await draft?.publish();
        return found;
      },
    },
    openAll: (vault) => (draft === null || vault === null ? 0 : draft.openAll(vault)),
    discard: async () => await draft?.discard(),
  };
}
