/** CI jobs without a key: providers that run here sign what GitHub and GitLab sign, and what they would never sign. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { parseAllowedHosts } from "../../src/egress/address-rules.ts";
import { createSafeFetch } from "../../src/egress/safe-fetch.ts";
import { createTokenVerifier } from "../../src/features/workloads/verify-token.ts";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import { type ForgingProvider, startForgingProvider } from "../helpers/identity/forging-provider.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const AUDIENCE = "https://slipway.acme.example";
const REPO_URL = "https://git.sandbox.test/demo.git";
const EXCHANGE = "/v1/auth/workload-token";

describe("a workload without a key", () => {
  let instance: Instance;
  let admin: ApiClient;
  let anybody: ApiClient;
  let issuer: ForgingProvider;
  let own: Project;
  let another: Project;
  let userId: string;
  before(async () => {
    [instance, issuer] = await Promise.all([
      startInstance({ withOtherOrganization: true }),
      startForgingProvider(),
    ]);
    ({ admin } = instance);
    anybody = createApiClient(instance.url, "none");
    own = await createProject(admin, "own");
    another = await createProject(admin, "another");
    const made = await admin.post("/v1/users", {
      kind: "service",
      name: "CI of the shop",
      role: "developer",
    });
    userId = made.body.id;
  });
  after(async () => {
    await instance.dispose();
    await issuer.stop();
  });

  const wanted = (changes: object = {}) => ({
    name: "deploy shop",
    userId,
    issuer: issuer.issuer,
    audience: AUDIENCE,
    conditions: { repository: "acme/shop", ref: "refs/heads/main" },
    scopes: ["deploy"],
    projectIds: [own.projectId],
    ...changes,
  });
  async function trust(changes: object = {}): Promise<string> {
    const { status, body, text } = await admin.post("/v1/workload-trusts", wanted(changes));
    assert.equal(status, 201, text);
    return body.id as string;
  }
  /** As GitHub says it; times are in seconds. */
  const claims = (changes: Record<string, unknown> = {}, of = issuer): JWTPayload => {
    const now = Math.floor(Date.now() / 1_000);
    return {
      iss: of.issuer,
      aud: AUDIENCE,
      sub: "repo:acme/shop:ref:refs/heads/main",
      repository: "acme/shop",
      ref: "refs/heads/main",
      run_id: "6821944012",
      iat: now,
      nbf: now - 5,
      exp: now + 300,
      ...changes,
    };
  };
  const exchange = (trustId: string, token: string) => anybody.post(EXCHANGE, { trustId, token });
  async function clientOf(trustId: string): Promise<ApiClient> {
    const { status, body, text } = await exchange(trustId, await issuer.sign(claims()));
    assert.equal(status, 200, text);
    return createApiClient(instance.url, body.token as string);
  }

  it("deploys, within the scopes and projects of its trust and the role of its service account", async () => {
    const id = await trust();
    const before = Date.now();
    const answer = await exchange(id, await issuer.sign(claims()));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.deepEqual(Object.keys(answer.body), ["token", "expiresAt"]);
    const minutes = (Date.parse(answer.body.expiresAt) - before) / 60_000;
    assert.ok(minutes > 10 && minutes <= 16, answer.body.expiresAt);

    const client = createApiClient(instance.url, answer.body.token);
    const { body: me } = await client.get("/v1/me");
    assert.deepEqual([me.user.id, me.credential.kind, me.apiKey], [userId, "workload", null]);
    assert.deepEqual(me.user.signInMethods, [{ kind: "workload", issuer: issuer.issuer, label: null }]);
    const made = await client.post("/v1/deployments", { repoUrl: REPO_URL });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.projectId, own.projectId);
    assertRefused(await client.get(`/v1/projects/${another.projectId}`), 404, "NOT_FOUND");
    const variables = `/v1/environments/${own.environmentId}/env-variables`;
    assertRefused(await client.post(variables, { plainText: { A: "b" } }), 403, "SCOPE_MISSING");
    const { body: shown } = await admin.get(`/v1/workload-trusts/${id}`);
    assert.ok(Date.parse(shown.lastUsedAt) >= before - 1_000, shown.lastUsedAt);
  });

  it("is named in audit entries, with its repository, branch and run", async () => {
    const id = await trust({ name: "shown in the trail" });
    const client = await clientOf(id);
    const { body: made } = await client.post("/v1/deployments", { repoUrl: REPO_URL });
    const workload = {
      trustId: id,
      name: "shown in the trail",
      subject: "repo:acme/shop:ref:refs/heads/main",
      repository: "acme/shop",
      ref: "refs/heads/main",
      runId: "6821944012",
    };
    for (const [resourceId, action] of [
      [made.id, "deployment.created"],
      [id, "workload-token.created"],
    ]) {
      const { body } = await admin.get(`/v1/audit-entries?resourceId=${resourceId}&action=${action}`);
      const [entry] = body.auditEntries;
      assert.equal(entry.userId, userId);
      assert.match(entry.apiKeyId, /^wtok_/);
      assert.deepEqual(entry.details.workload, workload, action);
    }
  });

  it("may exchange the token of its platform again while that is valid", async () => {
    const id = await trust();
    const token = await issuer.sign(claims());
    const answers = [await exchange(id, token), await exchange(id, token)];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.notEqual(answers[0]?.body.token, answers[1]?.body.token);
  });

  it("deploys to a protected environment only if its service account may", async () => {
    const { projectId, environmentId } = await createProject(admin, "guarded");
    const protection = { deployers: "admin" };
    assert.equal((await admin.patch(`/v1/environments/${environmentId}`, { protection })).status, 200);
    const id = await trust({ projectIds: [projectId] });
    const body = { repoUrl: REPO_URL, filter: { projectId } };
    assertRefused(await (await clientOf(id)).post("/v1/deployments", body), 403, "ENVIRONMENT_PROTECTED");
    const member = await admin.put(`/v1/projects/${projectId}/members/${userId}`, { role: "admin" });
    assert.equal(member.status, 200, member.text);
    const made = await (await clientOf(id)).post("/v1/deployments", body);
    assert.equal(made.status, 201, made.text);
  });

  it("works no more when its trust is deleted, or its service account", async () => {
    const { body: user } = await admin.post("/v1/users", { kind: "service", name: "Short", role: "viewer" });
    const [one, two] = [await trust(), await trust({ userId: user.id })];
    const clients = [await clientOf(one), await clientOf(two)];
    for (const client of clients) assert.equal((await client.get("/v1/me")).status, 200);
    assert.equal((await admin.delete(`/v1/workload-trusts/${one}`)).status, 204);
    assert.equal((await admin.delete(`/v1/users/${user.id}`)).status, 204);
    for (const client of clients) {
      const refusal = await until(async () => {
        const answer = await client.get("/v1/me");
        // In the first seconds only what asks for the user itself is refused.
        return answer.body?.code === "WORKLOAD_TOKEN_ENDED" ? answer : null;
      }, "the token is refused");
      assertRefused(refusal, 401, "WORKLOAD_TOKEN_ENDED");
    }
    for (const id of [one, two])
      assertRefused(await exchange(id, await issuer.sign(claims())), 404, "NOT_FOUND");
  });

  it("makes no lasting way in, even with the scope for it", async () => {
    const { body: user } = await admin.post("/v1/users", { kind: "service", name: "Root", role: "admin" });
    const id = await trust({ userId: user.id, scopes: ["admin"], projectIds: undefined });
    const client = await clientOf(id);
    assertRefused(await client.post("/v1/sessions"), 403, "SESSION_NEEDS_KEY");
    assertRefused(await client.post("/v1/api-keys", { name: "lasting" }), 403, "WORKLOAD_MAKES_NO_KEY");
    assertRefused(await client.post("/v1/workload-trusts", wanted()), 403, "WORKLOAD_MAKES_NO_KEY");
  });

  it("has at most a hundred tokens of one trust; a further one ends the oldest", async () => {
    const id = await trust();
    const token = await issuer.sign(claims());
    const first = await exchange(id, token);
    for (let more = 0; more < 100; more += 1) await exchange(id, token);
    assertRefused(
      await createApiClient(instance.url, first.body.token).get("/v1/me"),
      401,
      "WORKLOAD_TOKEN_ENDED",
    );
  });

  it("is refused with what is not its own", async () => {
    const id = await trust();
    const { privateKey: foreign } = await generateKeyPair("RS256");
    const other = await startForgingProvider();
    try {
      const { publicKey } = await generateKeyPair("RS256", { extractable: true });
      const shared = new TextEncoder().encode(await exportSPKI(publicKey));
      const hour = 3_600;
      const now = Math.floor(Date.now() / 1_000);
      const refused: readonly (readonly [what: string, token: string, says: RegExp])[] = [
        ["no token", "not-a-token", /not a signed/],
        ["another issuer", await other.sign(claims({}, other)), /from another issuer/],
        ["the key of another issuer", await other.sign(claims()), /issuer's keys/],
        ["a stranger's key", await issuer.sign(claims(), { key: foreign }), /issuer's keys/],
        ["a wrong audience", await issuer.sign(claims({ aud: "https://other.example" })), /claim aud/],
        ["an ended time", await issuer.sign(claims({ exp: now - 60 })), /has expired/],
        ["no end", await issuer.sign(claims({ exp: undefined })), /claim exp/],
        ["a later begin", await issuer.sign(claims({ nbf: now + hour })), /claim nbf/],
        ["a birth to come", await issuer.sign(claims({ iat: now + hour, exp: now + 2 * hour })), /claim iat/],
        ["an old age", await issuer.sign(claims({ iat: now - 48 * hour })), /has expired/],
        ["no birth", await issuer.sign(claims({ iat: undefined })), /claim iat/],
        ["alg none", new UnsecuredJWT(claims()).encode(), /asymmetric/],
        [
          "HS256 with a public key",
          await new SignJWT(claims()).setProtectedHeader({ alg: "HS256", kid: "RS256-0" }).sign(shared),
          /asymmetric/,
        ],
        [
          "no key's name",
          await new SignJWT(claims()).setProtectedHeader({ alg: "RS256" }).sign(foreign),
          /name the key/,
        ],
        [
          "an unknown key",
          await new SignJWT(claims()).setProtectedHeader({ alg: "RS256", kid: "gone" }).sign(foreign),
          /issuer's keys/,
        ],
      ];
      const asked = issuer.keysAsked();
      for (const [what, token, says] of refused) {
        const answer = await exchange(id, token);
        assertRefused(answer, 401, "WORKLOAD_TOKEN_INVALID");
        assert.match(answer.text, says, what);
        assert.ok(!answer.text.includes(token.slice(-40)), what);
      }
      assert.ok(issuer.keysAsked() - asked <= 1, "unknown keys cause no endless requests");
      for (const [claim, forged] of [
        ["repository", { repository: "evil/shop" }],
        ["ref", { ref: "refs/heads/feature" }],
        ["ref", { ref: undefined }],
      ] as const) {
        const answer = await exchange(id, await issuer.sign(claims(forged)));
        assertRefused(answer, 403, "WORKLOAD_NOT_TRUSTED");
        assert.match(answer.text, new RegExp(`does not accept its claim ${claim}: `));
        assert.ok(!answer.text.includes("refs/heads/main") && !answer.text.includes("acme/shop"));
      }
      assertRefused(await exchange("trust_01kahz6d9n3w7y0c4p8r2x5v9f", "a.b.c"), 404, "NOT_FOUND");
    } finally {
      await other.stop();
    }
  });

  it("is refused while the keys of its issuer cannot be had, which is asked seldom and briefly", async () => {
    const endless = Buffer.alloc(64 * 1_024, " ");
    for (const [what, prepare, says] of [
      [
        "a redirect",
        (of: ForgingProvider) => {
          of.inPlaceOfKeys = (response) =>
            void response.writeHead(302, { location: `${issuer.issuer}/keys` }).end();
        },
        /redirects/,
      ],
      [
        "an endless body",
        (of: ForgingProvider) => {
          of.inPlaceOfKeys = (response) => {
            const more = (): void => {
              while (!response.destroyed && response.write(endless));
            };
            response.on("drain", more);
            more();
          };
        },
        /more than 262144 bytes/,
      ],
      [
        "no keys",
        (of: ForgingProvider) => {
          of.inPlaceOfKeys = (response) => void response.end("<html>");
        },
        /an OpenID configuration and keys/,
      ],
      [
        "another issuer's configuration",
        (of: ForgingProvider) => {
          of.discovery = { issuer: issuer.issuer };
        },
        /another issuer/,
      ],
      [
        "keys inside the network",
        (of: ForgingProvider) => {
          of.discovery = { jwks_uri: "https://10.0.0.1/keys" };
        },
        /private network/,
      ],
    ] as const) {
      const provider = await startForgingProvider();
      try {
        prepare(provider);
        const id = await trust({ issuer: provider.issuer });
        const answer = await exchange(id, await provider.sign(claims({}, provider)));
        assertRefused(answer, 503, "WORKLOAD_ISSUER_UNAVAILABLE");
        assert.match(answer.text, says, what);
      } finally {
        await provider.stop();
      }
    }
  });

  it("is known by a new key of its issuer, once the time between two requests has passed", async () => {
    const provider = await startForgingProvider();
    try {
      const guarded = createSafeFetch({ allowedHosts: parseAllowedHosts([]), allowsLoopback: true });
      const of = { issuer: provider.issuer, audience: AUDIENCE };
      const patient = createTokenVerifier(guarded);
      const eager = createTokenVerifier(guarded, 0);
      for (const verify of [patient, eager]) await verify(await provider.sign(claims({}, provider)), of);
      assert.equal(provider.keysAsked(), 2);
      await provider.rotate();
      const token = await provider.sign(claims({}, provider), { alg: "ES256" });
      assert.equal((await eager(token, of))["repository"], "acme/shop");
      await assert.rejects(patient(token, of), /issuer's keys/);
      assert.equal(provider.keysAsked(), 3);
      const outside = createTokenVerifier(createSafeFetch({ allowedHosts: parseAllowedHosts([]) }));
      await assert.rejects(outside(token, of), /only be reached over https/);
    } finally {
      await provider.stop();
    }
  });

  it("needs a service account, and conditions that say whose it is", async () => {
    const { body: me } = await admin.get("/v1/me");
    const person = await admin.post("/v1/workload-trusts", wanted({ userId: me.user.id }));
    assertRefused(person, 409, "WORKLOAD_NEEDS_SERVICE_ACCOUNT");
    const faults = async (changes: object) =>
      assertRefused(await admin.post("/v1/workload-trusts", wanted(changes)), 400, "INVALID_REQUEST");
    const github = { issuer: "https://token.actions.githubusercontent.com" };
    assert.deepEqual(await faults({ ...github, conditions: { ref: "refs/heads/main" } }), [
      "/conditions INVALID",
    ]);
    assert.deepEqual(await faults({ ...github, conditions: { repository: "*" } }), [
      "/conditions/repository INVALID",
    ]);
    assert.deepEqual(await faults({ conditions: {} }), ["/conditions INVALID"]);
    for (const address of [
      "http://issuer.example",
      "https://a@b.example",
      "issuer",
      "https://x.example/?a=b",
    ])
      assert.deepEqual(await faults({ issuer: address }), ["/issuer INVALID"], address);
    const limited = await admin.post("/v1/api-keys", { name: "limited", scopes: ["admin"] });
    const client = createApiClient(instance.url, limited.body.key);
    assertRefused(await client.post("/v1/workload-trusts", wanted()), 403, "KEY_EXCEEDS_OWN");
  });

  it("deploys from other platforms by the recipes of the documentation", async () => {
    const page = readFileSync(path.join(import.meta.dirname, "../../docs/how-to/deploy-from-ci.md"), "utf8");
    const recipes = [...page.matchAll(/\*\*([^*]+)\.\*\*[^`]*?(?:`[^`]*`[^`]*?)*?```json\n([^`]+)```/g)];
    /** What each platform signs, by its documentation, and the same of another organization there. */
    const signed: Readonly<Record<string, readonly [JWTPayload, JWTPayload]>> = {
      Bitbucket: [
        {
          sub: "{9f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a}:{0a1b2c3d-4e5f-4061-a2b3-c4d5e6f70819}",
          workspaceUuid: "{5e1b3a7c-2d4f-4c6e-8a9b-0c1d2e3f4a5b}",
          repositoryUuid: "{9f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a}",
          pipelineUuid: "{11111111-2222-4333-8444-555555555555}",
          branchName: "main",
        },
        { sub: "{e}:{e}", repositoryUuid: "{eeeeeeee-5b4a-4392-8170-6f5e4d3c2b1a}", branchName: "main" },
      ],
      Buildkite: [
        {
          sub: "organization:acme:pipeline:shop:ref:refs/heads/main:commit:9f3b:step:deploy",
          organization_slug: "acme",
          pipeline_slug: "shop",
          build_number: 1,
          build_branch: "main",
          job_id: "0184990a-477b-4fa8-9968-496074483cee",
        },
        {
          sub: "organization:evil:…",
          organization_slug: "evil",
          pipeline_slug: "shop",
          build_branch: "main",
        },
      ],
      "Terraform Cloud": [
        {
          sub: "organization:acme:project:web:workspace:shop:run_phase:apply",
          terraform_organization_name: "acme",
          terraform_workspace_name: "shop",
          terraform_run_id: "run-7Qx2",
          terraform_run_phase: "apply",
        },
        {
          sub: "organization:evil:project:web:workspace:shop:run_phase:apply",
          terraform_run_phase: "apply",
        },
      ],
      Kubernetes: [
        {
          sub: "system:serviceaccount:ci:deployer",
          "kubernetes.io": { namespace: "ci", serviceaccount: { name: "deployer" } },
        },
        { sub: "system:serviceaccount:evil:deployer" },
      ],
      CircleCI: [
        {
          sub: "org/0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9/project/1a2b3c4d-5e6f-4708-91a2-b3c4d5e6f708/user/u",
          "oidc.circleci.com/project-id": "1a2b3c4d-5e6f-4708-91a2-b3c4d5e6f708",
          "oidc.circleci.com/vcs-ref": "refs/heads/main",
          "oidc.circleci.com/vcs-origin": "github.com/acme/shop",
        },
        {
          sub: "org/evil",
          "oidc.circleci.com/project-id": "evil",
          "oidc.circleci.com/vcs-ref": "refs/heads/main",
        },
      ],
    };
    assert.deepEqual(
      recipes.map(([, name]) => name),
      Object.keys(signed),
    );
    for (const [, name = "", text = ""] of recipes) {
      const recipe = JSON.parse(text) as { issuer: string; audience: string; conditions: object };
      // As it is written, and then with an issuer that signs here.
      await trust(recipe);
      const id = await trust({ ...recipe, issuer: issuer.issuer });
      const now = Math.floor(Date.now() / 1_000);
      const [own, foreign] = signed[name] ?? assert.fail(name);
      const of = { iss: issuer.issuer, aud: recipe.audience, iat: now, nbf: now, exp: now + 300 };
      const taken = await exchange(id, await issuer.sign({ ...of, ...own }));
      assert.equal(taken.status, 200, `${name}: ${taken.text}`);
      const refused = await exchange(id, await issuer.sign({ ...of, ...foreign }));
      assertRefused(refused, 403, "WORKLOAD_NOT_TRUSTED");
    }
  });

  it("is refused with a word about its clock or a slash", async () => {
    const id = await trust();
    const now = Math.floor(Date.now() / 1_000);
    const early = await exchange(id, await issuer.sign(claims({ nbf: now + 300 })));
    assert.match(early.text, /claim nbf is in the future\. Compare the clock/);
    const slash = await exchange(id, await issuer.sign(claims({ iss: `${issuer.issuer}/` })));
    assert.match(slash.text, /they differ in the slash at the end/);
    const other = await exchange(id, await issuer.sign(claims({ iss: "https://other.example" })));
    assert.ok(!other.text.includes(issuer.issuer), other.text);
    const named = await startForgingProvider();
    try {
      named.discovery = { issuer: `${named.issuer}/` };
      const ofNamed = await trust({ issuer: named.issuer });
      const answer = await exchange(ofNamed, await named.sign(claims({}, named)));
      assertRefused(answer, 503, "WORKLOAD_ISSUER_UNAVAILABLE");
      assert.ok(
        answer.body.detail.includes(`it has "${named.issuer}/", and the trust has "${named.issuer}"`),
      );
    } finally {
      await named.stop();
    }
  });

  it("is not let in by a key that its token brings, or by a name of a key that leads elsewhere", async () => {
    const id = await trust();
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    const evil = await startForgingProvider();
    try {
      for (const header of [
        { jwk },
        { jku: `${evil.issuer}/keys` },
        { x5u: `${evil.issuer}/keys` },
        { kid: `${evil.issuer}/keys` },
        { kid: "../../../../dev/null" },
        { kid: "' OR 1=1 --" },
        { crit: ["exp"], exp: 1 },
      ]) {
        const forged = await new SignJWT(claims())
          .setProtectedHeader({ alg: "RS256", kid: "RS256-0", ...header })
          .sign(privateKey, { crit: { exp: true } });
        assertRefused(await exchange(id, forged), 401, "WORKLOAD_TOKEN_INVALID");
      }
      assert.equal(evil.keysAsked(), 0);
    } finally {
      await evil.stop();
    }
  });

  it("is seen, as its service account", async () => {
    const before = Date.now();
    // One of its own: a user that was seen within this minute is not written again.
    const { body: seen } = await admin.post("/v1/users", { kind: "service", name: "Seen", role: "viewer" });
    await (await clientOf(await trust({ name: "seen", userId: seen.id }))).get("/v1/me");
    instance = await instance.restart();
    const { body } = await createApiClient(instance.url, admin.key).get(`/v1/users/${seen.id}`);
    assert.ok(Date.parse(body.lastSeenAt) >= before, body.lastSeenAt);
  });
});
