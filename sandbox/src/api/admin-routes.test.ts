import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startFixture, type SandboxFixture } from "../../../test/helpers/sandbox/sandbox-fixture.ts";

type Problem = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
};

describe("the sandbox's own endpoints", { concurrency: true }, () => {
  let fixture: SandboxFixture;
  before(async () => {
    fixture = await startFixture();
  });
  after(() => fixture.stop());

  async function refuse(method: string, path: string, body?: object): Promise<Problem> {
    const response = await fixture.fetch(method, path, body);
    assert.match(response.headers.get("content-type") ?? "", /application\/problem\+json/);
    const problem = (await response.json()) as Problem;
    assert.equal(problem.status, response.status);
    return problem;
  }
  const codesOf = (problem: Problem) => problem.errors?.map(({ path, code }) => `${path} ${code}`).sort();

  test("S14: are closed without the secret, like git and the console's forms; the console's pages are open", async () => {
    const { url } = fixture.server;
    for (const at of ["/sandbox/state", "/sandbox/dns/records"]) {
      const response = await fetch(`${url}${at}`);
      assert.equal(response.status, 401, at);
      assert.equal(response.headers.get("www-authenticate"), "Bearer");
    }
    const call = await fetch(`${url}/cloud/identity.verify`, { method: "POST" });
    assert.equal(call.status, 401);
    assert.equal((await fetch(`${url}/sandbox/template.json`)).status, 200);
    const refs = "/git/demo.git/info/refs?service=git-upload-pack";
    assert.equal((await fetch(`${url}${refs}`)).status, 401);
    assert.equal((await fixture.fetch("GET", refs)).status, 200);
    const form = { method: "POST", body: new URLSearchParams({ ServiceId: "aws_unknown" }) };
    assert.equal((await fetch(`${url}/sandbox/console/stacks`, form)).status, 401);
    assert.equal(fixture.server.stackStatus("aws_unknown"), null);
  });

  test("set, list and remove DNS records", async () => {
    const record = { name: "WWW.Admin.Example.", type: "CNAME", values: ["Target.Example."], ttl: 30 };
    assert.equal((await fixture.fetch("PUT", "/sandbox/dns/records", record)).status, 204);
    const list = async () => {
      const answer = await fixture.fetch("GET", "/sandbox/dns/records");
      const { records } = (await answer.json()) as { records: { name: string }[] };
      return records.filter(({ name }) => name.endsWith("admin.example"));
    };
    const stored = { name: "www.admin.example", type: "CNAME", values: ["target.example"], ttl: 30 };
    assert.deepEqual(await list(), [stored]);
    const replaced = { ...record, values: ["other.example"] };
    assert.equal((await fixture.fetch("PUT", "/sandbox/dns/records", replaced)).status, 204);
    assert.deepEqual(await list(), [{ ...stored, values: ["other.example"] }]);
    const where = { name: record.name, type: record.type };
    assert.equal((await fixture.fetch("DELETE", "/sandbox/dns/records", where)).status, 204);
    assert.equal((await fixture.fetch("DELETE", "/sandbox/dns/records", where)).status, 204);
    assert.deepEqual(await list(), []);
  });

  test("name every fault of an invalid body at once", async () => {
    assert.deepEqual(
      codesOf(await refuse("PUT", "/sandbox/dns/records", { type: "MX", values: [1], ttl: -1, extra: 1 })),
      [
        "/extra UNKNOWN_FIELD",
        "/name REQUIRED",
        "/ttl TOO_SMALL",
        "/type NOT_ALLOWED",
        "/values/0 WRONG_TYPE",
      ],
    );
    const values = ["not-an-address", "192.0.2.1", "192.0.2.1"];
    assert.deepEqual(
      codesOf(await refuse("PUT", "/sandbox/dns/records", { name: "no", type: "A", values })),
      ["/name NOT_A_DOMAIN", "/values DUPLICATE", "/values/0 WRONG_FORM"],
    );
    assert.deepEqual(
      codesOf(await refuse("PUT", "/sandbox/faults", { operation: "nope", kind: "x", rate: 2 })),
      ["/kind NOT_ALLOWED", "/operation NOT_ALLOWED", "/rate TOO_LARGE"],
    );
    assert.deepEqual(codesOf(await refuse("POST", "/sandbox/stacks", { ServiceId: "a b" })), [
      "/ServiceId WRONG_FORM",
    ]);
    assert.equal((await refuse("PUT", "/sandbox/faults", [])).status, 400);
    assert.equal((await refuse("GET", "/sandbox/nothing")).code, "ROUTE_NOT_FOUND");
  });

  test("refuse values that a record of the type cannot have", async () => {
    for (const [type, value] of [
      ["A", "::1"],
      ["AAAA", "192.0.2.1"],
      ["CNAME", "192.0.2.1"],
      ["CNAME", "single"],
      ["NS", "*.example.com"],
      ["CAA", "issue ca.test"],
      ["TXT", "x".repeat(4_097)],
      ["ALIAS", ""],
    ] as const) {
      const problem = await refuse("PUT", "/sandbox/dns/records", {
        name: "v.example",
        type,
        values: [value],
      });
      assert.deepEqual(codesOf(problem), ["/values/0 WRONG_FORM"], `${type} ${value}`);
    }
    const two = { name: "v.example", type: "CNAME", values: ["a.example", "b.example"] };
    assert.deepEqual(codesOf(await refuse("PUT", "/sandbox/dns/records", two)), ["/values TOO_LARGE"]);
    const own = { name: "ns1.sandbox.test", type: "A", values: ["192.0.2.1"] };
    assert.deepEqual(codesOf(await refuse("PUT", "/sandbox/dns/records", own)), ["/name RESERVED_NAME"]);
  });

  test("refuse conflicting records, as a DNS panel does", async () => {
    const conflicts: readonly (readonly [string, string, string, string])[] = [
      ["A", "192.0.2.1", "CNAME", "a.example"],
      ["CNAME", "a.example", "TXT", "text"],
      ["ALIAS", "a.example", "A", "192.0.2.1"],
      ["AAAA", "2001:db8::1", "ALIAS", "a.example"],
    ];
    for (const [present, presentValue, type, value] of conflicts) {
      const name = `${present}-${type}.conflict.example`.toLowerCase();
      await fixture.setRecord(name, present, presentValue);
      const problem = await refuse("PUT", "/sandbox/dns/records", { name, type, values: [value] });
      assert.deepEqual([problem.status, problem.code], [409, "RECORD_CONFLICT"], name);
      assert.match(problem.detail, /Remove/);
    }
    await fixture.setRecord("fine.conflict.example", "ALIAS", "a.example");
    await fixture.setRecord("fine.conflict.example", "TXT", "beside an ALIAS");
  });

  test("show what the customer would see in its own console", async () => {
    const account = await fixture.connect();
    const id = await fixture.issue(account, ["state.example"], "t");
    const origin = { kind: "host", hostname: "127.0.0.1:1" } as const;
    const created = await fixture.cloud.distributions.create(account, { token: "t", origin });
    const update = { aliases: ["state.example"], certificateId: id, enabled: true, etag: created.etag };
    const updated = await fixture.cloud.distributions.update(account, created.id, update);
    const write = { region: "us-west-2", name: "/slipway/KEY", value: "shown", token: "run" };
    await fixture.cloud.parameters.put(account, write);
    const { reference } = await fixture.cloud.secrets.put(account, write);
    const { calls, ...state } = await fixture.accountState(account);
    const value = {
      name: "/slipway/KEY",
      region: "us-west-2",
      versionCount: 1,
      value: "shown",
      isOurs: true,
    };
    assert.deepEqual(
      { ...state, stackStatus: "" },
      {
        serviceId: account.connectionId,
        accountId: account.accountId,
        roleArn: account.roleArn,
        stackStatus: "",
        certificates: [{ id, status: "ISSUED", names: ["state.example"], failureReason: null, inUse: true }],
        distributions: [{ ...updated, changedAt: updated.changedAt.toISOString(), origin }],
        parameters: [value],
        secrets: [{ arn: reference, ...value }],
        zones: [],
        services: [],
      },
    );
    assert.equal(calls["parameters.put"], 1);
    assert.equal(calls["distributions.update"], 1);
  });
});
