import { connect } from "node:tls";
import { LRUCache } from "lru-cache";
import type { Budget } from "./ask.ts";

export type Edge = {
  /**
   * Which addresses lead to the edge that serves a target. A distribution's addresses differ from place to place, so a
   * provider that flattens a record may show others than our resolvers do. Never rejects; ends with the budget.
   */
  findLeading(addresses: readonly string[], target: Target, budget: Budget): Promise<readonly string[]>;
};

/** A host name, and addresses that it is known to have. */
type Target = { readonly name: string; readonly addresses: readonly string[] };
/** Of a certificate that is valid for the target's name. */
type Peer = { readonly isTrusted: boolean; readonly fingerprint: string };

const HANDSHAKE_MS = 1_500;
const MAX_ADDRESSES = 8;
const KEPT_MS = { leading: 60 * 60_000, other: 60_000 };
const MAX_KEPT = 10_000;

/**
 * Asks addresses by TLS for the target's name. Only its provider has a trusted certificate for that name; where the
 * authority is not trusted here, as in the sandbox, it must be the certificate that the target itself shows.
 */
export function createEdge(parts: {
  readonly port: number;
  /** Whether an address, which a customer chose, may be dialled. */
  readonly mayDial: (address: string) => boolean;
}): Edge {
  const kept = new LRUCache<string, boolean>({ max: MAX_KEPT });

  async function isLeading(address: string, target: Target, budget: Budget): Promise<boolean> {
    const key = `${address} ${target.name}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const verdict = await judge(address, target, budget);
    kept.set(key, verdict, { ttl: verdict ? KEPT_MS.leading : KEPT_MS.other });
    return verdict;
  }

  async function judge(address: string, { name, addresses }: Target, budget: Budget): Promise<boolean> {
    const peer = await askPeer(address, name, budget);
    if (peer === null || peer.isTrusted) return peer !== null;
    const [own = ""] = addresses;
    return (await askPeer(own, name, budget))?.fingerprint === peer.fingerprint;
  }

  function askPeer(host: string, servername: string, { deadlineAt }: Budget): Promise<Peer | null> {
    if (!parts.mayDial(host)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const timeoutMs = Math.max(1, Math.min(HANDSHAKE_MS, deadlineAt - performance.now()));
      const socket = connect({ host, port: parts.port, servername, rejectUnauthorized: false });
      const end = (peer: Peer | null): void => {
        clearTimeout(timer);
        socket.destroy();
        resolve(peer);
      };
      const timer = setTimeout(() => end(null), timeoutMs);
      socket.on("error", () => end(null));
      socket.on("close", () => end(null));
      socket.on("secureConnect", () => {
        const certificate = socket.getPeerX509Certificate();
        const isForTarget = certificate?.checkHost(servername) !== undefined;
        const fingerprint = certificate?.fingerprint256 ?? "";
        end(isForTarget ? { isTrusted: socket.authorized, fingerprint } : null);
      });
    });
  }

  return {
    async findLeading(addresses, target, budget) {
      const asked = addresses.slice(0, MAX_ADDRESSES);
      const verdicts = await Promise.all(asked.map((address) => isLeading(address, target, budget)));
      return asked.filter((_, index) => verdicts[index]);
    },
  };
}
