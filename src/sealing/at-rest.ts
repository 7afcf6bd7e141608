import { openValue, sealValue } from "./aead.ts";
import type { DeriveKey } from "./at-rest-key.ts";
import type { Secret } from "./secret.ts";
import { SealingError } from "./sealing-error.ts";

/**
 * Seals what must stay readable to Slipway for long, such as the tokens of git integrations. Promises, so
 * that a key service can take the place of the key file.
 */
export type AtRestSealing = {
  /**
   * `associated` says what the value belongs to (organization, integration, …); opening needs the same list.
   * @throws TypeError for a value with a lone surrogate
   */
  seal(associated: readonly string[], value: Secret): Promise<Uint8Array<ArrayBuffer>>;
  /** @throws SealingError `TAMPERED`, also when the installation's key is another one than it was sealed with. */
  open(associated: readonly string[], sealed: Uint8Array): Promise<Secret>;
};

export function createAtRestSealing(deriveKey: DeriveKey): AtRestSealing {
  const purpose = "at-rest value";
  const key = deriveKey(purpose);
  return {
    seal: async (associated, value) => sealValue(key, [purpose, ...associated], value),
    async open(associated, sealed) {
      const value = openValue(key, [purpose, ...associated], sealed);
      if (value !== null) return value;
      throw new SealingError(
        "TAMPERED",
        "A value sealed at rest does not open: it was changed, or moved, or at-rest.key in the SLIPWAY_SEALING_KEYS " +
          "folder is not the key that it was sealed with. Restore that file, or enter the value again.",
      );
    },
  };
}
