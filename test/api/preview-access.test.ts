/** Access to previews of the sandbox: users who see the project, and tests with the bypass secret. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type PreviewTeam, SITE, startPreviewTeam, templateOf } from "../helpers/customers/previews.ts";
import { connectAccount } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { type EdgeAnswer, getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const PATIENCE_MS = 90_000;
const BROWSER = { "sec-fetch-mode": "navigate" };
const TEMPLATE = "preview";

function configured(access?: "public"): readonly object[] {
  const production = { id: "production", region: "us-west-2", source: { branch: "main" }, services: [SITE] };
  return [production, templateOf(TEMPLATE, access === undefined ? {} : { previews: { access } })];
}

describe("the access to previews", () => {
  let instance: Instance;
  let team: PreviewTeam;
  let host: string;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    await connectAccount(instance.admin, "main");
    await instance.admin.post("/v1/git-integrations", { provider: "provider_a", token: "any" });
    team = await startPreviewTeam(instance, "shop", configured());
  });
  after(() => instance.dispose());

  const get = (headers: Record<string, string> = {}, path = "/"): Promise<EdgeAnswer> =>
    getFromEdge(instance.sandbox, host, { headers, path });
  const untilStatus = (status: number, headers: Record<string, string> = {}) =>
    until(async () => (await get(headers)).status === status, `${host} answers ${status}`, PATIENCE_MS);
  /** The console's question, as the page to which the gate sends a browser asks it. */
  const ask = (client: Instance["admin"], url: string, state = "a".repeat(22)) =>
    client.get(`/v1/previews/entry?${new URLSearchParams({ url, state }).toString()}`);
  const cookieOf = ({ headers }: EdgeAnswer, name: string): string =>
    (headers["set-cookie"] ?? []).find((one) => one.startsWith(`${name}=`))?.split(";")[0] ?? "";
  const createBypass = async (client = instance.admin) =>
    await client.post(`/v1/environments/${team.environments[TEMPLATE]}/preview-bypass`);

  it("is refused from the first answer on, whatever the configuration of the pull request says", async () => {
    await team.commit("cart", "the cart", configured("public"));
    await team.putPullRequest(1, "cart");
    const preview = await team.untilState("pr-1", "ACTIVE");
    assert.ok(preview !== null);
    host = await team.hostOf(preview);
    const statuses = new Set<number>();
    await until(
      async () => {
        statuses.add((await get()).status);
        const { services } = (await instance.admin.get(`/v1/environments/${preview.environmentId}/services`))
          .body;
        const { body } = await instance.admin.get(`/v1/deployments?serviceId=${services[0].id}`);
        return body.deployments.some((one: { status: string }) => one.status === "SUCCESS");
      },
      "it is released",
      PATIENCE_MS,
    );
    assert.deepEqual([...statuses, (await get()).status], [401, 401]);
    assert.equal((await get()).headers["x-robots-tag"], "noindex");
  });

  it("is given to a browser of a user who sees the project", async () => {
    const sent = await get(BROWSER, "/index.html?a=1");
    const to = new URL(sent.headers.location ?? "");
    assert.deepEqual([sent.status, to.origin + to.pathname], [302, `${instance.url}/console/open-preview`]);
    const asked = [to.searchParams.get("url") ?? "", to.searchParams.get("state") ?? ""] as const;
    const viewer = await createUserClient(instance.admin, "viewer");
    const opened = await ask(viewer, ...asked);
    assert.equal(opened.status, 200, opened.text);
    const entry = new URL(opened.body.url);
    assert.equal(entry.host, host);
    const state = cookieOf(sent, "__Host-slipway-preview-state");
    const back = await get({ ...BROWSER, cookie: state }, entry.pathname + entry.search);
    assert.deepEqual([back.status, back.headers.location], [302, `https://${host}/index.html?a=1`]);
    const page = await get({ ...BROWSER, cookie: cookieOf(back, "__Host-slipway-preview") });
    assert.equal(page.status, 200);
    assert.match(page.body, /the cart/);
    assert.equal(page.headers["x-robots-tag"], "noindex");
  });

  it("is not given to others, and for nothing else than live previews", async () => {
    const url = `https://${host}/`;
    assertRefused(await ask(instance.other, url), 404, "NOT_FOUND");
    const stranger = await createUserClient(instance.admin, "developer");
    assert.equal((await ask(stranger, url)).status, 200);
    const closed = await instance.admin.put(`/v1/projects/${team.projectId}/access`, { access: "members" });
    assert.equal(closed.status, 200, closed.text);
    await until(
      async () => (await ask(stranger, url)).status === 404,
      "the project is closed to the stranger",
    );
    assert.equal((await ask(instance.admin, url)).status, 200);
    await instance.admin.put(`/v1/projects/${team.projectId}/access`, { access: "organization" });
    const { body } = await instance.admin.get(`/v1/projects/${team.projectId}/services`);
    const production = body.services.find(
      (one: { environmentId: string }) => one.environmentId === team.environments["production"],
    );
    const { cdnDomainName } = (await instance.admin.get(`/v1/services/${production.id}`)).body;
    for (const other of [
      `https://${cdnDomainName}/`,
      "https://evil.example/",
      `https://${host}.evil.example/`,
    ])
      assertRefused(await ask(instance.admin, other), 404, "NOT_FOUND");
    for (const other of [`http://${host}/`, `https://x@${host}/`, "javascript:alert(1)", "/", host])
      assertRefused(await ask(instance.admin, other), 400, "INVALID_REQUEST");
    const twisted = await ask(instance.admin, `https://${host}//evil.example/`);
    assert.equal(new URL(twisted.body.url).host, host);
  });

  it("is given to tests with the bypass secret, until another one replaces it", async () => {
    const viewer = await createUserClient(instance.admin, "viewer");
    assertRefused(await createBypass(viewer), 403, "ROLE_TOO_LOW");
    const usual = team.environments["production"];
    assertRefused(
      await instance.admin.post(`/v1/environments/${usual}/preview-bypass`),
      409,
      "NO_PREVIEW_TEMPLATE",
    );
    const first = await createBypass(await createUserClient(instance.admin, "developer"));
    assert.equal(first.status, 201, first.text);
    const { header, secret } = first.body;
    assert.equal(header, "x-slipway-bypass");
    await untilStatus(200, { [header]: secret });
    assert.equal((await get({ [header]: `${secret}x` })).status, 401);
    const second = await createBypass();
    assert.notEqual(second.body.secret, secret);
    await untilStatus(401, { [header]: secret });
    await untilStatus(200, { [header]: second.body.secret });
    const { text } = await instance.admin.get("/v1/audit-entries?action=environment.preview-bypass-set");
    assert.ok(text.includes(team.environments[TEMPLATE] ?? "none"), text);
    for (const one of [secret, second.body.secret]) assert.ok(!text.includes(one));
  });

  it("follows the base branch's configuration", async () => {
    await team.commit("main", "main", configured("public"));
    await team.putPullRequest(1, "cart", { title: "New title" });
    await untilStatus(200);
    assert.equal((await get()).headers["x-robots-tag"], "noindex");
    const opened = await ask(instance.admin, `https://${host}/a?b`);
    assert.equal(opened.body.url, `https://${host}/a?b`, "an open preview needs no ticket");
    await team.commit("main", "main", configured());
    await team.putPullRequest(1, "cart", { title: "Newer title" });
    await untilStatus(401);
  });

  it("ends with the preview", async () => {
    await team.putPullRequest(1, "cart", { state: "merged" });
    await team.untilState("pr-1", "gone", "DELETING");
    await until(
      async () => (await ask(instance.admin, `https://${host}/`)).status === 404,
      "its address is not known",
      PATIENCE_MS,
    );
  });
});
