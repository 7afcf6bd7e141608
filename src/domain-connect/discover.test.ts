import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import { parseAllowedHosts } from "../egress/address-rules.ts";
import { createSafeFetch } from "../egress/safe-fetch.ts";
import { addressOf, createDiscovery } from "./discover.ts";

const SETTINGS = "/v2/example.com/settings";
const template = (id: string) => `/v2/domainTemplates/providers/slipway.example/services/${id}`;

describe("discovery", () => {
  const started: (() => void)[] = [];
  afterEach(() => {
    for (const stop of started.splice(0)) stop();
  });

  async function listen(handle: RequestListener): Promise<string> {
    const server = createServer(handle).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    started.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** A provider that answers what is given for a path, and 404 otherwise. */
  const provide = (answers: (self: string) => Readonly<Record<string, unknown>>) => {
    const asked: string[] = [];
    return listen((request, response) => {
      asked.push(request.url ?? "");
      const answer = answers(request.headers.host ?? "")[request.url ?? ""];
      response.statusCode = answer === undefined ? 404 : 200;
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? {}));
    }).then((host) => ({ host, asked }));
  };
  const settings = (self: string) => ({
    providerId: "dns.example",
    providerName: "DNS Inc.",
    providerDisplayName: "DNS for all\u202E",
    urlSyncUX: `http://${self}/ui/`,
    urlAPI: `http://${self}`,
    urlControlPanel: `http://${self}/panel?zone=%domain%`,
  });

  function discover(texts: readonly string[] | null, { isSandbox = true, totalTimeoutMs = 3_000 } = {}) {
    return createDiscovery({
      providerId: "slipway.example",
      dns: { findTexts: () => Promise.resolve(texts) },
      allowsLoopback: isSandbox,
      exchange: createSafeFetch({
        allowedHosts: parseAllowedHosts([]),
        allowsLoopback: isSandbox,
        totalTimeoutMs,
      }),
    });
  }

  it("finds a provider that knows our template, once for all domains of a zone", async () => {
    const { host, asked } = await provide((self) => ({
      [SETTINGS]: settings(self),
      [template("custom-domain")]: { version: 1 },
    }));
    const find = discover([host]);
    const offer = {
      providerName: "DNS for all",
      applyAt: `http://${host}/ui`,
      panelUrl: `http://${host}/panel?zone=example.com`,
    };
    const both = [find("example.com", "domain"), find("example.com", "domain")];
    assert.deepEqual(await Promise.all(both), [offer, offer]);
    assert.deepEqual(asked, [SETTINGS, template("custom-domain")]);
    assert.deepEqual(await find("example.com", "apex"), { ...offer, applyAt: null }, "another template");
    await find("example.com", "domain", { isFresh: true });
    assert.equal(asked.filter((path) => path === SETTINGS).length, 2, "a fresh look asks again");
  });

  it("finds nothing without a text, with several, with a text that is not an address, and with a stale text", async () => {
    const { host } = await provide(() => ({}));
    for (const texts of [
      [],
      [host, host],
      ["https://x.example"],
      ["a b"],
      ["user@x.example"],
      ["x?y"],
      [host],
    ])
      assert.equal(await discover(texts)("example.com", "domain"), null, texts.join());
  });

  it("cannot find out when the DNS or the provider fails now, and asks again", async () => {
    assert.equal(await discover(null)("example.com", "domain"), undefined);
    let isBroken = true;
    const host = await listen((_request, response) => {
      response.statusCode = isBroken ? 503 : 404;
      response.end();
    });
    const find = discover([host]);
    assert.equal(await find("example.com", "domain"), undefined);
    isBroken = false;
    assert.equal(await find("example.com", "domain"), null);
  });

  it("asks no host inside the network", async () => {
    let isAsked = false;
    const inside = await listen((_request, response) => {
      isAsked = true;
      response.end();
    });
    for (const text of [inside, "169.254.169.254", "10.0.0.1/admin", "localhost:80"])
      assert.equal(await discover([text], { isSandbox: false })("example.com", "domain"), null, text);
    assert.equal(isAsked, false);
    // A provider of the sandbox cannot lead elsewhere inside either.
    const { host } = await provide((self) => ({
      [SETTINGS]: { ...settings(self), urlAPI: "https://10.0.0.1" },
    }));
    assert.equal((await discover([host])("example.com", "domain"))?.applyAt, null);
  });

  it("follows no redirect", async () => {
    const host = await listen((_request, response) => {
      response.writeHead(302, { location: "/elsewhere" });
      response.end();
    });
    assert.equal(await discover([host])("example.com", "domain"), null);
  });

  it("reads no endless answer", async () => {
    const host = await listen((_request, response) => {
      const more = (): void => void (response.destroyed || response.write("x".repeat(16_384), more));
      more();
    });
    assert.equal(await discover([host])("example.com", "domain"), null);
  });

  it("waits for no answer that does not come", async () => {
    const host = await listen(() => undefined);
    const find = discover([host], { totalTimeoutMs: 50 });
    assert.equal(await find("example.com", "domain"), undefined);
  });

  const BAD_SETTINGS: readonly (readonly [what: string, body: unknown, applyAt: null | undefined])[] = [
    ["no JSON", "<html>", undefined],
    ["a list", "null", undefined],
    ["no address of its API", { urlAPI: undefined }, undefined],
    ["an address of another scheme", { urlAPI: "ftp://dns.example" }, undefined],
    ["an address with a password", { urlAPI: "https://a:b@dns.example" }, undefined],
    ["no page for owners", { urlSyncUX: undefined }, null],
    ["a page that is a script", { urlSyncUX: "javascript:alert(1)" }, null],
    ["a page with a query", { urlSyncUX: "https://dns.example/?a=b" }, null],
    ["no name", { providerId: "", providerName: 1, providerDisplayName: " " }, undefined],
  ];
  for (const [what, body, applyAt] of BAD_SETTINGS) {
    it(`offers nothing where the settings have ${what}`, async () => {
      const { host } = await provide((self) => ({
        [SETTINGS]: typeof body === "string" ? body : { ...settings(self), ...(body as object) },
        [template("custom-domain")]: {},
      }));
      const offer = await discover([host])("example.com", "domain");
      assert.equal(offer === null ? undefined : offer?.applyAt, applyAt);
    });
  }

  it("takes an authority with a path, over HTTPS but for the sandbox on this machine", () => {
    assert.equal(addressOf("dns.example/a/b/", false), "https://dns.example/a/b");
    assert.equal(addressOf("127.0.0.1:80/a", false), "https://127.0.0.1:80/a");
    assert.equal(addressOf("127.0.0.1:80/a", true), "http://127.0.0.1:80/a");
    assert.equal(addressOf("dns.example:8443", true), "https://dns.example:8443");
    assert.equal(addressOf("dns.example:99999", true), null);
  });
});
