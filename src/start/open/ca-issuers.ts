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
/** How long a CA that did not answer is not asked again. */
const RETRY_MS = 60_000;

/**
 * Asks each directory (RFC 8555, section 7.1.1) when the names are first needed, so that no start waits for a CA. For a
 * CA that does not say, or until it answers, it is the domain of the directory, as with Let's Encrypt.
 * @param caPem the CA that signed the directories' own certificates; null: a public one
 * @param nowMs a monotonic clock
 */
export function createCaaIssuers(
  directories: readonly string[],
  caPem: string | null,
  nowMs: () => number = () => performance.now(),
): () => Promise<readonly string[]> {
  const each = directories.map((directory) => rememberIssuers(directory, caPem, nowMs));
  return async () => [...new Set((await Promise.all(each.map((issuers) => issuers()))).flat())];
}

function rememberIssuers(
  directory: string,
  caPem: string | null,
  nowMs: () => number,
): () => Promise<readonly string[]> {
  const { hostname } = new URL(directory);
  const usual = [getDomain(hostname) ?? hostname];
  let askAtMs = -Infinity;
  let asked = Promise.resolve<readonly string[]>(usual);
  return () => {
    if (nowMs() < askAtMs) return asked;
    askAtMs = nowMs() + RETRY_MS;
    asked = readIssuers(directory, caPem).then(
      (found) => {
        askAtMs = Infinity;
        return found.length > 0 ? found : usual;
      },
      () => usual,
    );
    return asked;
  };
}

/** Empty if the CA does not say. @throws Error if it does not answer with its directory */
async function readIssuers(directory: string, caPem: string | null): Promise<readonly string[]> {
  const asked = request(directory, {
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(caPem === null ? {} : { ca: [...rootCertificates, caPem] }),
  });
  asked.end();
  const [answer] = await once(asked, "response");
  const found = await json(answer);
  if (answer.statusCode !== 200) throw new Error(`The directory answers ${answer.statusCode}.`);
  return Value.Check(Directory, found) ? found.meta.caaIdentities : [];
}
