/** Where the texts of managed values are: sealed in the server's own documents, or in another store. */
import type { Vault } from "../vault.ts";

/** What a document has in place of the text. */
export type KeptText = string;

export type ValueKeeper = {
  /**
   * Keeps a text. Repeated after a crash, it makes no second version.
   * @param place where the text belongs
   * @param before what is kept there now; null if nothing is
   */
  write(place: string, text: string, before: KeptText | null): Promise<KeptText>;
  read(place: string, kept: KeptText): Promise<string>;
  remove(place: string, kept: KeptText): Promise<void>;
};

/** The text itself, sealed. */
export function keepSealed(vault: Vault): ValueKeeper {
  return {
    write: async (place, text) => vault.seal(place, text),
    read: async (place, kept) => vault.open(place, kept),
    remove: async () => undefined,
  };
}
