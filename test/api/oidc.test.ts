/** Sign-in at identity providers: a certified provider, and a provider that forges. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { generateKeyPair } from "jose";
import { createRedirectBrowser, type RedirectBrowser } from "../helpers/identity/browser.ts";
import { type ForgingProvider, startForgingProvider } from "../helpers/identity/forging-provider.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type IdentityProvider,
  startIdentityProvider,
} from "../helpers/identity/provider.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const ADA = {
  sub: "ada",
  name: "Ada Lovelace",
  email: "Ada@acme.example",
  email_verified: true,
  groups: ["dev"],
};

describe("a sign-in at an identity provider", () => {
  let idp: IdentityProvider;
  let forger: ForgingProvider;
  let instance: Instance;
  before(async () => {
    [idp, forger] = await Promise.all([startIdentityProvider(), startForgingProvider()]);
    const of = (name: string, parts: Record<string, string>) =>
      Object.entries(parts).map(([part, value]) => [`SLIPWAY_OIDC_${name}_${part}`, value] as const);
    instance = await startInstance({
      withOtherOrganization: true,
      env: Object.fromEntries([
        ...of("CORP", {
          ISSUER: idp.issuer,
          CLIENT_ID,
          CLIENT_SECRET,
          LABEL: "Acme SSO",
          SCOPES: "openid profile email groups",
          ROLES: "ops=admin,dev=developer,staff=viewer",
        }),
        ...of("LINKING", {
          ISSUER: idp.issuer,
          CLIENT_ID,
          CLIENT_SECRET,
          SCOPES: "openid profile email groups",
          ROLES: "*=viewer",
          LINK_BY_EMAIL: "on",
        }),
        ...of("FORGER", { ISSUER: forger.issuer, CLIENT_ID: "slipway", ROLES: "*=viewer" }),
      ]),
    });
  });
  after(async () => {
    await instance.dispose();
    await Promise.all([idp.stop(), forger.stop()]);
  });

  const ends = (url: URL): boolean => url.origin === instance.url && !url.pathname.startsWith("/auth/");
  const start = (name: string, returnTo = "/projects") =>
    `${instance.url}/auth/oidc/${name}/start?returnTo=${encodeURIComponent(returnTo)}`;
  /** Signs in, and says where that leads. */
  async function signIn(name: string, browser = createRedirectBrowser(), returnTo?: string): Promise<string> {
    const { url } = await browser.open(start(name, returnTo), ends);
    return url.pathname + url.search.replace(/&requestId=[0-9a-f-]{36}$/, "");
  }
  const failed = (name: string, code: string) => `/sign-in?error=${code}&provider=${name}`;
  // oxlint-disable-next-line typescript/no-explicit-any -- as the other clients of tests
  async function me(browser: RedirectBrowser): Promise<{ status: number; body: any }> {
    const answer = await fetch(`${instance.url}/v1/me`, {
      headers: browser.headers(instance.url),
    });
    return { status: answer.status, body: await answer.json() };
  }

  it("neither stops the start nor waits, while the provider is down", async () => {
    assert.equal(await signIn("corp"), failed("corp", "SIGN_IN_UNAVAILABLE"));
    const listed = await (await fetch(`${instance.url}/auth/oidc`)).json();
    const { providers } = listed as { providers: { name: string; label: string; isReachable: boolean }[] };
    assert.deepEqual(
      providers.map(({ name, label, isReachable }) => [name, label, isReachable]),
      [
        ["corp", "Acme SSO", false],
        ["forger", "forger", true],
        ["linking", "linking", false],
      ],
    );
    const { body } = await instance.admin.get("/v1/admin/sign-in-providers");
    assert.match(
      body.providers[0].problem,
      /^http:\/\/127\.0\.0\.1:\d+ did not answer as an OpenID provider: /,
    );
    idp.open(["corp", "linking"].map((name) => `${instance.url}/auth/oidc/${name}/callback`));
    await until(async () => {
      const again = await instance.admin.get("/v1/admin/sign-in-providers");
      return again.body.providers.every(({ problem }: { problem: unknown }) => problem === null);
    }, "the providers answer");
    assertRefused(await instance.other.get("/v1/admin/sign-in-providers"), 403, "OPERATOR_ONLY");
  });

  it("makes the user with the role of its groups, and leads where it began", async () => {
    idp.person = ADA;
    const browser = createRedirectBrowser();
    assert.equal(await signIn("corp", browser, "/projects?tab=1"), "/projects?tab=1");
    const { body } = await me(browser);
    const { user, credential, apiKey } = body;
    assert.deepEqual(
      [user.name, user.email, user.role, user.kind, credential.kind, apiKey],
      ["Ada Lovelace", "ada@acme.example", "developer", "person", "session", null],
    );
    assert.deepEqual(user.signInMethods, [
      { kind: "identity-provider", issuer: idp.issuer, label: "Acme SSO" },
    ]);
    const session = await fetch(`${instance.url}/v1/sessions/current`, {
      headers: browser.headers(instance.url),
    });
    assert.equal(((await session.json()) as { provider: string }).provider, "corp");
    const asked = browser.visited.find(({ pathname }) => pathname === "/auth")?.searchParams;
    assert.equal(asked?.get("code_challenge_method"), "S256");
    for (const name of ["state", "nonce", "code_challenge"])
      assert.ok((asked?.get(name) ?? "").length >= 43, name);
  });

  it("is the same user again, with the role of today's groups", async () => {
    const first = createRedirectBrowser();
    await signIn("corp", first);
    const { body: before } = await me(first);
    idp.person = { ...ADA, name: "Countess", email: "other@acme.example", groups: ["staff", "unknown"] };
    const second = createRedirectBrowser();
    await signIn("corp", second);
    const { body: now } = await me(second);
    assert.deepEqual(
      [now.user.id, now.user.email, now.user.role],
      [before.user.id, "other@acme.example", "viewer"],
    );
    await until(
      async () => (await me(first)).body.user.role === "viewer",
      "it is so in her other session too",
    );
  });

  it("is refused without a group that has a role, and by the provider", async () => {
    idp.person = { ...ADA, sub: "stranger", email: "stranger@acme.example", groups: ["unknown"] };
    assert.equal(await signIn("corp"), failed("corp", "SIGN_IN_WITHOUT_ROLE"));
    idp.person = null;
    assert.equal(await signIn("corp"), failed("corp", "SIGN_IN_REFUSED"));
  });

  it("makes a deleted user anew, without its old sessions", async () => {
    idp.person = { ...ADA, sub: "leaver", email: "leaver@acme.example" };
    const old = createRedirectBrowser();
    await signIn("corp", old);
    const { body } = await me(old);
    assert.equal((await instance.admin.delete(`/v1/users/${body.user.id}`)).status, 204);
    await until(async () => (await me(old)).status === 401, "the session has ended");
    const anew = createRedirectBrowser();
    await signIn("corp", anew);
    assert.notEqual((await me(anew)).body.user.id, body.user.id);
  });

  it("takes over a user by its address only if that is configured, and the address is verified", async () => {
    const make = (email: string) => instance.admin.post("/v1/users", { email, role: "developer" });
    const { body: grace } = await make("grace@acme.example");
    const { body: mallory } = await make("mallory@acme.example");
    idp.person = { sub: "grace", email: "Grace@acme.example", email_verified: true, groups: ["dev"] };
    assert.equal(await signIn("corp"), failed("corp", "EMAIL_TAKEN"));
    const browser = createRedirectBrowser();
    assert.equal(await signIn("linking", browser), "/projects");
    assert.equal((await me(browser)).body.user.id, grace.id);
    idp.person = { sub: "mallory", email: "mallory@acme.example", email_verified: false };
    const unverified = createRedirectBrowser();
    assert.equal(await signIn("linking", unverified), "/projects");
    const { body: stranger } = await me(unverified);
    assert.notEqual(stranger.user.id, mallory.id);
    assert.equal(stranger.user.email, null);
  });

  it("needs no address", async () => {
    idp.person = { sub: "silent", groups: ["staff"] };
    const browser = createRedirectBrowser();
    assert.equal(await signIn("corp", browser), "/projects");
    assert.equal((await me(browser)).body.user.email, null);
  });

  it("leads nowhere else, whatever was asked for", async () => {
    idp.person = ADA;
    for (const returnTo of ["https://evil.example/", "//evil.example", String.raw`/\evil.example`])
      assert.equal(await signIn("corp", createRedirectBrowser(), returnTo), "/");
    assert.equal((await fetch(`${instance.url}/auth/oidc/nobody/start`)).status, 404);
  });

  it("is refused with another state, without its cookie, at another provider, and a second time", async () => {
    idp.person = ADA;
    const browser = createRedirectBrowser();
    const { url } = await browser.open(start("corp"), ({ pathname }) => pathname.endsWith("/callback"));
    const refusedAt = async (where: string, by = browser): Promise<void> => {
      const end = await by.open(where, ends);
      assert.match(end.url.pathname + end.url.search, /^\/sign-in\?error=SIGN_IN_EXPIRED&/);
    };
    await refusedAt(url.href, createRedirectBrowser());
    const cookies = browser.cookies(instance.url);
    const otherState = url.href.replace(/state=[^&]+/, "state=another");
    await refusedAt(otherState);
    // That used the attempt up, so the right answer comes too late.
    await refusedAt(url.href);
    const atOther = url.href.replace("/corp/", "/linking/");
    const answer = await fetch(atOther, { redirect: "manual", headers: { cookie: cookies } });
    assert.match(answer.headers.get("location") ?? "", /error=SIGN_IN_EXPIRED/);
    // A copy of the cookie is still valid; the provider refuses the second use of the code.
    const copied = () => fetch(url.href, { redirect: "manual", headers: { cookie: cookies } });
    assert.match((await copied()).headers.get("location") ?? "", /^\/projects#page-key=\w{27}$/);
    assert.match((await copied()).headers.get("location") ?? "", /error=SIGN_IN_INVALID/);
  });

  describe("with a token", () => {
    const claims = (nonce: string) => {
      const now = Math.floor(Date.now() / 1_000);
      return { iss: forger.issuer, aud: "slipway", sub: "forged", nonce, iat: now, exp: now + 60 };
    };

    it("that is right is let in, also after the provider has a new key", async () => {
      forger.answer = (nonce) => forger.sign(claims(nonce));
      assert.equal(await signIn("forger"), "/projects");
      await forger.rotate();
      // A key that is not known is asked for, once in a while.
      await until(async () => (await signIn("forger")) === "/projects", "the new key is known", 90_000);
    });

    const wrong: Readonly<Record<string, (nonce: string) => Promise<string>>> = {
      "for another audience": (nonce) => forger.sign({ ...claims(nonce), aud: "another" }),
      "that has expired": (nonce) =>
        forger.sign({ ...claims(nonce), exp: Math.floor(Date.now() / 1_000) - 60 }),
      "of another issuer": (nonce) => forger.sign({ ...claims(nonce), iss: "https://sso.example" }),
      "with another nonce": (nonce) => forger.sign({ ...claims(nonce), nonce: "another" }),
      "without a nonce": (nonce) => forger.sign({ ...claims(nonce), nonce: undefined }),
      "without a subject": (nonce) => {
        const { sub: _, ...others } = claims(nonce);
        return forger.sign(others);
      },
      "of another key": async (nonce) =>
        forger.sign(claims(nonce), { key: (await generateKeyPair("RS256")).privateKey }),
      "without a signature": async (nonce) => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
        return `${part({ alg: "none" })}.${part(claims(nonce))}.`;
      },
      "that is none": async () => "not.a.token",
    };
    for (const [what, make] of Object.entries(wrong)) {
      it(`${what} is refused`, async () => {
        forger.answer = make;
        const browser = createRedirectBrowser();
        assert.equal(await signIn("forger", browser), failed("forger", "SIGN_IN_INVALID"));
        assert.equal((await me(browser)).status, 401);
      });
    }
  });

  it("is refused when the provider went down meanwhile, and does not disclose its secrets", async () => {
    idp.person = ADA;
    idp.close();
    const browser = createRedirectBrowser();
    const answer = await fetch(start("corp"), { redirect: "manual" });
    assert.equal(answer.status, 303);
    idp.open([`${instance.url}/auth/oidc/corp/callback`]);
    const { url } = await browser.open(start("corp"), ({ pathname }) => pathname.endsWith("/callback"));
    idp.close();
    const end = await browser.open(url.href, ends);
    assert.match(end.url.search, /error=SIGN_IN_(?:INVALID|UNAVAILABLE)&/);
    const log = instance.logged();
    assert.match(log, /A sign-in at an identity provider was refused/);
    for (const secret of [CLIENT_SECRET, url.searchParams.get("code") ?? "none", "id_token"])
      assert.ok(!log.includes(secret), "a secret is in the log");
  });
});
