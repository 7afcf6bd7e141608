/**
 * Values that are kept for long, sealed with the newest at-rest key. Values of the first key are as `aead.ts` makes
 * them. Values of later keys begin with the id of their key:
 *
 *     format 2 │ key id 8 │ the output of `sealValue`
 */
import { openValue, sealValue } from "./aead.ts";
import { AT_REST_PURPOSE, type AtRestKeyFile, type AtRestKeys } from "./keys/at-rest-keys.ts";
import type { Secret } from "./secret.ts";
import { SealingError } from "./sealing-error.ts";

const NAMED = 2;
const UNNAMED = 1;
const ID_BYTES = 8;

/** Seals values that Slipway must be able to read for long, such as the tokens of git integrations. */
export type AtRestSealing = {
  /**
   * `associated` says where the value belongs (organization, integration, …). Opening needs the same list.
   * @throws TypeError for a value with a lone surrogate
   */
  seal(associated: readonly string[], value: Secret): Promise<Uint8Array<ArrayBuffer>>;
  /** @throws SealingError `TAMPERED`, also when the key that sealed it is missing. */
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
        `A value sealed at rest cannot be opened: it was changed or moved, or ${file} in the SLIPWAY_SEALING_KEYS ` +
          "folder is not the key it was sealed with. Restore that file, or enter the value again.",
      );
    },
  };
}

/** The prefix of all values that this key sealed, and of no others. */
export function prefixOf({ id }: AtRestKeyFile): Uint8Array {
  return id === null ? Uint8Array.of(UNNAMED) : Uint8Array.from([NAMED, ...Buffer.from(id, "hex")]);
}
