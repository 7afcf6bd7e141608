import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import type { ApiAnswer } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

describe("an Idempotency-Key", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
  });
  after(() => instance.dispose());

  const key = (value: string) => ({ "idempotency-key": value });
  const countAccounts = async (givenId: string): Promise<number> => {
    const { body } = await instance.admin.get("/v1/aws-accounts?limit=100");
    return body.awsAccounts.filter((account: { givenId: string }) => account.givenId === givenId).length;
  };

  it("replays the first answer (status, Location and body) every time", async () => {
    const body = { givenId: "replayed" };
    const first = await instance.admin.post("/v1/aws-accounts", body, key("replay"));
    assert.equal(first.status, 201);
    assert.equal(first.headers.get("idempotent-replayed"), null);
    for (let times = 0; times < 3; times += 1) {
      const again = await instance.admin.post("/v1/aws-accounts", body, key("replay"));
      assert.equal(again.status, 201);
      assert.deepEqual(again.body, first.body);
      assert.equal(again.headers.get("location"), first.headers.get("location"));
      assert.equal(again.headers.get("idempotent-replayed"), "true");
    }
    assert.equal(await countAccounts("replayed"), 1);
  });

  it("replays an answer that would no longer be possible", async () => {
    const created = await instance.admin.post("/v1/aws-accounts", { givenId: "gone" });
    const address = `/v1/aws-accounts/${created.body.id}`;
    const first = await instance.admin.delete(address, undefined, key("delete"));
    assert.equal(first.status, 204);
    const again = await instance.admin.delete(address, undefined, key("delete"));
    assert.equal(again.status, 204);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assertRefused(await instance.admin.delete(address), 404, "NOT_FOUND");
  });

  it("of fifty concurrent requests has one effect; each gets the one answer, or has to retry", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => instance.admin.post("/v1/api-keys", { name: "raced" }, key("fifty"))),
    );
    const isReplay = (answer: ApiAnswer) => answer.headers.get("idempotent-replayed") === "true";
    const done = answers.filter(({ status }) => status === 201);
    assert.equal(done.filter((answer) => !isReplay(answer)).length, 1);
    const [first] = done;
    for (const answer of done) assert.deepEqual(answer.body, first?.body);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assertRefused(answer, 409, "IDEMPOTENCY_KEY_IN_PROGRESS");
      assert.equal(answer.headers.get("retry-after"), "1");
    }
    const { body } = await instance.admin.get("/v1/api-keys?limit=100");
    assert.equal(body.apiKeys.filter(({ name }: { name: string }) => name === "raced").length, 1);
  });

  it("is refused with 422 for another body, path or method", async () => {
    const headers = key("reused");
    const first = await instance.admin.post("/v1/aws-accounts", { givenId: "reused" }, headers);
    assert.equal(first.status, 201);
    const others = [
      instance.admin.post("/v1/aws-accounts", { givenId: "reused-2" }, headers),
      instance.admin.post("/v1/api-keys", { name: "x" }, headers),
      instance.admin.delete(`/v1/aws-accounts/${first.body.id}`, undefined, headers),
    ];
    for (const other of await Promise.all(others)) assertRefused(other, 422, "IDEMPOTENCY_KEY_REUSED");
    assert.equal(await countAccounts("reused-2"), 0);
    assert.equal(await countAccounts("reused"), 1);
  });

  it("belongs to its organization", async () => {
    const body = { givenId: "tenants" };
    const mine = await instance.admin.post("/v1/aws-accounts", body, key("tenants"));
    const theirs = await instance.other.post("/v1/aws-accounts", body, key("tenants"));
    assert.equal(theirs.status, 201);
    assert.equal(theirs.headers.get("idempotent-replayed"), null);
    assert.notEqual(theirs.body.id, mine.body.id);
  });

  it("does not keep a refusal: the request may be fixed and sent again", async () => {
    const invalid = await instance.admin.post("/v1/aws-accounts", { givenId: "" }, key("fixed"));
    assertRefused(invalid, 400, "INVALID_REQUEST");
    await instance.admin.post("/v1/aws-accounts", { givenId: "blocker" });
    const conflict = await instance.admin.post("/v1/aws-accounts", { givenId: "blocker" }, key("fixed"));
    assertRefused(conflict, 409, "GIVEN_ID_TAKEN");
    const fixed = await instance.admin.post("/v1/aws-accounts", { givenId: "fixed" }, key("fixed"));
    assert.equal(fixed.status, 201);
  });

  it("is checked after the API key: a replay is never for another caller", async () => {
    await instance.admin.post("/v1/aws-accounts", { givenId: "private" }, key("private"));
    const answer = await fetch(`${instance.url}/v1/aws-accounts`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "private" },
      body: JSON.stringify({ givenId: "private" }),
    });
    assert.equal(answer.status, 401);
    await answer.body?.cancel();
  });

  it("has 1 to 255 characters", async () => {
    for (const value of ["", "x".repeat(256)]) {
      const answer = await instance.admin.post("/v1/aws-accounts", { givenId: "length" }, key(value));
      assertRefused(answer, 400, "INVALID_REQUEST");
    }
    const longest = await instance.admin.post("/v1/aws-accounts", { givenId: "l" }, key("x".repeat(255)));
    assert.equal(longest.status, 201);
  });

  it("keeps its answer sealed: a new API key is nowhere in the database", async () => {
    const created = await instance.admin.post("/v1/api-keys", { name: "sealed" }, key("sealed"));
    assert.match(created.body.key, /^slw_/);
    assert.ok(!(await storedText(instance)).includes(created.body.key));
  });

  it("holds across a restart", async () => {
    const body = { givenId: "restarted" };
    const first = await instance.admin.post("/v1/aws-accounts", body, key("restarted"));
    instance = await instance.restart();
    const again = await instance.admin.post("/v1/aws-accounts", body, key("restarted"));
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
  });
});

/** Everything that the database stores: PGlite's files with its log, or every idempotency row of PostgreSQL. */
async function storedText(instance: Instance): Promise<string> {
  if (instance.databaseUrl !== null) {
    const client = new Client({ connectionString: instance.databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      `SELECT i::text || encode(i.answer, 'escape') AS text FROM idempotency_keys i
        UNION ALL SELECT k::text FROM api_keys k`,
    );
    await client.end();
    return rows.map(({ text }) => String(text)).join("\n");
  }
  const folder = path.join(instance.dataDir, "database");
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  // The database is in use: it may have removed a file of its log since the listing.
  const texts = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map((file) => readFile(path.join(file.parentPath, file.name), "latin1").catch(emptyIfGone)),
  );
  const all = texts.join("\n");
  assert.ok(all.includes("slw_"), "the prefix of the key, which is stored, is found");
  return all;
}

function emptyIfGone(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return "";
  throw error;
}
