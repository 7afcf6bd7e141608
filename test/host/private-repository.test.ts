/** A site from a private repository of a self-hosted GitLab, by real git, on an own server. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { rm } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { ended, listServices } from "../helpers/customers/deployments.ts";
import {
  API_SHOWS,
  importApplication,
  MOVED_FILES,
  runNightly,
  SESSION_SECRET,
  SITE_SHOWS,
  storeSecret,
} from "../helpers/customers/moved-application.ts";
import { createGroup, untilDomain } from "../helpers/customers/scenario.ts";
import { type GitServer, startGitServer } from "../helpers/git/git-server.ts";
import { CANARY_TOKEN } from "../helpers/git/rejections.ts";
import { connect, type HostInstance, startHostInstance } from "../helpers/host/host-instance.ts";
import { startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { createLogin } from "../helpers/processes/postgres-login.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";
import { findNeedles, needlesOf, searchFolder } from "../security/needles.ts";

describe("a private repository on an own server", { timeout: 180_000 }, () => {
  const token = CANARY_TOKEN;
  let folder: string;
  let git: GitServer;
  let instance: HostInstance;
  /** Whether system git waits for its first answer to a fetch. */
  let isFetching = false;
  let hangs = true;

  /** GitLab's API, of which every request needs the token too. */
  function answerApi(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = "", headers } = request;
    if (!url.startsWith("/api/")) {
      const isGit = /^git\/[0-9]/.test(headers["user-agent"] ?? "");
      isFetching ||= isGit;
      return isGit && hangs;
    }
    const body = url.endsWith("/user") ? { id: 1 } : { id: 2, visibility: "public" };
    response.writeHead(headers.authorization === `Bearer ${token}` ? 200 : 401, {
      "content-type": "application/json",
    });
    response.end(JSON.stringify(body));
    return true;
  }

  before(async () => {
    folder = await makeTempDir("private-repositories");
    git = await startGitServer({ folder, login: `oauth2:${token}`, answerInstead: answerApi });
    instance = await startHostInstance();
  });
  after(async () => {
    await instance.stop();
    await git.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("is deployed with the integration's token, through a kill -9 while git fetches", async () => {
    const { api } = instance;
    const files = { "public/index.html": "private shop" };
    await createRepository({ folder: `${folder}/acme`, name: "shop", branch: "main", files, at: new Date() });
    const repoUrl = `https://${git.host}/acme/shop`;
    const codeSource = { provider: "provider_b_self_hosted", host: git.host };
    const integration = await api.post("/v1/git-integrations", { ...codeSource, token });
    assert.equal(integration.status, 201, integration.text);
    const source = { branch: "main", trigger: "manual" };
    const services = [{ id: "site", name: "Site", type: "static", outputDirectory: "public" }];
    const created = await api.post("/v1/projects", {
      name: "Shop",
      repoUrl,
      awsAccountId: await connect(api, "main"),
      codeSource,
      configType: "gui",
      config: {
        environments: [{ id: "production", name: "Production", region: "us-west-2", source, services }],
      },
    });
    assert.equal(created.status, 201, created.text);
    const deployment = await api.post("/v1/deployments", { repoUrl, branch: "main" });
    assert.equal(deployment.status, 201, deployment.text);
    await until(async () => isFetching, "git fetches");
    await instance.replace();
    hangs = false;
    const { services: deployed } = await ended(instance.api, deployment.body.id);
    assert.equal(await (await fetch(deployed[0].url)).text(), "private shop");
  });

  it("has an application that moves in with its Flightcontrol file, up to HTTPS", async (t) => {
    const { api, names } = instance;
    const cluster = await startPostgresCluster();
    t.after(() => cluster.dispose());
    const login = { username: "boats", password: "p@ss/w%2Frd#1", databases: ["boats"] };
    const place = {
      host: "127.0.0.1",
      port: await createLogin(cluster, login),
      dbName: "boats",
      username: "boats",
    };
    const at = new Date();
    await createRepository({
      folder: `${folder}/acme`,
      name: "boats",
      branch: "main",
      files: MOVED_FILES,
      at,
    });
    const repoUrl = `https://${git.host}/acme/boats`;
    const created = await api.post("/v1/projects", {
      name: "Boats",
      repoUrl,
      awsAccountId: await connect(api, "boats"),
      codeSource: { provider: "provider_b_self_hosted", host: git.host },
      configType: "gui",
      config: await importApplication(api, place),
    });
    assert.equal(created.status, 201, created.text);
    const project = `/v1/projects/${created.body.id}`;
    const services = await listServices(api, created.body.id);
    const [environment] = (await api.get(`${project}/environments`)).body.environments;
    await storeSecret(api, `/v1/services/${services["api"]}`, "SESSION_SECRET", SESSION_SECRET);
    const scope = `/v1/environments/${environment.id}`;
    const reference = await storeSecret(api, scope, "DB_PASSWORD", login.password);
    const password = { fromSecretsManager: reference };
    const config = await importApplication(api, { ...place, password });
    assert.equal((await api.patch(project, { config })).status, 200);
    const deployment = await api.post("/v1/deployments", { repoUrl, branch: "main" });
    assert.equal(deployment.status, 201, deployment.text);
    await ended(api, deployment.body.id);
    for (const [service, name] of [
      [services["api"], "api.boats.example.com"],
      [services["site"], "www.boats.example.com"],
    ] as const) {
      const { createdDomains } = await createGroup(api, service, [name]);
      const waiting = await untilDomain(api, createdDomains[0].id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
      for (const record of waiting.dnsRecords) names.set(record.name, record.type, record.value);
      await untilDomain(api, createdDomains[0].id, "ATTACHED");
    }
    await runNightly(api, services["jobs"]);
    const open = async (name: string) => (await instance.get(`${name}.boats.example.com`)).body;
    await until(async () => (await open("api")) === API_SHOWS, "all parts wrote to the database");
    assert.match(await open("www"), SITE_SHOWS);
  });

  it("leaves its token nowhere in clear text", async () => {
    const needles = needlesOf(token);
    const { hits, searchedBytes } = await searchFolder(instance.dataDir, needles);
    assert.deepEqual(hits, []);
    assert.ok(searchedBytes > 1_000_000);
    assert.deepEqual(findNeedles(Buffer.from(instance.log()), needles), []);
  });
});
