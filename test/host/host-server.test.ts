/** The small cloud of an own server: its own names, renewal, the page that connects it, and what it refuses. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { connect as connectTls } from "node:tls";
import { after, before, describe, it } from "node:test";
import { CloudError } from "../../src/cloud/cloud.ts";
import { createSandboxPlatform } from "../../src/cloud/sandbox/platform-adapter.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openKeyFiles } from "../../src/sealing/open-sealing.ts";
import { openHostVault } from "../../src/sealing/vault.ts";
import { EDGE_HOSTNAME } from "../helpers/host/host-instance.ts";
import { type HostFixture, startHostFixture } from "../helpers/host/host-fixture.ts";
import { webWorkload } from "../helpers/sandbox/programs.ts";
import { until } from "../helpers/until.ts";

const DAY_MS = 86_400_000;

describe("the edge of an own server", () => {
  let aheadMs = 0;
  let fixture: HostFixture;
  before(async () => {
    fixture = await startHostFixture({
      isolation: "none",
      clock: { now: () => new Date(Date.now() + aheadMs) },
    });
  });
  after(() => fixture.stop());

  /** The serial number of the certificate that is presented for a name; null if the handshake fails. */
  async function serialOf(name: string): Promise<string | null> {
    const ca = await fixture.pebble.rootPem();
    const socket = connectTls({
      host: "127.0.0.1",
      port: fixture.server.ports.https,
      servername: name,
      ca,
      checkServerIdentity: () => undefined,
    });
    try {
      await once(socket, "secureConnect");
      return socket.getPeerCertificate().serialNumber;
    } catch {
      return null;
    } finally {
      socket.destroy();
    }
  }

  it("gets a certificate for each distribution's own name, until the distribution is deleted", async () => {
    const account = await fixture.connect();
    const made = await fixture.cloud.distributions.create(account, { token: "t", origin: { kind: "none" } });
    assert.match(made.domainName, new RegExp(`^d[0-9a-z]{13}\\.${EDGE_HOSTNAME}$`));
    await until(async () => (await serialOf(made.domainName)) !== null, "the own name is served");
    const { id, etag } = made;
    const off = { aliases: [], certificateId: null, enabled: false, etag };
    const disabled = await fixture.cloud.distributions.update(account, id, off);
    assert.equal(await fixture.cloud.distributions.delete(account, id, disabled.etag), "deleted");
    assert.equal(await serialOf(made.domainName), null);
  });

  it("issues no certificate for a name of the server to an account", async () => {
    const account = await fixture.connect();
    for (const name of [EDGE_HOSTNAME, `x.${EDGE_HOSTNAME}`, `*.${EDGE_HOSTNAME}`]) {
      const asked = fixture.cloud.certificates.request(account, { names: [name], token: name });
      await assert.rejects(asked, (error) => error instanceof CloudError && error.kind === "invalid");
    }
  });

  it("runs no command of a repository without isolation, and says what is missing", async () => {
    assert.match(fixture.server.describeCommands(), /are off: .* Install bubblewrap\./);
    const account = await fixture.connect();
    const platform = createSandboxPlatform({ url: fixture.server.url, secret: fixture.secret });
    await platform.builds.start(account, {
      token: "b",
      service: { serviceId: "svc_1", environmentId: "env_1", region: "us-west-2" },
      workload: webWorkload({ buildCommand: "make" }),
      source: { repoUrl: "https://git.example.com/shop.git", commit: "a".repeat(40), branch: "main" },
      variables: [],
      timeLimitSeconds: 60,
    });
    const ended = await until(async () => {
      const seen = await platform.builds.describe(account, "b");
      return seen?.status === "FAILED" && seen;
    }, "the build fails");
    assert.equal(ended.failure?.code, "COMMANDS_NOT_ISOLATED");
    assert.match(ended.failure.message, /install bubblewrap, or run Slipway as root/);
  });

  it("is connected on its page, with the code of the connection's link only", async () => {
    const { consoleUrl } = fixture.cloud.stackFor("aws_by_page");
    const link = new URL(consoleUrl);
    assert.equal(link.origin, "https://slipway.example.com");
    const at = `${fixture.server.url}${link.pathname}`;
    const page = await (await fetch(`${at}${link.search}`)).text();
    assert.match(page, new RegExp(`<code>${EDGE_HOSTNAME.replaceAll(".", "\\.")}</code>`));
    assert.doesNotMatch(page, /sandbox/i);
    const post = (code: string, headers: Record<string, string> = {}) =>
      fetch(at, {
        method: "POST",
        headers: { authorization: `Bearer ${fixture.secret}`, ...headers },
        body: new URLSearchParams({ ServiceId: "aws_by_page", code }),
        redirect: "manual",
      });
    const code = link.searchParams.get("code") ?? "";
    assert.equal((await post("wrong")).status, 403);
    assert.equal((await post(code, { origin: "https://evil.example" })).status, 403);
    assert.equal((await post(code, { authorization: "Bearer wrong" })).status, 401);
    assert.equal((await post(code)).status, 303);
    await until(
      async () => /is connected/.test(await (await fetch(`${at}${link.search}`)).text()),
      "the page says that it is connected",
    );
    assert.equal((await fetch(at)).status, 400);
    const state = await fetch(`${fixture.server.url}/sandbox/state`, {
      headers: { authorization: `Bearer ${fixture.secret}` },
    });
    assert.equal(state.status, 404);
  });

  // Last, because the clock stays ahead.
  it("renews certificates that it uses, and serves the new one", async () => {
    const account = await fixture.connect();
    const name = "renewed.example.com";
    fixture.names.set(name, "A", "127.0.0.1");
    const { id } = await fixture.cloud.certificates.request(account, { names: [name], token: "t" });
    const issued = await until(async () => {
      const seen = await fixture.cloud.certificates.describe(account, id);
      return seen?.status === "ISSUED" && seen;
    }, "the certificate is issued, without a record, because the name leads here");
    const made = await fixture.cloud.distributions.create(account, { token: "t", origin: { kind: "none" } });
    const update = { aliases: [name], certificateId: id, enabled: true, etag: made.etag };
    await fixture.cloud.distributions.update(account, made.id, update);
    const first = await serialOf(name);
    assert.notEqual(first, null);
    aheadMs = (issued.expiresAt?.getTime() ?? 0) - Date.now() - 10 * DAY_MS;
    await until(async () => ![first, null].includes(await serialOf(name)), "a new certificate is served");
  });
});

it("an own server does not start without the key of its values, and says which file is missing", async () => {
  const fixture = await startHostFixture();
  try {
    const keys = path.join(fixture.folder, "another-key-folder");
    const vault = await openHostVault(await openKeyFiles({ folder: keys, clock: systemClock }));
    await fixture.server.stop();
    await assert.rejects(startHostFixture({ dataDir: path.join(fixture.folder, "host"), vault }), {
      name: "SealingError",
      message: /host\.key in the SLIPWAY_SEALING_KEYS folder is not the key/,
    });
    await rm(keys, { recursive: true });
  } finally {
    await fixture.stop();
  }
});

it("an own server names the variable of a port that is taken", async () => {
  const taken = createServer();
  taken.listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  assert.ok(address !== null && typeof address === "object");
  try {
    for (const [option, variable] of [
      ["httpPort", "SLIPWAY_EDGE_HTTP_PORT"],
      ["httpsPort", "SLIPWAY_EDGE_HTTPS_PORT"],
      ["dnsPort", "SLIPWAY_EDGE_DNS_PORT"],
    ] as const) {
      await assert.rejects(startHostFixture({ [option]: address.port }), (error) => {
        assert.match(String(error), new RegExp(`${address.port}\\. Stop it, or set ${variable}`));
        return true;
      });
    }
  } finally {
    taken.close();
  }
});
