/** The answers to challenges, for the edge and the DNS: of orders under way, and of Slipway's own probes. */
import type { Challenges } from "../../../edge/src/challenges.ts";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import { crypto } from "acme-client";
import { normalizeName } from "../dns/names.ts";
import type { KeptChallenge } from "./name-state.ts";

export type Answers = Challenges & {
  /**
   * Puts the answer of an order in place.
   * @param owner the order's name and account; a later challenge of the same owner replaces this one
   * @param textName where the text of dns-01 is
   */
  put(owner: string, name: string, textName: string, challenge: KeptChallenge): Promise<void>;
  remove(owner: string): void;
  /** An answer that is there until the result is disposed of. */
  probeHttp(name: string, token: string): Disposable;
  probeAlpn(name: string, keyAuthorization: string): Promise<Disposable>;
  probeText(textName: string, text: string): Disposable;
};

type Placed =
  | { readonly kind: "http"; readonly key: string; readonly body: string }
  | { readonly kind: "alpn"; readonly key: string; readonly pair: KeyPair }
  | { readonly kind: "text"; readonly key: string; readonly text: string };

export function createAnswers(): Answers {
  const byOwner = new Map<string, Placed>();
  /** By kind and key; several orders can have answers at one place. */
  const byPlace = new Map<string, Set<Placed>>();
  let probes = 0;

  const placeOf = ({ kind, key }: Pick<Placed, "kind" | "key">) => `${kind} ${key}`;
  function remove(owner: string): void {
    const placed = byOwner.get(owner);
    if (placed === undefined) return;
    byOwner.delete(owner);
    const at = placeOf(placed);
    const there = byPlace.get(at);
    there?.delete(placed);
    if (there?.size === 0) byPlace.delete(at);
  }
  function place(owner: string, placed: Placed): void {
    remove(owner);
    byOwner.set(owner, placed);
    const at = placeOf(placed);
    byPlace.set(at, (byPlace.get(at) ?? new Set()).add(placed));
  }
  function probe(placed: Placed): Disposable {
    const owner = `probe ${(probes += 1)}`;
    place(owner, placed);
    return { [Symbol.dispose]: () => remove(owner) };
  }
  const at = (kind: Placed["kind"], key: string): readonly Placed[] => [
    ...(byPlace.get(placeOf({ kind, key })) ?? []),
  ];

  return {
    async put(owner, name, textName, { type, token, keyAuthorization }) {
      switch (type) {
        case "http-01":
          return place(owner, { kind: "http", key: `${name}/${token}`, body: keyAuthorization });
        case "tls-alpn-01":
          return place(owner, { kind: "alpn", key: name, pair: await alpnPairOf(name, keyAuthorization) });
        case "dns-01":
          return place(owner, { kind: "text", key: normalizeName(textName), text: keyAuthorization });
      }
    },
    remove,
    probeHttp: (name, token) => probe({ kind: "http", key: `${name}/${token}`, body: token }),
    probeAlpn: async (name, keyAuthorization) =>
      probe({ kind: "alpn", key: name, pair: await alpnPairOf(name, keyAuthorization) }),
    probeText: (textName, text) => probe({ kind: "text", key: normalizeName(textName), text }),

    httpAnswer(hostName, token) {
      const [found] = at("http", `${normalizeName(hostName)}/${token}`);
      return found?.kind === "http" ? found.body : null;
    },
    alpnPair(hostName) {
      // The latest: a probe is short, and the CA's check may begin during it.
      const found = at("alpn", normalizeName(hostName)).at(-1);
      return found?.kind === "alpn" ? found.pair : null;
    },
    txtAt: (name) =>
      at("text", normalizeName(name)).flatMap((found) => (found.kind === "text" ? [found.text] : [])),
  };
}

/** A self-signed certificate with the extension acmeIdentifier (RFC 8737, 3). */
async function alpnPairOf(name: string, keyAuthorization: string): Promise<KeyPair> {
  const authorization = { identifier: { type: "dns", value: name } };
  const [key, certificate] = await crypto.createAlpnCertificate(
    authorization as never,
    keyAuthorization,
    await crypto.createPrivateEcdsaKey(),
  );
  return { certificatePem: certificate.toString(), privateKeyPem: key.toString() };
}
