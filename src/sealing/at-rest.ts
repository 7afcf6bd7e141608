/**
 * Values kept for long, under the newest at-rest key. What the first key sealed is as `aead.ts` makes it; of a later
 * one the value names it before:
 *
 *     format 2 │ key id 8 │ what `sealValue` made
 */
import { openValue, sealValue } from "./aead.ts";
import { AT_REST_PURPOSE, type AtRestKeyFile, type AtRestKeys } from "./keys/at-rest-keys.ts";
import type { Secret } from "./secret.ts";
import { SealingError } from "./sealing-error.ts";

const NAMED = 2;
const UNNAMED = 1;
const ID_BYTES = 8;

/** Seals what must stay readable to Slipway for long, such as the tokens of git integrations. */
export type AtRestSealing = {
  /**
   * `associated` says what the value belongs to (organization, integration, …); opening needs the same list.
   * @throws TypeError for a value with a lone surrogate
   */
  seal(associated: readonly string[], value: Secret): Promise<Uint8Array<ArrayBuffer>>;
  /** @throws SealingError `TAMPERED`, also when the key that it was sealed with is not there. */
  open(associated: readonly string[], sealed: Uint8Array): Promise<Secret>;
};

export function createAtRestSealing(keys: AtRestKeys): AtRestSealing {
  return {
    async seal(associated, value) {
      const key = await keys.current();
      const sealed = sealValue(key.valueKey, [AT_REST_PURPOSE, ...associated], value);
      return key.id === null ? sealed : new Uint8Array(Buffer.concat([prefixOf(key), sealed]));
    },
    async open(associated, sealed) {
      const isNamed = sealed[0] === NAMED;
      const id = isNamed ? Buffer.from(sealed.subarray(1, 1 + ID_BYTES)).toString("hex") : null;
      const key = await keys.find(id);
      const value =
        key === null
          ? null
          : openValue(
              key.valueKey,
              [AT_REST_PURPOSE, ...associated],
              isNamed ? sealed.subarray(1 + ID_BYTES) : sealed,
            );
      if (value !== null) return value;
      const file = id === null ? "at-rest.key" : `at-rest-…-${id}.key`;
      throw new SealingError(
        "TAMPERED",
        `A value sealed at rest does not open: it was changed, or moved, or ${file} in the SLIPWAY_SEALING_KEYS ` +
          "folder is not the key that it was sealed with. Restore that file, or enter the value again.",
      );
    },
  };
}

/** What every value begins with that this key sealed, and none that another did. */
export function prefixOf({ id }: AtRestKeyFile): Uint8Array {
  return id === null ? Uint8Array.of(UNNAMED) : Uint8Array.from([NAMED, ...Buffer.from(id, "hex")]);
}
