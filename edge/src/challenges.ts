import type { KeyPair } from "./key-pair.ts";

/** What the edge answers for a certificate authority that checks who controls a name (RFC 8555, section 8). */
export type Challenges = {
  /** RFC 8555, 8.3: the body for GET /.well-known/acme-challenge/TOKEN at a host; null if there is none. */
  httpAnswer(hostName: string, token: string): string | null;
  /** RFC 8737, 3: what to present in a handshake with the ALPN protocol acme-tls/1; null if there is none. */
  alpnPair(hostName: string): KeyPair | null;
  /** RFC 8555, 8.4: the texts of the TXT records at a name in the zone of delegated challenges; empty if there are none. */
  txtAt(name: string): readonly string[];
};
