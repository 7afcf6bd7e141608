/** Signing in, and acting as a job of CI: what is secret in it is sent or shown once, and must not stay anywhere. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { answerConsent, becomeKnown, CONNECT_ENV, delegateZone } from "../helpers/customers/dns-provider.ts";
import { createGroup, createProject } from "../helpers/customers/scenario.ts";
import { createRedirectBrowser } from "../helpers/identity/browser.ts";
import { startForgingProvider } from "../helpers/identity/forging-provider.ts";
import { CLIENT_ID, CLIENT_SECRET, startIdentityProvider } from "../helpers/identity/provider.ts";
import { until } from "../helpers/until.ts";
import type { RecordingClient } from "./recording-client.ts";

export type CredentialStory = {
  /** Configures the service for it. */
  readonly env: Readonly<Record<string, string>>;
  /** @returns what must be found nowhere: the client's secret, and the random part of each token */
  play(client: RecordingClient): Promise<readonly string[]>;
  stop(): Promise<void>;
};

export async function startCredentialStory(): Promise<CredentialStory> {
  const [idp, issuer] = await Promise.all([startIdentityProvider(), startForgingProvider()]);
  return {
    env: {
      SLIPWAY_OIDC_CORP_ISSUER: idp.issuer,
      SLIPWAY_OIDC_CORP_CLIENT_ID: CLIENT_ID,
      SLIPWAY_OIDC_CORP_CLIENT_SECRET: CLIENT_SECRET,
      SLIPWAY_OIDC_CORP_SCOPES: "openid profile email groups",
      SLIPWAY_OIDC_CORP_ROLES: "*=viewer",
      ...CONNECT_ENV,
    },
    async play(client) {
      const { baseUrl } = client;
      // Their answers hold what they are about.
      const owed = createApiClient(baseUrl, client.key);
      idp.open([`${baseUrl}/auth/oidc/corp/callback`]);
      // At the start it was closed, which is remembered for seconds unless it is asked anew.
      const { body: asked } = await client.get("/v1/admin/sign-in-providers");
      assert.equal(asked.providers[0].problem, null);
      idp.person = { sub: randomUUID(), email: `${randomUUID()}@acme.example`, email_verified: true };
      const browser = createRedirectBrowser();
      const isEnd = (url: URL): boolean => url.origin === baseUrl && !url.pathname.startsWith("/auth/");
      await browser.open(`${baseUrl}/auth/oidc/corp/start?returnTo=/projects`, isEnd);
      const cookie = browser.cookies(baseUrl);
      const signedIn = await fetch(`${baseUrl}/v1/me`, { headers: browser.headers(baseUrl) });
      assert.equal(signedIn.status, 200, browser.visited.map(String).join(" "));
      const ofKey = await owed.post("/v1/sessions", undefined, { "idempotency-key": randomUUID() });

      const service = await client.post("/v1/users", { kind: "service", name: "CI", role: "developer" });
      const trust = await client.post("/v1/workload-trusts", {
        name: "canary",
        userId: service.body.id,
        issuer: issuer.issuer,
        audience: baseUrl,
        conditions: { repository: "acme/shop" },
        scopes: ["read"],
      });
      assert.equal(trust.status, 201, trust.text);
      const now = Math.floor(Date.now() / 1_000);
      const claims = {
        iss: issuer.issuer,
        sub: "repo:acme/shop",
        repository: "acme/shop",
        iat: now,
        exp: now + 300,
      };
      const taken = await issuer.sign({ ...claims, aud: baseUrl });
      const refused = await issuer.sign({ ...claims, aud: "elsewhere" });
      const exchange = "/v1/auth/workload-token";
      const { status, body, text } = await owed.post(exchange, { trustId: trust.body.id, token: taken });
      assert.equal(status, 200, text);
      const wrong = await client.post(exchange, { trustId: trust.body.id, token: refused });
      assert.equal(wrong.status, 401, wrong.text);
      const job = createApiClient(baseUrl, body.token as string);
      const me = await job.get("/v1/me");
      assert.equal(me.body.credential.kind, "workload", me.text);
      const twisted = createApiClient(baseUrl, `${String(body.token).slice(0, -1)}!`);
      assert.equal((await twisted.get("/v1/me")).status, 401);

      const word = randomUUID();
      const { services } = await createProject(client, `share-${word}`);
      const group = await createGroup(client, services["web"], [`www.${word}.example.com`]);
      const links = `/v1/domain-certificate-groups/${group.id}/share-links`;
      // The page has the token in its form.
      const shared = await owed.post(links, {}, { "idempotency-key": randomUUID() });
      const url = shared.body.url as string;
      for (const [address, method] of [
        [url, "GET"],
        [`${url}/live`, "GET"],
        [`${url}/check`, "POST"],
        [`${url}/nothing`, "GET"],
      ] as const)
        assert.ok((await fetch(address, { method, redirect: "manual" })).status < 500, address);
      const [state, signingKey] = await connectDomain(owed);
      const ofPreviews = await openPreview(client, owed);

      const path = `/v1/workload-trusts/${trust.body.id}`;
      for (const shown of [
        path,
        links,
        `${links}/${shared.body.id}`,
        "/v1/sessions",
        "/v1/audit-entries",
        "/v1/events",
        "/v1/admin/sign-in-providers",
      ])
        assert.equal((await client.get(shown)).status, 200, shown);
      const tokens = [cookie, ofKey.headers.get("set-cookie") ?? "", body.token as string].map(
        (said) => /sl[sx]_[0-9A-Za-z]+[.]([0-9A-Za-z]{33})/.exec(said)?.[1] ?? assert.fail("no token"),
      );
      const signatures = [taken, refused].map((token) => token.split(".")[2] ?? assert.fail("no signature"));
      return [
        CLIENT_SECRET,
        ...tokens,
        ...signatures,
        browser.headers(baseUrl)["slipway-page-key"] ?? assert.fail("no page key"),
        ofKey.body.pageKey as string,
        url.slice(url.lastIndexOf("/") + 1),
        state,
        signingKey,
        ...ofPreviews,
      ];
    },
    async stop() {
      await Promise.all([idp.stop(), issuer.stop()]);
    },
  };
}

/** Makes a protected preview with a secret. @returns what opens it to a test and to a browser, and the secret */
async function openPreview(client: ApiClient, owed: ApiClient): Promise<readonly string[]> {
  const source = { branch: "main", pr: true };
  const services = [{ id: "site", type: "static", outputDirectory: "." }];
  const template = { id: "preview", region: "us-west-2", source, services };
  const { projectId, environmentId } = await createProject(client, "previews", { environments: [template] });
  const secret = `of-previews-${randomUUID()}`;
  const set = await client.post(`/v1/environments/${environmentId}/env-variables`, {
    secretsManager: { TOKEN: secret },
    availableInPreviews: true,
  });
  assert.equal(set.status, 202, set.text);
  const once = { "idempotency-key": randomUUID() };
  const bypass = await owed.post(`/v1/environments/${environmentId}/preview-bypass`, undefined, once);
  assert.equal(bypass.status, 201, bypass.text);
  const preview = await client.put(`/v1/projects/${projectId}/previews/canary`, {});
  assert.equal(preview.status, 200, preview.text);
  const address = `/v1/previews/${preview.body.id}`;
  const host = await until(async () => {
    const { environmentId: own } = (await client.get(address)).body;
    const listed = own === null ? null : await client.get(`/v1/environments/${own}/services`);
    const id = listed?.body.services?.[0]?.id as string | undefined;
    return id && ((await client.get(`/v1/services/${id}`)).body.cdnDomainName as string | null);
  }, "the preview has an address");
  const asked = new URLSearchParams({ url: `https://${host}/`, state: "a".repeat(22) });
  const entry = await owed.get(`/v1/previews/entry?${asked.toString()}`);
  assert.equal(entry.status, 200, entry.text);
  const signature = /\.([\w-]{43})$/.exec(entry.body.url as string)?.[1] ?? assert.fail(entry.text);
  return [secret, bypass.body.secret as string, signature];
}

/** Leads an owner to a DNS provider and back. @returns the state of that way, and a part of the key that signs it */
async function connectDomain(client: ApiClient): Promise<readonly [state: string, signingKey: string]> {
  const project = await createProject(client, "connected");
  await becomeKnown(client);
  await delegateZone(client, "connected-canary.com");
  const group = await client.post(`/v1/services/${project.services["web"]}/domain-certificate-groups`, {
    domains: ["www.connected-canary.com"],
    useDefaultCdn: false,
  });
  const id = group.body.createdDomains[0].id as string;
  const started = await until(async () => {
    const answer = await client.post(`/v1/domains/${id}/domain-connect`, {});
    return answer.status === 201 && answer;
  }, "the DNS provider's offer is found");
  const back = await answerConsent(started.body.applyUrl, "no");
  const state = back.searchParams.get("state") ?? assert.fail("no state");
  await fetch(back);
  const ended = await client.post(`/v1/domains/${id}/domain-connect/return`, { state });
  assert.equal(ended.status, 202, ended.text);
  // Without what escaping would change.
  const parts = CONNECT_ENV.SLIPWAY_DOMAIN_CONNECT_KEY.split(/[^A-Za-z0-9]/);
  const [part = assert.fail("no key")] = parts.toSorted((one, other) => other.length - one.length);
  return [state, part];
}
