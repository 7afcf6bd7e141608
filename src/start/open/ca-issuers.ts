/** The names by which CAA records (RFC 8659) allow a CA that is known by its ACME directory. */
import { request } from "node:https";
import { once } from "node:events";
import { json } from "node:stream/consumers";
import { rootCertificates } from "node:tls";
import { getDomain } from "tldts";
import { Type } from "typebox";
import { Value } from "typebox/value";

const Directory = Type.Object({ meta: Type.Object({ caaIdentities: Type.Array(Type.String()) }) });
const TIMEOUT_MS = 5_000;

/**
 * Asks the directory (RFC 8555, section 7.1.1). For a CA that does not say, or does not answer now, it is the domain of
 * the directory, as with Let's Encrypt.
 * @param caPem the CA that signed the directory's own certificate; null: a public one
 */
export async function findCaaIssuers(directory: string, caPem: string | null): Promise<readonly string[]> {
  const found = await readDirectory(directory, caPem).catch(() => null);
  if (Value.Check(Directory, found) && found.meta.caaIdentities.length > 0) return found.meta.caaIdentities;
  const { hostname } = new URL(directory);
  return [getDomain(hostname) ?? hostname];
}

async function readDirectory(directory: string, caPem: string | null): Promise<unknown> {
  const asked = request(directory, {
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(caPem === null ? {} : { ca: [...rootCertificates, caPem] }),
  });
  asked.end();
  const [answer] = await once(asked, "response");
  return await json(answer);
}
