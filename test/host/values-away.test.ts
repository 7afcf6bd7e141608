/** A deployment on an own server while OpenBao is sealed, played by a small server: it waits, and continues on its own. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createRepository } from "../../sandbox/src/git/git-repositories.ts";
import { ended, listServices } from "../helpers/customers/deployments.ts";
import { startGitServer } from "../helpers/git/git-server.ts";
import { connect, startHostInstance } from "../helpers/host/host-instance.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const TOKEN = "glpat-of-a-sealed-store";

test(
  "a deployment waits while OpenBao is sealed, says so, and continues",
  { timeout: 180_000 },
  async (t) => {
    const folder = await makeTempDir("values-away");
    const kept = new Map<string, unknown>();
    let isSealed = false;
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
      const { pathname } = new URL(request.url ?? "", "http://bao");
      const say = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
      if (isSealed) return say(503, { errors: ["Vault is sealed"] });
      if (request.method === "POST") {
        const { data } = JSON.parse(await text(request)) as { data: unknown };
        kept.set(pathname, data);
        return say(200, { data: { version: 1 } });
      }
      const data = kept.get(pathname);
      return data === undefined ? say(404, { errors: [] }) : say(200, { data: { data } });
    };
    const bao = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
    await once(bao, "listening");
    const tokenFile = path.join(folder, "token");
    await writeFile(tokenFile, "token");
    const git = await startGitServer({ folder, login: `oauth2:${TOKEN}`, answerInstead: answerApi });
    const instance = await startHostInstance({
      env: {
        SLIPWAY_VAULT_ADDRESS: `http://127.0.0.1:${(bao.address() as AddressInfo).port}`,
        SLIPWAY_VAULT_TOKEN_FILE: tokenFile,
      },
    });
    t.after(async () => {
      await instance.stop();
      await git.close();
      bao.close();
      await rm(folder, { recursive: true, force: true });
    });
    const { api } = instance;
    const files = { "slipway.json": "{}" };
    await createRepository({ folder: `${folder}/acme`, name: "shop", branch: "main", files, at: new Date() });
    const repoUrl = `https://${git.host}/acme/shop`;
    const codeSource = { provider: "provider_b_self_hosted", host: git.host };
    assert.equal((await api.post("/v1/git-integrations", { ...codeSource, token: TOKEN })).status, 201);
    const service = { id: "site", name: "Site", type: "static", outputDirectory: "public" };
    const buildCommand = 'mkdir public && echo "$PASSWORD" | wc -c > public/index.html';
    const source = { branch: "main", trigger: "manual" };
    const created = await api.post("/v1/projects", {
      name: "Shop",
      repoUrl,
      awsAccountId: await connect(api, "main"),
      codeSource,
      configType: "gui",
      config: {
        environments: [
          {
            id: "production",
            name: "Production",
            region: "us-west-2",
            source,
            services: [{ ...service, buildCommand }],
          },
        ],
      },
    });
    assert.equal(created.status, 201, created.text);
    const { site = "" } = await listServices(api, created.body.id);
    const { environmentId } = (await api.get(`/v1/services/${site}`)).body;
    const variables = `/v1/environments/${environmentId}/env-variables`;
    const { body: run } = await api.post(variables, { secretsManager: { PASSWORD: "a long secret" } });
    await until(
      async () => (await api.get(`${variables}/status?runId=${run.runId}`)).body.processedEnvVariables === 1,
      "the value is stored",
    );

    isSealed = true;
    const { body: deployment } = await api.post("/v1/deployments", { repoUrl, branch: "main" });
    await until(
      async () => {
        const { body } = await api.get(`/v1/deployments/${deployment.id}`);
        return /It is sealed\. Unseal it\./.test(body.statusReason ?? "") && body.status;
      },
      "the deployment says what it waits for",
      60_000,
    );
    const { checks } = (await api.get("/v1/admin/health")).body;
    const found = checks.find(({ code }: { code: string }) => code === "VALUE_STORE");
    assert.deepEqual([found.status, /Unseal it/.test(found.fix)], ["failed", true]);

    isSealed = false;
    await ended(api, deployment.id);
  },
);

/** GitLab's API: a public repository. */
function answerApi({ url = "" }: IncomingMessage, response: ServerResponse): boolean {
  if (!url.startsWith("/api/")) return false;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(url.endsWith("/user") ? { id: 1 } : { id: 2, visibility: "public" }));
  return true;
}
