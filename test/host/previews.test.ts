/**
 * Previews below a domain on an own server: one wildcard certificate of a real CA by dns-01, protected previews of two
 * services each by host name, on the server's edge and on a second one.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { commitFiles, createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { withConfig } from "../helpers/customers/deployments.ts";
import { untilDomain } from "../helpers/customers/scenario.ts";
import { freePort } from "../helpers/free-port.ts";
import { type GitServer, startGitServer } from "../helpers/git/git-server.ts";
import {
  connect,
  type EdgeAnswer,
  type HostInstance,
  startHostInstance,
} from "../helpers/host/host-instance.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const DOMAIN = "preview.shop.example.com";
const SECRET = "a-secret-of-edges-that-is-long-enough";
const PROGRAM = path.join(import.meta.dirname, "../../bin/slipway.js");
const PATIENCE_MS = 120_000;
const region = "us-west-2";

const SERVER = `const word = require("node:fs").readFileSync("public/index.html", "utf8");
require("node:http").createServer((_, response) => response.end("api of " + word)).listen(process.env.PORT, "127.0.0.1");`;
const SERVICES = [
  { id: "site", type: "static", outputDirectory: "public" },
  { id: "api", type: "web", startCommand: "node server.js", port: 3000 },
];
const CONFIG = {
  environments: [
    {
      id: "preview",
      region,
      source: { branch: "main", pr: true, report: "none", previews: { domain: DOMAIN } },
      services: SERVICES,
    },
  ],
};
const filesOf = (word: string) => withConfig(CONFIG, { "public/index.html": word, "server.js": SERVER });
const HOSTS = ["site-one", "api-one", "site-two", "api-two"].map((label) => `${label}.${DOMAIN}`);
const PAGES = ["first", "api of first", "second", "api of second"];

/** The part of GitLab's API that describes a project without merge requests, and reads its files. */
function answerApi({ url = "" }: IncomingMessage, response: ServerResponse): boolean {
  const { pathname } = new URL(url, "https://host");
  if (!pathname.startsWith("/api/v4/")) return false;
  const file = /\/repository\/files\/([^/]+)\/raw$/.exec(pathname)?.[1];
  const commit = /\/repository\/commits\/([0-9a-f]{40})$/.exec(pathname)?.[1];
  const found =
    file !== undefined
      ? filesOf("any")[decodeURIComponent(file)]
      : JSON.stringify(
          pathname.endsWith("/merge_requests")
            ? []
            : pathname.endsWith("/user")
              ? { id: 1, username: "slipway" }
              : commit === undefined
                ? { id: 2, visibility: "public", path_with_namespace: "acme/shop", default_branch: "main" }
                : { id: commit, message: "Float", author_name: "Ada" },
        );
  response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(found ?? "{}");
  return true;
}

describe("previews below a domain on an own server", { timeout: 240_000 }, () => {
  let folder: string;
  let git: GitServer;
  let instance: HostInstance;
  let other: ChildProcess;
  let otherPort: number;
  let projectId: string;
  let bypass: string;
  before(async () => {
    folder = await makeTempDir("previews-on-host");
    git = await startGitServer({ folder, login: null, answerInstead: answerApi });
    const place = { folder: path.join(folder, "acme"), name: "shop", branch: "main", at: new Date() };
    await createRepository({ ...place, files: filesOf("main") });
    const gitdir = path.join(place.folder, "shop.git");
    for (const [branch, word] of [
      ["one", "first"],
      ["two", "second"],
    ] as const)
      await commitFiles({ gitdir, branch, files: filesOf(word), message: word, at: new Date() });
    instance = await startHostInstance({ env: { SLIPWAY_EDGE_SECRET: SECRET } });
    otherPort = await freePort();
    other = spawn(process.execPath, [PROGRAM, "edge"], {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        HOST: "127.0.0.1",
        SLIPWAY_DATA_DIR: path.join(folder, "edge"),
        SLIPWAY_EDGE_SECRET: SECRET,
        SLIPWAY_EDGE_CONTROL_URL: instance.url,
        SLIPWAY_EDGE_HTTPS_PORT: String(otherPort),
        SLIPWAY_EDGE_HTTP_PORT: String(await freePort()),
        SLIPWAY_LOG: "fatal",
      },
    });
    const codeSource = { provider: "provider_b_self_hosted", host: git.host };
    const integration = await instance.api.post("/v1/git-integrations", { ...codeSource, token: "any" });
    assert.equal(integration.status, 201, integration.text);
    const created = await instance.api.post("/v1/projects", {
      name: "Shop",
      repoUrl: `https://${git.host}/acme/shop`,
      awsAccountId: await connect(instance.api, "main"),
      codeSource,
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
    });
    assert.equal(created.status, 201, created.text);
    projectId = created.body.id;
    const { environments } = (await instance.api.get(`/v1/projects/${projectId}/environments`)).body;
    const made = await instance.api.post(`/v1/environments/${environments[0].id}/preview-bypass`);
    assert.equal(made.status, 201, made.text);
    bypass = made.body.secret;
  });
  after(async () => {
    other.kill("SIGKILL");
    await instance.stop();
    await git.close();
    await rm(folder, { recursive: true, force: true });
  });

  const get = (host: string, headers: Record<string, string> = {}, at = "/", port?: number) =>
    instance.get(host, at, headers, port);
  const bothEdges = async (host: string, headers?: Record<string, string>): Promise<readonly EdgeAnswer[]> =>
    await Promise.all([get(host, headers), get(host, headers, "/", otherPort)]);
  /** Waits until both edges answer for each host as `is` says. */
  const untilAnswered = (
    is: (answer: EdgeAnswer, index: number) => boolean,
    headers: Record<string, string>,
    what: string,
  ) =>
    until(
      async () => {
        const all = await Promise.all(HOSTS.map((host) => bothEdges(host, headers))).catch(() => null);
        return all?.every((answers, index) => answers.every((one) => is(one, index))) === true && all.flat();
      },
      what,
      PATIENCE_MS,
    );

  const countCertificates = async () =>
    (await instance.api.get("/v1/admin/own-server")).body.server.certificates.total;

  it("have the right pages by host name on each edge, with one certificate", async () => {
    for (const branch of ["one", "two"]) {
      const { status, text } = await instance.api.put(`/v1/projects/${projectId}/previews/${branch}`, {
        branch,
      });
      assert.ok(status < 300, text);
    }
    const domainId = await until(async () => {
      const { body } = await instance.api.get(`/v1/projects/${projectId}/preview-domains`);
      return body.previewDomains[0]?.domainId as string | null;
    }, "the domain is added");
    const waiting = await untilDomain(instance.api, domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    for (const { name, type, value, purpose } of waiting.dnsRecords)
      if (purpose === "CERTIFICATE_DOMAIN_VERIFICATION") instance.names.set(name, type, value);
    await untilDomain(instance.api, domainId, "ATTACHED", PATIENCE_MS);
    const answers = await untilAnswered(
      ({ status, body }, index) => status === 200 && body === PAGES[index],
      { "x-slipway-bypass": bypass },
      "both edges serve all services",
    );
    assert.equal(new Set(answers.map(({ serialNumber }) => serialNumber)).size, 1);
    assert.ok(answers.every(({ headers }) => headers["x-robots-tag"] === "noindex"));
    await until(
      async () => (await countCertificates()) === 2,
      "the domain has one, and the distribution's own name another",
    );
  });

  it("send visitors to the sign-in, which lets in users who see the project", async () => {
    const page = { accept: "text/html", "sec-fetch-mode": "navigate" };
    for (const host of HOSTS) {
      for (const { status, location = "", headers } of await bothEdges(host, page)) {
        assert.equal(status, 302);
        const signIn = new URL(location);
        assert.equal(signIn.origin, new URL(instance.url).origin);
        const url = signIn.searchParams.get("url") ?? "";
        assert.equal(new URL(url).hostname, host);
        const entry = await instance.api.get(`/v1/previews/entry${signIn.search}`);
        assert.equal(entry.status, 200, entry.text);
        const { pathname, search } = new URL(entry.body.url);
        const cookie = cookiesOf(headers["set-cookie"]);
        const entered = await get(host, { ...page, cookie }, pathname + search);
        assert.equal(entered.status, 302, entered.body);
        const pass = cookiesOf(entered.headers["set-cookie"]);
        const shown = await bothEdges(host, { ...page, cookie: pass });
        assert.deepEqual(
          shown.map(({ body }) => body),
          [PAGES[HOSTS.indexOf(host)], PAGES[HOSTS.indexOf(host)]],
        );
      }
      assert.deepEqual(
        (await bothEdges(host)).map(({ status }) => status),
        [401, 401],
      );
    }
  });

  it("leave nothing but the name and its certificate when they end", async () => {
    const [{ serialNumber }] = (await bothEdges(HOSTS[0] ?? "")) as [EdgeAnswer];
    const { previews } = (await instance.api.get(`/v1/previews?projectId=${projectId}`)).body;
    for (const { id } of previews) {
      const { status, text } = await instance.api.delete(`/v1/previews/${id}`);
      assert.equal(status, 202, text);
    }
    const after = await untilAnswered(
      ({ status }) => status === 404,
      { "x-slipway-bypass": bypass },
      "no edge knows them",
    );
    assert.deepEqual([...new Set(after.map((one) => one.serialNumber))], [serialNumber]);
    await until(
      async () => {
        const { body } = await instance.api.get(`/v1/previews?projectId=${projectId}`);
        const { orphans } = (await instance.api.get("/v1/previews/orphans")).body;
        return body.previews.length === 0 && orphans.length === 0;
      },
      "the previews are removed",
      PATIENCE_MS,
    );
    assert.equal(await countCertificates(), 2);
    const services = (await instance.api.get("/v1/services")).body.services;
    assert.deepEqual(
      services.map(({ type }: { type: string }) => type),
      ["previews"],
    );
  });
});

/** The header of a browser that got these cookies. */
function cookiesOf(set: readonly string[] | undefined): string {
  return (set ?? []).flatMap((one) => one.split(";")[0] ?? []).join("; ");
}
