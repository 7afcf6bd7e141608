import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { rawRequest, sendRaw } from "../helpers/raw-http.ts";
import { connectAccount, createProject, type Project } from "../helpers/customers/scenario.ts";

describe("an attack over HTTP", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    project = await createProject(instance.admin, "attacked");
  });
  after(() => instance.dispose());

  const variablesPath = () => `/v1/services/${project.services["web"]}/env-variables`;

  it("with a line break in a path, a query, a key or a name reaches neither headers nor the log", async () => {
    const breaks = [
      "%0d%0a",
      "%0D%0A%20",
      "%E5%98%8A%E5%98%8D",
      "%c0%8d%c0%8a",
      "%00",
      "%0a",
      "\u0085",
      "%u000a",
    ];
    const injected = "X-Injected: yes";
    for (const lineBreak of breaks) {
      const encoded = `${encodeURI(lineBreak).replaceAll("%25", "%")}${injected.replace(" ", "%20")}`;
      for (const path of [
        `/v1/${encoded}`,
        `/v1/domains/${encoded}`,
        `/v1/users?cursor=${encoded}`,
        `/docs/errors/${encoded}`,
      ]) {
        const answer = await instance.admin.get(path);
        assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
        assert.equal(answer.headers.get("x-injected"), null, path);
      }
    }
    for (const text of [
      "a\r\nX-Injected: yes",
      "a\nlevel=fatal",
      '{"level":60}',
      "\u001b[2J",
      "\u2028",
      "${jndi:ldap://127.0.0.1/a}",
    ]) {
      const created = await instance.admin.post("/v1/aws-accounts", { givenId: text, name: text });
      assert.ok(created.status < 500, created.body);
      const named = await instance.admin.post("/v1/api-keys", { name: text });
      assert.ok(named.status < 500, named.body);
      assert.equal(named.headers.get("x-injected"), null);
    }
    for (const header of [
      "x-request-id",
      "idempotency-key",
      "prefer",
      "if-none-match",
      "user-agent",
      "x-forwarded-for",
    ]) {
      const answer = await sendRaw(
        instance.url,
        rawRequest("GET /v1/users", {
          authorization: `Bearer ${ADMIN_KEY}`,
          [header]: "a\u000bb\tX-Injected: yes",
        }),
      );
      assert.ok(answer.status < 500, `${header}: ${answer.text}`);
      assert.equal(answer.headers["x-injected"], undefined);
    }
    for (const line of instance.logged().trimEnd().split("\n")) {
      const entry = JSON.parse(line);
      assert.ok(entry.level <= 50, line);
    }
  });

  it("with names from the prototype is refused or comes back unchanged, and changes nothing else", async () => {
    const names = [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "valueOf",
      "__defineGetter__",
      "isAdmin",
    ];
    for (const name of names) {
      const saved = await instance.admin.post(variablesPath(), `{"plainText": {"${name}": "mine"}}`, {
        "content-type": "application/json",
      });
      assert.equal(saved.status, 200, `${name}: ${JSON.stringify(saved.body)}`);
    }
    const { body } = await instance.admin.get(`${variablesPath()}?limit=100`);
    const listed = body.envVariables.map(
      ({ name, value }: { name: string; value: string }) => `${name}=${value}`,
    );
    assert.deepEqual(listed.sort(), names.map((name) => `${name}=mine`).sort());
    for (const body of [
      '{"__proto__": {"role": "admin"}, "email": "p@example.com", "role": "viewer"}',
      '{"constructor": {"prototype": {"role": "admin"}}, "email": "p@example.com", "role": "viewer"}',
      '{"email": "p@example.com", "role": {"__proto__": "admin"}}',
    ]) {
      const refused = await instance.admin.post("/v1/users", body, { "content-type": "application/json" });
      assert.equal(refused.status, 400, JSON.stringify(refused.body));
    }
    const managed = await instance.admin.post(
      variablesPath(),
      '{"secretsManager": {"__proto__": {"polluted": "yes"}}, "parameterStore": {"constructor": ["x"]}}',
      { "content-type": "application/json" },
    );
    assert.equal(managed.status, 400);
    assert.equal(Reflect.get({}, "polluted"), undefined);
    assert.equal(Reflect.get({}, "role"), undefined);
  });

  it("with a false report of a stack changes no connection, and reveals nothing", async () => {
    const mine = await connectAccount(instance.admin, `callback-${randomUUID()}`);
    const theirs = await instance.other.post("/v1/aws-accounts", { givenId: "waiting" });
    const before = (await instance.admin.get(`/v1/aws-accounts/${mine}`)).body;
    const report = (id: string, body: unknown) =>
      fetch(`${instance.url}/cloud-callbacks/${id}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    const stolen = { accountId: before.connectedAwsAccountId, roleArn: before.roleArn };
    const others = { accountId: "999999999999", roleArn: "arn:aws:iam::999999999999:role/attacker" };
    const answers: string[] = [];
    for (const id of [mine, theirs.body.id, "aws_00000000000000000000000000000000", "nobody"]) {
      for (const body of [others, stolen]) {
        const answer = await report(id, body);
        answers.push(`${answer.status} ${await answer.text()}`);
      }
    }
    assert.equal(new Set(answers).size, 1, answers.join("; "));
    for (const body of [
      { ...others, accountId: "1" },
      { ...others, roleArn: "arn:aws:iam::999999999999:role/a\r\nb" },
      { ...others, roleArn: `arn:aws:iam::999999999999:role/${"a".repeat(2_000)}` },
      { ...others, connectionId: mine },
      { accountId: ["999999999999"], roleArn: {} },
      "{",
      "[]",
      "null",
    ]) {
      const answer = await report(mine, body);
      assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 100));
      assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
    }
    const long = await report(mine, { ...others, roleArn: "a".repeat(100_000) });
    assert.equal(long.status, 413, "no key was shown, so little of it is read");
    for (const id of ["..%2f..%2fv1%2fusers", "%00", "a".repeat(5_000), "' OR 1=1 --"]) {
      const answer = await report(encodeURIComponent(id), others);
      assert.ok(answer.status < 500, `${id.slice(0, 20)}: ${answer.status}`);
    }
    const after = (await instance.admin.get(`/v1/aws-accounts/${mine}`)).body;
    for (const field of ["status", "connectedAwsAccountId", "roleArn"])
      assert.equal(after[field], before[field]);
    // Another organization's role, reported for one's own connection, is never taken over.
    const waiting = await instance.other.get(`/v1/aws-accounts/${theirs.body.id}`);
    assert.notEqual(waiting.body.status, "CONNECTED");
  });

  it("with texts of 100,000 characters in every field is refused at once", async () => {
    const shapes = [
      "a".repeat(100_000),
      "a-".repeat(50_000),
      "/a".repeat(50_000),
      "a.".repeat(50_000),
      "\u00df".repeat(50_000),
    ];
    const places: readonly ((text: string) => readonly [path: string, body: unknown])[] = [
      (text) => ["/v1/aws-accounts", { givenId: text }],
      (text) => ["/v1/users", { email: `${text}@${text}`, role: "viewer" }],
      (text) => ["/v1/api-keys", { name: text }],
      (text) => ["/v1/git-integrations", { provider: "provider_b_self_hosted", host: text, token: "x" }],
      (text) => [
        "/v1/projects",
        {
          name: "n",
          repoUrl: `https://${text}/a/b`,
          awsAccountId: text,
          codeSource: { provider: "provider_a" },
          configType: "gui",
          config: {},
        },
      ],
      (text) => ["/v1/deployments", { repoUrl: text, branch: text }],
      (text) => [`/v1/services/${project.services["web"]}/domain-certificate-groups`, { domains: [text] }],
      (text) => [variablesPath(), { fromParameterStore: { A: text }, fromSecretsManager: { B: text } }],
      (text) => [variablesPath(), { plainText: { [text]: "a" } }],
    ];
    for (const place of places) {
      for (const text of shapes) {
        const [path, body] = place(text);
        const startedMs = performance.now();
        const answer = await instance.admin.post(path, body);
        const tookMs = performance.now() - startedMs;
        assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
        // Far above what it takes, far below what a pattern that backtracks would take.
        assert.ok(tookMs < 10_000, `${path} took ${tookMs.toFixed(0)} ms`);
      }
    }
  });
});
