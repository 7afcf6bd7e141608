import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { after, before, describe, it } from "node:test";
import { makeCertificate } from "../helpers/customers/certificates.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { cleanEnv, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

type Answer = { readonly status: number; readonly message: IncomingMessage; readonly body: string };

/** Sends a request on a separate connection that trusts these certificates. */
async function ask(
  url: string,
  ca: readonly string[],
  headers: Record<string, string> = {},
): Promise<Answer> {
  const asked = request(url, { ca: [...ca], servername: "localhost", agent: false, headers });
  asked.end();
  const [message] = (await once(asked, "response")) as [IncomingMessage];
  return { status: message.statusCode ?? 0, message, body: await text(message) };
}

function fingerprintOf({ message }: Answer): string {
  return (message.socket as TLSSocket).getPeerCertificate().fingerprint256;
}

describe("HTTPS that Slipway serves itself", () => {
  let folder: string;
  let instance: Instance;
  const pair = makeCertificate();
  const files = () => ({ cert: path.join(folder, "cert.pem"), key: path.join(folder, "key.pem") });
  const put = async (file: string, content: string): Promise<void> => {
    await writeFile(`${file}.new`, content);
    await rename(`${file}.new`, file);
  };
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "slipway-https-"));
    await put(files().cert, pair.cert);
    await put(files().key, pair.key);
    instance = await startInstance({
      env: { SLIPWAY_TLS_CERT: files().cert, SLIPWAY_TLS_KEY: files().key },
    });
  });
  after(async () => {
    await instance.dispose();
    await rm(folder, { recursive: true, force: true });
  });
  const authorization = { authorization: `Bearer ${ADMIN_KEY}` };

  it("S12: is used in its address, and browsers are asked to stay with it", async () => {
    assert.match(instance.url, /^https:/);
    const answer = await ask(`${instance.url}/v1/me`, [pair.cert], authorization);
    assert.equal(answer.status, 200, answer.body);
    assert.equal(answer.message.headers["strict-transport-security"], "max-age=31536000");
    const page = await ask(`${instance.url}/console/`, [pair.cert]);
    assert.equal(page.message.headers["strict-transport-security"], "max-age=31536000");
  });

  it("S12: answers nothing in clear text on its port", async () => {
    const socket = connect(Number(new URL(instance.url).port), "127.0.0.1");
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert.ok(!(await text(socket).catch(() => "")).startsWith("HTTP/1.1 200"));
  });

  it("S12: uses renewed files, and keeps the old ones while the new ones do not match", async () => {
    const renewed = makeCertificate();
    const both = [pair.cert, renewed.cert];
    const old = fingerprintOf(await ask(`${instance.url}/healthz`, both));
    await put(files().cert, renewed.cert);
    await until(() => instance.logged().includes("The certificate was not renewed"), "the pair is refused");
    assert.equal(fingerprintOf(await ask(`${instance.url}/healthz`, both)), old);
    await put(files().key, renewed.key);
    await until(
      async () => fingerprintOf(await ask(`${instance.url}/healthz`, both)) !== old,
      "the renewed certificate is served",
    );
    assert.match(instance.logged(), /A renewed certificate is served/);
    assert.ok(!instance.logged().includes("PRIVATE KEY"));
    await put(files().cert, pair.cert);
    await put(files().key, pair.key);
    await until(
      async () => fingerprintOf(await ask(`${instance.url}/healthz`, both)) === old,
      "it is followed again",
    );
  });

  it("S12: drains like HTTP: waiting requests are answered", async () => {
    const { body } = await ask(`${instance.url}/v1/me`, [pair.cert], authorization);
    const waiting = ask(`${instance.url}/v1/users/${JSON.parse(body).user.id}`, [pair.cert], {
      ...authorization,
      prefer: "wait=60",
    });
    await until(async () => {
      const metrics = await ask(`${instance.url}/metrics`, [pair.cert]);
      return /^slipway_waiting_reads 1$/m.test(metrics.body);
    }, "the read is held");
    const restarted = instance.restart();
    assert.equal((await waiting).status, 200);
    instance = await restarted;
  });
});

describe("the start's warning about the network", () => {
  let folder: string;
  before(async () => {
    folder = await makeTempDir("banner");
    await copyPgliteTemplate(path.join(folder, "database"));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const start = async (env: Record<string, string>): Promise<string> => {
    const service = await startProcess({ SLIPWAY_DATA_DIR: folder, SLIPWAY_API_KEY: ADMIN_KEY, ...env });
    service.process.kill("SIGTERM");
    await service.ended;
    return service.stderr();
  };

  it("S12: is empty on loopback", async () => {
    const said = await start({});
    assert.doesNotMatch(said, /Warning|every address/);
  });

  it("S12: says where it can be reached, and that keys can be read there", async () => {
    const said = await start({ HOST: "0.0.0.0", SLIPWAY_SANDBOX_PROCESSES: "off" });
    assert.match(said, /listening on every address of this machine \(0\.0\.0\.0:\d+\)/);
    assert.match(said, /Warning: it listens beyond this machine in clear text.*SLIPWAY_TLS_CERT/);
  });

  it("S12: explains why a certificate cannot be used", async () => {
    await assert.rejects(
      startProcess({
        ...cleanEnv({}),
        SLIPWAY_DATA_DIR: folder,
        SLIPWAY_TLS_CERT: path.join(folder, "none.pem"),
        SLIPWAY_TLS_KEY: path.join(folder, "none.key"),
      }),
      /Slipway cannot start\. SLIPWAY_TLS_CERT \(.*none\.pem\) does not exist\.\n/,
    );
  });
});
