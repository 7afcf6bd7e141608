/** Pebble's directory with what CAs for the public say in it, and Pebble does not: by which name CAA records allow them. */
import { once } from "node:events";
import { request } from "node:https";
import { json } from "node:stream/consumers";
import { TEST_CERTIFICATE } from "../git/certificate.ts";
import { startLocalServer } from "../git/local-server.ts";
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
  const read = async (): Promise<object> => {
    const asked = request(pebble.directory, { ca: pebble.caPem, agent: false });
    asked.end();
    const [answer] = await once(asked, "response");
    const directory = (await json(answer)) as { readonly meta: object };
    return { ...directory, meta: { ...directory.meta, caaIdentities } };
  };
  const server = await startLocalServer("https", (_request, response) => {
    read().then(
      (directory) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(directory)),
      () => response.writeHead(502).end(),
    );
  });
  return {
    url: `https://localhost:${server.port}/dir`,
    caPem: `${TEST_CERTIFICATE}\n${pebble.caPem}`,
    stop: () => server.close(),
  };
}
