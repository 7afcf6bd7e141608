/** Who a sign-in becomes, by what its provider says (T1, V5, V8, V9, V18, V19). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JWTPayload } from "jose";
import { createRedirectBrowser, type RedirectBrowser } from "../helpers/identity/browser.ts";
import { type ForgingProvider, startForgingProvider } from "../helpers/identity/forging-provider.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type IdentityProvider,
  startIdentityProvider,
} from "../helpers/identity/provider.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

describe("who a sign-in becomes", () => {
  let trusted: IdentityProvider;
  let byPost: IdentityProvider;
  let byJwt: IdentityProvider;
  let open: ForgingProvider;
  let lacking: ForgingProvider;
  let instance: Instance;
  before(async () => {
    [trusted, byPost, byJwt, open, lacking] = await Promise.all([
      startIdentityProvider(),
      startIdentityProvider("client_secret_post"),
      startIdentityProvider("client_secret_jwt"),
      startForgingProvider(),
      startForgingProvider(),
    ]);
    const of = (name: string, parts: Record<string, string>) =>
      Object.entries(parts).map(([part, value]) => [`SLIPWAY_OIDC_${name}_${part}`, value] as const);
    const client = { CLIENT_ID, CLIENT_SECRET, SCOPES: "openid profile email groups" };
    instance = await startInstance({
      env: Object.fromEntries([
        ...of("TRUSTED", {
          ISSUER: trusted.issuer,
          ...client,
          ROLES: '"platform, Berlin"=admin,*=viewer',
          LINK_BY_EMAIL: "on",
        }),
        ...of("POST", { ISSUER: byPost.issuer, ...client, ROLES: "*=viewer" }),
        ...of("JWT", { ISSUER: byJwt.issuer, ...client, ROLES: "*=viewer" }),
        ...of("OPEN", { ISSUER: open.issuer, CLIENT_ID, ROLES: "*=viewer" }),
        ...of("NESTED", {
          ISSUER: open.issuer,
          CLIENT_ID,
          ROLES: "ops=developer,*=viewer",
          GROUPS_CLAIM: "realm_access.roles",
        }),
        ...of("LINKING", { ISSUER: open.issuer, CLIENT_ID, ROLES: "*=viewer", LINK_BY_EMAIL: "on" }),
        ...of("LACKING", { ISSUER: lacking.issuer, CLIENT_ID, CLIENT_SECRET, ROLES: "ops=admin,*=viewer" }),
      ]),
    });
    trusted.open([`${instance.url}/auth/oidc/trusted/callback`]);
    byPost.open([`${instance.url}/auth/oidc/post/callback`]);
    byJwt.open([`${instance.url}/auth/oidc/jwt/callback`]);
    // Asks all of them anew: a failure during the start is remembered for a moment.
    await instance.admin.get("/v1/admin/sign-in-providers");
  });
  after(async () => {
    await instance.dispose();
    await Promise.all([trusted, byPost, byJwt, open, lacking].map((one) => one.stop()));
  });

  const ends = (url: URL): boolean => url.origin === instance.url && !url.pathname.startsWith("/auth/");
  async function signIn(
    name: string,
  ): Promise<{ readonly browser: RedirectBrowser; readonly end: string; readonly error: string | null }> {
    const browser = createRedirectBrowser();
    const { url } = await browser.open(`${instance.url}/auth/oidc/${name}/start?returnTo=/projects`, ends);
    return { browser, end: url.pathname, error: url.searchParams.get("error") };
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- as the other clients of tests
  async function me(browser: RedirectBrowser): Promise<any> {
    const answer = await fetch(`${instance.url}/v1/me`, {
      headers: browser.headers(instance.url),
    });
    return answer.status === 200 ? await answer.json() : { status: answer.status };
  }
  /** Lets a forging provider sign these claims. */
  const say = (of: ForgingProvider, claims: JWTPayload): void => {
    of.answer = async (nonce) => {
      const now = Math.floor(Date.now() / 1_000);
      return await of.sign({ iss: of.issuer, aud: CLIENT_ID, nonce, iat: now, exp: now + 60, ...claims });
    };
  };
  const problemOf = async (name: string): Promise<string | null> => {
    const { body } = await instance.admin.get("/v1/admin/sign-in-providers");
    return body.providers.find((one: { name: string }) => one.name === name).problem;
  };

  it("is never another person's user by an unverified address", async () => {
    say(open, { sub: "mallory", email: "boss@corp.example", email_verified: false });
    const mallory = await signIn("open");
    const before = await me(mallory.browser);
    assert.deepEqual([before.user.email, before.user.role], [null, "viewer"]);
    trusted.person = {
      sub: "boss",
      email: "boss@corp.example",
      email_verified: true,
      groups: ["platform, Berlin"],
    };
    const boss = await signIn("trusted");
    assert.equal(boss.error, null);
    const { user } = await me(boss.browser);
    assert.deepEqual([user.email, user.role], ["boss@corp.example", "admin"]);
    assert.notEqual(user.id, before.user.id);
    // Neither the session nor the user has changed hands.
    const { body: users } = await instance.admin.get("/v1/users");
    const roles = users.users.map(({ id, role }: { id: string; role: string }) => [id, role]);
    assert.deepEqual(new Map(roles).get(before.user.id), "viewer");
    assert.equal((await me(mallory.browser)).user.id, before.user.id);
  });

  it("ends the sessions that a user had before, if linking raises its role", async () => {
    say(open, { sub: "lena", email: "lena@corp.example", email_verified: true });
    const before = await signIn("open");
    const { user } = await me(before.browser);
    trusted.person = {
      sub: "lena-at-corp",
      email: "lena@corp.example",
      email_verified: true,
      groups: ["platform, Berlin"],
    };
    const linked = await me((await signIn("trusted")).browser);
    assert.deepEqual([linked.user.id, linked.user.role], [user.id, "admin"]);
    await until(async () => (await me(before.browser)).status === 401, "the earlier session has ended");
  });

  it("has the address and the name that its provider says today, and leaves a former address to others", async () => {
    say(open, { sub: "anna", name: "Anna Alt", email: "team@corp.example", email_verified: true });
    const first = await me((await signIn("open")).browser);
    say(open, { sub: "bert", name: "Bert", email: "team@corp.example", email_verified: true });
    const successor = await me((await signIn("open")).browser);
    assert.equal(successor.user.email, "team@corp.example");
    say(open, { sub: "anna", name: "Anna Neu", email: "anna@corp.example", email_verified: true });
    const now = await me((await signIn("open")).browser);
    assert.deepEqual(
      [now.user.id, now.user.name, now.user.email],
      [first.user.id, "Anna Neu", "anna@corp.example"],
    );
    assert.notEqual(successor.user.id, first.user.id);
  });

  it("keeps out of the address of a user that an admin made, and still signs in", async () => {
    const made = await instance.admin.post("/v1/users", { email: "held@corp.example", role: "viewer" });
    say(open, { sub: "carl", email: "carl@corp.example", email_verified: true });
    const { user } = await me((await signIn("open")).browser);
    say(open, { sub: "carl", email: "held@corp.example", email_verified: true });
    const again = await me((await signIn("open")).browser);
    assert.deepEqual([again.user.id, again.user.email], [user.id, null]);
    const held = await instance.admin.get(`/v1/users/${made.body.id}`);
    assert.equal(held.body.email, "held@corp.example");
  });

  it("takes a verification that is written as a text", async () => {
    const made = await instance.admin.post("/v1/users", { email: "cognito@corp.example", role: "viewer" });
    say(open, { sub: "cognito", email: "cognito@corp.example", email_verified: "true" });
    assert.equal((await me((await signIn("linking")).browser)).user.id, made.body.id);
    await instance.admin.post("/v1/users", { email: "no@corp.example", role: "viewer" });
    say(open, { sub: "no", email: "no@corp.example", email_verified: "false" });
    assert.equal((await me((await signIn("linking")).browser)).user.email, null);
  });

  it("is not linked to a user without an address by the text that replaces the address", async () => {
    const { body } = await instance.admin.post("/v1/users", {
      kind: "service",
      name: "CI",
      role: "developer",
    });
    say(open, { sub: "trick", email: `${body.id}@no-email.invalid`, email_verified: true });
    assert.equal((await signIn("linking")).error, "EMAIL_TAKEN");
  });

  it("has the role of groups at a path", async () => {
    say(open, { sub: "nested", realm_access: { roles: ["ops"] } });
    assert.equal((await me((await signIn("nested")).browser)).user.role, "developer");
    say(open, { sub: "nested", "realm_access.roles": ["none"], realm_access: { roles: ["ops"] } });
    assert.equal((await me((await signIn("nested")).browser)).user.role, "viewer");
  });

  it("is refused when the provider leaves the groups out, and the settings say so", async () => {
    for (const claims of [
      { _claim_names: { groups: "src1" }, _claim_sources: { src1: {} } },
      { hasgroups: true },
    ]) {
      say(lacking, { sub: "many", ...claims });
      assert.equal((await signIn("lacking")).error, "SIGN_IN_GROUPS_MISSING");
      assert.match(
        (await problemOf("lacking")) ?? "",
        /left out the claim groups because .* too many groups/,
      );
    }
    say(lacking, { sub: "few", groups: ["ops"] });
    assert.equal((await me((await signIn("lacking")).browser)).user.role, "admin");
    assert.equal(await problemOf("lacking"), null);
    say(lacking, { sub: "none" });
    assert.equal((await me((await signIn("lacking")).browser)).user.role, "viewer");
    assert.match((await problemOf("lacking")) ?? "", /sent no claim groups/);
  });

  it("works at providers that take the secret in the body, or a signature by it", async () => {
    for (const [name, idp] of [
      ["post", byPost],
      ["jwt", byJwt],
    ] as const) {
      idp.person = { sub: `by-${name}`, name };
      assert.equal((await me((await signIn(name)).browser)).user.name, name);
      assert.equal(await problemOf(name), null);
    }
  });

  it("shows in the settings that a provider takes the secret in no way of ours", async () => {
    lacking.discovery = { token_endpoint_auth_methods_supported: ["private_key_jwt"] };
    assert.match((await problemOf("lacking")) ?? "", /takes none of the ways .*: client_secret_basic, /);
    lacking.discovery = { issuer: `${lacking.issuer}/realm/` };
    const problem = await problemOf("lacking");
    assert.ok(
      problem?.includes(`its issuer is ${lacking.issuer}/realm/, and the configured issuer is`),
      problem ?? "",
    );
    lacking.discovery = {};
    await problemOf("lacking");
  });

  it("names the clocks when a token is of the future", async () => {
    say(open, { sub: "early", nbf: Math.floor(Date.now() / 1_000) + 300 });
    assert.equal((await signIn("open")).error, "SIGN_IN_INVALID");
    assert.match(instance.logged(), /claim nbf is \d+ seconds after the clock of Slipway/);
  });
});
