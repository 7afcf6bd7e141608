/**
 * Sealed values of variable runs. Each run has its own random AES-256 key, wrapped once by HPKE to the current epoch's
 * public key. Each value is sealed with the run key and bound to its organization, scope, run, name, kind and
 * generation. So a run costs one public-key operation, not one for each value. Destroying the epoch's private key makes
 * all copies of the values unreadable, wherever they are stored.
 */
import { randomFillSync } from "node:crypto";
import { HpkeError } from "@hpke/core";
import { type AssociatedFields, encodeFields, KEY_BYTES, openValue, sealValue } from "./aead.ts";
import { hpkeSuite, type SealingKeys } from "./keys/epoch-keys.ts";
import type { Secret } from "./secret.ts";
import { SealingError } from "./sealing-error.ts";

/** Nenc of DHKEM(X25519), RFC 9180 section 7.1. */
const ENCAPSULATED_BYTES = 32;
const WRAPPED_BYTES = ENCAPSULATED_BYTES + KEY_BYTES + 16;

/** `scopeId` is the environment or service whose variables the run sets. */
export type RunIdentity = {
  readonly organizationId: string;
  readonly scopeId: string;
  readonly runId: string;
};

export type ItemIdentity = { readonly name: string; readonly kind: string; readonly generation: number };

type SealedItem = { readonly name: string; readonly sealed: Uint8Array<ArrayBuffer> };

/** The sealed key of a run, stored in the run's row. */
type WrappedRunKey = { readonly epochId: string; readonly wrappedKey: Uint8Array };

export type SealedRun = {
  readonly epochId: string;
  readonly wrappedKey: Uint8Array<ArrayBuffer>;
  readonly items: readonly SealedItem[];
};

/** A run with its key open in memory. Close it, or declare it with `using`. */
type OpenedRun = {
  /** @throws SealingError `TAMPERED` */
  openItem(item: ItemIdentity, sealed: Uint8Array): Promise<Secret>;
  /** Erases the run key. */
  close(): void;
  [Symbol.dispose](): void;
};

export type RunSealing = {
  /**
   * Seals all values of a run, for one row (`epochId`, `wrappedKey`) and one row for each item.
   * @throws SealingError `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT`; TypeError for a value with a lone surrogate
   */
  sealRun(
    run: RunIdentity,
    items: readonly (ItemIdentity & { readonly value: Secret })[],
  ): Promise<SealedRun>;
  /** @throws SealingError `KEY_DESTROYED`, `TAMPERED`, `KEY_FOLDER_UNUSABLE`, `KEY_FILE_CORRUPT` */
  openRun(run: RunIdentity, wrapped: WrappedRunKey): Promise<OpenedRun>;
  /** `openRun` for a single value. */
  openItem(run: RunIdentity, wrapped: WrappedRunKey, item: ItemIdentity, sealed: Uint8Array): Promise<Secret>;
};

export function createRunSealing(keys: SealingKeys): RunSealing {
  const suite = hpkeSuite();

  async function openRun(run: RunIdentity, { epochId, wrappedKey }: WrappedRunKey): Promise<OpenedRun> {
    const recipientKey = await keys.open(epochId);
    if (recipientKey === null) throw destroyed(run, epochId);
    if (wrappedKey.length !== WRAPPED_BYTES) throw tampered(`The key of run ${run.runId}`);
    const enc = wrappedKey.slice(0, ENCAPSULATED_BYTES);
    const ciphertext = wrappedKey.slice(ENCAPSULATED_BYTES);
    try {
      const opened = await suite.open({ recipientKey, enc }, ciphertext, runFields(run, epochId));
      return openedRun(run, new Uint8Array(opened));
    } catch (cause) {
      if (cause instanceof HpkeError) throw tampered(`The key of run ${run.runId}`, cause);
      throw cause;
    }
  }

  return {
    async sealRun(run, items) {
      const { epochId, publicKey } = await keys.current();
      const runKey = randomFillSync(new Uint8Array(KEY_BYTES));
      try {
        const wrapped = await suite.seal({ recipientPublicKey: publicKey }, runKey, runFields(run, epochId));
        return {
          epochId,
          wrappedKey: new Uint8Array(Buffer.concat([Buffer.from(wrapped.enc), Buffer.from(wrapped.ct)])),
          items: items.map((item) => ({
            name: item.name,
            sealed: sealValue(runKey, itemFields(run, item), item.value),
          })),
        };
      } finally {
        runKey.fill(0);
      }
    },

    openRun,

    async openItem(run, wrapped, item, sealed) {
      using opened = await openRun(run, wrapped);
      return await opened.openItem(item, sealed);
    },
  };
}

function openedRun(run: RunIdentity, runKey: Uint8Array): OpenedRun {
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    runKey.fill(0);
  };
  return {
    async openItem(item, sealed) {
      if (isClosed) throw new Error(`Run ${run.runId} was closed; open it again.`);
      const value = openValue(runKey, itemFields(run, item), sealed);
      if (value === null) throw tampered(`The sealed value of ${item.name} in run ${run.runId}`);
      return value;
    },
    close,
    [Symbol.dispose]: close,
  };
}

function runFields(run: RunIdentity, epochId: string): Buffer {
  return encodeFields(["slipway run key 1", run.organizationId, run.scopeId, run.runId, epochId]);
}

function itemFields(run: RunIdentity, item: ItemIdentity): AssociatedFields {
  return [
    "slipway run value 1",
    run.organizationId,
    run.scopeId,
    run.runId,
    item.name,
    item.kind,
    String(item.generation),
  ];
}

function destroyed(run: RunIdentity, epochId: string): SealingError {
  return new SealingError(
    "KEY_DESTROYED",
    `The values of run ${run.runId} can no longer be opened: sealing key ${epochId} was destroyed. Send them ` +
      "again. If the run is younger than a day, check that all processes share one SLIPWAY_SEALING_KEYS folder.",
  );
}

function tampered(what: string, cause?: unknown): SealingError {
  return new SealingError(
    "TAMPERED",
    `${what} cannot be opened: it was changed or belongs elsewhere.`,
    cause === undefined ? undefined : { cause },
  );
}
