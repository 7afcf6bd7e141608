/** A network that lets programs out by a proxy only. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { makeCertificate } from "../helpers/customers/certificates.ts";
import { type CommandLine, createCommandLine } from "./command-line.ts";

const SDK = path.join(import.meta.dirname, "../../sdk/src/index.ts");
const HOST = "slipway.proxied.invalid";
const CALLER = {
  organization: { id: "org_1", name: "Acme" },
  user: { email: "a@acme.example", name: "A", role: "admin" },
  apiKey: null,
  cloud: "sandbox",
};

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe("behind a proxy", () => {
  let cli: CommandLine;
  let ca: string;
  const servers: Server[] = [];
  let http: Server;
  let proxyUrl: string;
  /** What the proxy was asked for, and how its client signed in. */
  const asked: (readonly [target: string, authorization: string | undefined])[] = [];

  before(async () => {
    cli = await createCommandLine();
    const pair = makeCertificate(30, HOST);
    ca = path.join(cli.home, "ca.pem");
    await writeFile(ca, pair.cert);
    const answer = (
      _request: unknown,
      response: { end: (text: string) => void; setHeader: (name: string, value: string) => void },
    ): void => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(CALLER));
    };
    http = createServer(answer);
    const https = createTlsServer(pair, answer);
    // Names are resolved by the proxy: here all of them are these two servers.
    const proxy = createServer((incoming, response) => {
      asked.push([incoming.url ?? "", incoming.headers["proxy-authorization"]]);
      const { pathname } = new URL(incoming.url ?? "");
      const { method, headers } = incoming;
      incoming.pipe(
        request({ port: portOf(http), path: pathname, method, headers }, (from) => {
          response.writeHead(from.statusCode ?? 502, from.headers);
          from.pipe(response);
        }),
      );
    });
    proxy.on("connect", (incoming, socket) => {
      asked.push([incoming.url ?? "", incoming.headers["proxy-authorization"]]);
      const to = connect(portOf(incoming.url?.endsWith(":443") === true ? https : http), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        to.pipe(socket).pipe(to);
      });
      socket.on("error", () => to.destroy());
      to.on("error", () => socket.destroy());
    });
    servers.push(http, https, proxy);
    for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
    proxyUrl = `http://127.0.0.1:${portOf(proxy)}`;
  });
  after(async () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    await cli.dispose();
  });
  beforeEach(() => void asked.splice(0));

  const whoami = async (url: string, env: Readonly<Record<string, string>>) =>
    await cli.run(["whoami", "--json"], {
      env: { SLIPWAY_URL: url, SLIPWAY_TOKEN: "any", NODE_EXTRA_CA_CERTS: ca, ...env },
    });

  const ways: Record<string, readonly [url: string, env: () => Record<string, string>, target: RegExp]> = {
    HTTPS_PROXY: [`https://${HOST}`, () => ({ HTTPS_PROXY: proxyUrl }), /^slipway[.]proxied[.]invalid:443$/],
    "https_proxy without its scheme": [
      `https://${HOST}`,
      () => ({ https_proxy: proxyUrl.replace("http://", ""), NO_PROXY: "other.invalid" }),
      /:443$/,
    ],
    HTTP_PROXY: [`http://${HOST}`, () => ({ HTTP_PROXY: proxyUrl }), /slipway[.]proxied[.]invalid/],
  };
  for (const [name, [url, env, target]] of Object.entries(ways)) {
    it(`the command line goes by ${name}`, async () => {
      const ended = await whoami(url, env());
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal(ended.json().organization.name, "Acme");
      assert.equal(asked.length, 1);
      assert.match(asked[0]?.[0] ?? "", target);
    });
  }

  it("the command line signs in at the proxy", async () => {
    const own = proxyUrl.replace("//", "//us%40er:pa%23ss@");
    const ended = await whoami(`https://${HOST}`, { HTTPS_PROXY: own });
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(asked[0]?.[1], `Basic ${Buffer.from("us@er:pa#ss").toString("base64")}`);
  });

  it("NO_PROXY and this machine are reached without it", async () => {
    const excepted = await whoami(`https://${HOST}`, { HTTPS_PROXY: proxyUrl, NO_PROXY: ".proxied.invalid" });
    assert.deepEqual([excepted.code, excepted.error().code], [7, "UNREACHABLE"]);
    const local = await whoami(`http://127.0.0.1:${portOf(http)}`, {
      HTTP_PROXY: proxyUrl,
      HTTPS_PROXY: proxyUrl,
    });
    assert.equal(local.code, 0, local.stderr);
    assert.deepEqual(asked, []);
  });

  it("an address that cannot be a proxy's is refused by its name", async () => {
    const ended = await whoami(`https://${HOST}`, { HTTPS_PROXY: "socks5://user:hidden@127.0.0.1:1" });
    assert.equal(ended.code, 7);
    assert.match(ended.error().message, /HTTPS_PROXY must be the address of an HTTP proxy/);
    assert.doesNotMatch(ended.stderr, /hidden/);
  });

  it("the SDK uses it, and does not change the other requests of its process", async () => {
    const script = `
      import { Slipway } from ${JSON.stringify(SDK)};
      const slipway = new Slipway({ url: "https://${HOST}", token: "any" });
      const { organization } = await slipway.me.get();
      const own = await fetch("http://${HOST}/own").then(() => "proxied", () => "direct");
      console.log(organization.name, own);`;
    const env = { ...process.env, HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl, NODE_EXTRA_CA_CERTS: ca };
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      env,
    });
    assert.equal(stdout, "Acme direct\n");
    assert.deepEqual(
      asked.map(([target]) => target),
      [`${HOST}:443`],
    );
  });
});
