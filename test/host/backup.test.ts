/**
 * An own server continues on another machine, with a backup and copies of the keys: the same certificates without a new
 * order, and the same releases.
 */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { cp, mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { readConfig } from "../../src/start/config/config.ts";
import { readOwnServerTables } from "../../src/start/own-server/back-up.ts";
import { ended, listServices } from "../helpers/customers/deployments.ts";
import { createGroup, untilDomain } from "../helpers/customers/scenario.ts";
import { type GitServer, startGitServer } from "../helpers/git/git-server.ts";
import {
  connect,
  type EdgeAnswer,
  type HostInstance,
  startHostInstance,
} from "../helpers/host/host-instance.ts";
import { fail, succeed } from "../helpers/processes/operator-commands.ts";
import { makeTempDir } from "../helpers/template.ts";

const NAME = "www.moved.example.com";
const TOKEN = "glpat-of-a-moved-server";
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

describe("a backup of an own server", { timeout: 600_000 }, () => {
  let instance: HostInstance;
  let git: GitServer;
  let folder: string;
  let file: string;
  let served: EdgeAnswer;
  const orders = (): number => [...instance.pebble.log().matchAll(/Added order/g)].length;
  /** The variables of another machine, with these keys of the first one. */
  async function machine(name: string, keys: readonly string[]): Promise<Record<string, string>> {
    const dataDir = path.join(folder, name);
    await mkdir(path.join(dataDir, "keys"), { recursive: true, mode: 0o700 });
    for (const key of keys)
      await cp(path.join(instance.dataDir, "keys", key), path.join(dataDir, "keys", key));
    return { ...instance.env, SLIPWAY_DATA_DIR: dataDir };
  }

  before(async () => {
    folder = await makeTempDir("own-server-backup");
    file = path.join(folder, "first.slipway");
    git = await startGitServer({ folder, login: `oauth2:${TOKEN}`, answerInstead: answerApi });
    instance = await startHostInstance();
    const { api, names } = instance;
    const files = { "public/index.html": "it moved", "public/large.bin": "x".repeat(600_000) };
    await createRepository({ folder: `${folder}/acme`, name: "shop", branch: "main", files, at: new Date() });
    const repoUrl = `https://${git.host}/acme/shop`;
    const codeSource = { provider: "provider_b_self_hosted", host: git.host };
    const integration = await api.post("/v1/git-integrations", { ...codeSource, token: TOKEN });
    assert.equal(integration.status, 201, integration.text);
    const source = { branch: "main", trigger: "manual" };
    const services = [{ id: "site", name: "Site", type: "static", outputDirectory: "public" }];
    const environments = [{ id: "production", name: "Production", region: "us-west-2", source, services }];
    const created = await api.post("/v1/projects", {
      name: "Shop",
      repoUrl,
      awsAccountId: await connect(api, "main"),
      codeSource,
      configType: "gui",
      config: { environments },
    });
    assert.equal(created.status, 201, created.text);
    const deployment = await api.post("/v1/deployments", { repoUrl, branch: "main" });
    await ended(api, deployment.body.id);
    const { site } = await listServices(api, created.body.id);
    names.set(NAME, "A", "127.0.0.1");
    const group = await createGroup(api, site, [NAME]);
    await untilDomain(api, group.createdDomains[0].id, "ATTACHED");
    served = await instance.get(NAME);
    assert.deepEqual([served.status, served.body], [200, "it moved"]);
  });
  after(async () => {
    await instance.stop();
    await git.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("gets the folder from the edge while it serves", async () => {
    const tables = new Map<string, number>();
    for await (const { name, rows } of readOwnServerTables(readConfig(instance.env))) {
      let count = 0;
      for await (const lines of rows) count += lines.length;
      tables.set(name, count);
    }
    assert.deepEqual([...tables.keys()], ["host.documents", "host.files"]);
    for (const [name, count] of tables) assert.ok(count > 3, `${name} has ${count} rows`);
    const left = (await readdir(path.join(instance.dataDir, "host"))).filter((one) =>
      one.startsWith("backup"),
    );
    assert.deepEqual(left, []);
  });

  it("has what another machine needs, without a readable key, and is verified", async () => {
    const kept = orders();
    await instance.replace({}, async () => {
      const said = await succeed(instance.env, "backup", "--to", file);
      assert.match(said, /keep a copy of at-rest\.key and host\.key elsewhere/);
      assert.match(
        await succeed(instance.env, "backup", "verify", file),
        /sealed values that open with the keys/,
      );
      const text = gunzipSync(await readFile(file)).toString("utf8");
      const { keys } = JSON.parse(text.slice(0, text.indexOf("\n"))) as { keys: { file: string }[] };
      assert.deepEqual(
        keys.map((key) => key.file),
        ["at-rest.key", "host.key"],
      );
      assert.doesNotMatch(text, PRIVATE_KEY);
      const secrets = [await readFile(path.join(instance.dataDir, "host", "secret"), "utf8")];
      for (const name of await readdir(path.join(instance.dataDir, "keys")))
        if (name.endsWith(".key"))
          secrets.push(
            (await readFile(path.join(instance.dataDir, "keys", name), "utf8")).split("\n")[1] ?? "?",
          );
      for (const secret of secrets) assert.ok(!text.includes(secret.trim()));
      assert.ok(text.includes(NAME));
      await machine("keyless", ["at-rest.key"]);
      const keyless = { ...instance.env, SLIPWAY_SEALING_KEYS: path.join(folder, "keyless", "keys") };
      assert.match(
        await fail(keyless, "backup", "--to", path.join(folder, "keyless.slipway")),
        /There is no host\.key in .*keyless\/keys/,
      );
    });
    assert.equal((await instance.get(NAME)).serialNumber, served.serialNumber);
    assert.equal(orders(), kept);
  });

  it("is not restored without the server's key, or over another folder", async () => {
    const without = await machine("without", ["at-rest.key"]);
    assert.match(
      await fail(without, "restore", "--from", file),
      /does not have the backup's keys \(host\.key\)/,
    );
    const said = await succeed(without, "restore", "--from", file, "--without-keys");
    assert.match(said, /Without host\.key, also remove .*without\/host before the start/);
    const filled = await machine("filled", ["at-rest.key", "host.key"]);
    await mkdir(path.join(folder, "filled", "host"));
    assert.match(
      await fail(filled, "restore", "--from", file),
      /filled\/host, and a restore does not replace it/,
    );
    const left = await readdir(path.join(folder, "filled"));
    assert.deepEqual(
      left.filter((one) => /database|host/.test(one)),
      ["host"],
    );
  });

  it("continues on another machine with the same certificate and release, and without an order", async () => {
    const other = await machine("second", ["at-rest.key", "host.key"]);
    const before = orders();
    await instance.replace(other, async () => {
      await succeed(other, "restore", "--from", file);
      // The first machine is lost.
      await rm(path.join(instance.dataDir, "host"), { recursive: true });
    });
    const moved = await instance.get(NAME);
    assert.deepEqual([moved.status, moved.body, moved.serialNumber], [200, "it moved", served.serialNumber]);
    assert.equal((await instance.get(NAME, "/large.bin")).body.length, 600_000);
    assert.equal(orders(), before);
    const { body } = await instance.api.get("/v1/domains");
    assert.deepEqual(
      body.domains.map(({ name, status }: { name: string; status: string }) => [name, status]),
      [[NAME, "ATTACHED"]],
    );
  });
});

/** GitLab's API: a public repository. */
function answerApi({ url = "" }: IncomingMessage, response: ServerResponse): boolean {
  if (!url.startsWith("/api/")) return false;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(url.endsWith("/user") ? { id: 1 } : { id: 2, visibility: "public" }));
  return true;
}
