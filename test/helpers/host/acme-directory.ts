/** Pebble's directory with what CAs for the public say in it, and Pebble does not: by which name CAA records allow them. */
import { request } from "node:https";
import { createServer } from "node:https";
import { once } from "node:events";
import { json } from "node:stream/consumers";
import {
  createCertificateAuthority,
  createRoot,
} from "../../../sandbox/src/certificates/certificate-authority.ts";
import type { Pebble } from "./pebble.ts";

export type AcmeDirectory = {
  readonly url: string;
  /** The CAs of this server and of Pebble's own. */
  readonly caPem: string;
  stop(): Promise<void>;
};

export async function startAcmeDirectory(
  pebble: Pebble,
  caaIdentities: readonly string[],
): Promise<AcmeDirectory> {
  const ca = createCertificateAuthority(createRoot(new Date()));
  const pair = ca.issue(["localhost"], new Date(), new Date(Date.now() + 86_400_000));
  const read = async (): Promise<object> => {
    const asked = request(pebble.directory, { ca: pebble.caPem, agent: false });
    asked.end();
    const [answer] = await once(asked, "response");
    const directory = (await json(answer)) as { readonly meta: object };
    return { ...directory, meta: { ...directory.meta, caaIdentities } };
  };
  const server = createServer(
    { cert: pair.certificatePem, key: pair.privateKeyPem },
    (_request, response) => {
      read().then(
        (directory) =>
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(directory)),
        () => response.writeHead(502).end(),
      );
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The directory listens on no port.");
  return {
    url: `https://localhost:${address.port}/dir`,
    caPem: `${ca.certificatePem}\n${pebble.caPem}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
