import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLogger } from "../../lib/log.ts";
import { composeErrorCatalogue } from "../problems/error-catalogue.ts";
import { createServer } from "../server.ts";
import type { FastifyRequest } from "fastify";
import { sourceAddressOf } from "./source-address.ts";

/** The address that counts as the source of a request from `remoteAddress` with this `X-Forwarded-For`. */
async function sourceOf(
  trustedProxies: readonly string[],
  remoteAddress: string,
  forwardedFor?: string,
): Promise<string> {
  const app = await createServer({
    catalogue: composeErrorCatalogue({ address: "/docs/errors", errors: [], faults: [] }),
    log: createLogger("silent"),
    publicUrl: "http://127.0.0.1:1",
    trustedProxies,
    webhooks: [],
    isSecure: false,
    onServed: () => undefined,
  });
  app.get("/source", (request, reply) => reply.send({ source: sourceAddressOf(request) }));
  const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  const answer = await app.inject({ url: "/source", remoteAddress, headers });
  await app.close();
  return answer.json().source;
}

describe("the source address of a request", () => {
  const PROXIES = ["10.0.0.0/8", "2001:db8::/48"];
  const rows: readonly [string, readonly string[], string, string | undefined, string][] = [
    ["is the connection's if no proxy is trusted", [], "10.0.0.1", "192.0.2.7", "10.0.0.1"],
    ["is the connection's if another proxy is trusted", PROXIES, "198.51.100.9", "192.0.2.7", "198.51.100.9"],
    ["is what a trusted proxy reports", PROXIES, "10.0.0.1", "192.0.2.7", "192.0.2.7"],
    ["is what a trusted proxy reports over IPv6", PROXIES, "2001:db8::1", "2001:db8:1::7", "2001:db8:1::7"],
    [
      "is the last that no trusted proxy reported",
      PROXIES,
      "10.0.0.1",
      "6.6.6.6, 192.0.2.7, 10.2.2.2",
      "192.0.2.7",
    ],
    ["is the proxy's own if it reports nothing", PROXIES, "10.0.0.1", undefined, "10.0.0.1"],
    ["is the proxy's own if it passes on text", PROXIES, "10.0.0.1", "<script>", "10.0.0.1"],
    ["is IPv4 for a mapped address", [], "::ffff:192.0.2.7", undefined, "192.0.2.7"],
    ["is believed of a proxy whose address is mapped", PROXIES, "::ffff:10.0.0.1", "192.0.2.7", "192.0.2.7"],
  ];
  for (const [what, proxies, remote, forwardedFor, expected] of rows) {
    it(what, async () => assert.equal(await sourceOf(proxies, remote, forwardedFor), expected));
  }

  it("is 0.0.0.0 for a client that disconnected", () => {
    const gone = { ip: undefined, socket: { remoteAddress: undefined } } as unknown as FastifyRequest;
    assert.equal(sourceAddressOf(gone), "0.0.0.0");
  });
});
