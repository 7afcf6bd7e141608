import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { callbackify } from "node:util";
import { LRUCache } from "lru-cache";
import type { KeyPair } from "./key-pair.ts";
import { plainName } from "./requests.ts";

type SniCallback = (serverName: string, done: (error: Error | null, context?: SecureContext) => void) => void;

export type Contexts = {
  /** Refuses a handshake for a name for which `pairFor` has nothing. */
  callback(pairFor: (name: string) => KeyPair | null | Promise<KeyPair | null>): SniCallback;
};

const MAX_CACHED_CONTEXTS = 1_000;
/** RFC 1035, section 2.3.4. */
const NAME_MAX_OCTETS = 253;

/** Certificates as TLS uses them. The last used are kept ready. */
export function createContexts(): Contexts {
  /** By certificate. */
  const contexts = new LRUCache<string, SecureContext>({ max: MAX_CACHED_CONTEXTS });

  function contextOf(pair: KeyPair | null): SecureContext | undefined {
    if (pair === null) return undefined;
    const key = pair.certificatePem;
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const context = createSecureContext({ cert: key, key: pair.privateKeyPem });
    contexts.set(key, context);
    return context;
  }

  return {
    callback: (pairFor) =>
      callbackify(async (serverName: string) => {
        const name = plainName(serverName);
        // RFC 6066, section 3: a server name is not an address.
        const isName = name.length <= NAME_MAX_OCTETS && isIP(name) === 0;
        return contextOf(isName ? await pairFor(name) : null);
      }),
  };
}
