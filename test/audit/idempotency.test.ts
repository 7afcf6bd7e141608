/** A11 and S11: what makes two requests of one Idempotency-Key the same, and whose answer it is. */
import { FULL_ACCESS } from "../../src/lib/actor.ts";
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { FastifyRequest } from "fastify";
import { writeStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createIdempotency } from "../../src/http/requests/idempotency.ts";
import { newId } from "../../src/lib/ids.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { openSealing } from "../../src/sealing/open-sealing.ts";
import { Secret } from "../../src/sealing/secret.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { createUserClient } from "../helpers/users.ts";

const key = (value: string) => ({ "idempotency-key": value });

describe("an Idempotency-Key", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.dispose());

  it("A11: treats the same JSON as the same request, with any order of members and white space", async () => {
    const { admin } = instance;
    const first = await admin.post(
      "/v1/users",
      '{"email":"a@example.com","role":"viewer","name":"A\\u00e9"}',
      key("a"),
    );
    assert.equal(first.status, 201, first.text);
    for (const body of [
      '{"role":"viewer","name":"A\\u00e9","email":"a@example.com"}',
      '\n{ "name" : "A\u00e9",\t"email":"a@example.com", "role" : "viewer" }\n',
    ]) {
      const again = await admin.post("/v1/users", body, key("a"));
      assert.deepEqual([again.status, again.text], [201, first.text]);
      assert.equal(again.headers.get("idempotent-replayed"), "true");
    }
    const other = '{"role":"viewer","name":"B","email":"a@example.com"}';
    assertRefused(await admin.post("/v1/users", other, key("a")), 422, "IDEMPOTENCY_KEY_REUSED");
  });

  it("A11: distinguishes another order of items, and values of other types", async () => {
    const { admin } = instance;
    const path = "/v1/aws-accounts";
    assert.equal((await admin.post(path, { givenId: "one", name: "1" }, key("b"))).status, 201);
    assertRefused(
      await admin.post(path, { givenId: "1", name: "one" }, key("b")),
      422,
      "IDEMPOTENCY_KEY_REUSED",
    );
  });

  it("S11: gives a second admin with the same key and body a separate answer, never the first one's", async () => {
    const { admin } = instance;
    const second = await createUserClient(admin, "admin");
    const ask = (client: ApiClient) => client.post("/v1/api-keys", { name: "mine" }, key("shared"));
    const [ofFirst, ofSecond] = [await ask(admin), await ask(second)];
    assert.deepEqual([ofFirst.status, ofSecond.status], [201, 201], ofSecond.text);
    assert.notEqual(ofFirst.body.key, ofSecond.body.key);
    assert.notEqual(ofFirst.body.userId, ofSecond.body.userId);
    assert.equal(ofSecond.headers.get("idempotent-replayed"), null);
    for (const [client, first] of [
      [admin, ofFirst],
      [second, ofSecond],
    ] as const) {
      const again = await ask(client);
      assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    }
    // Nor does it reveal what the first key was used for.
    const other = await second.post("/v1/api-keys", { name: "other" }, key("of the first"));
    assert.equal((await admin.post("/v1/api-keys", { name: "mine" }, key("of the first"))).status, 201);
    assert.equal(other.status, 201);
  });

  it("S11: of one user is shared by all of the user's API keys", async () => {
    const { admin } = instance;
    const { body: more } = await admin.post("/v1/api-keys", { name: "second key" });
    const other = createApiClient(instance.url, more.key);
    const first = await admin.post("/v1/aws-accounts", { givenId: "rotated" }, key("rotated"));
    const again = await other.post("/v1/aws-accounts", { givenId: "rotated" }, key("rotated"));
    assert.deepEqual([again.status, again.text], [201, first.text]);
  });

  it("S11: of a key without limits is not answered to a limited key of the same user", async () => {
    const { admin } = instance;
    const limited = async (limits: object) => {
      const { body } = await admin.post("/v1/api-keys", { name: "limited", ...limits });
      return createApiClient(instance.url, body.key);
    };
    const one = await limited({ scopes: ["admin", "deploy"] });
    const same = await limited({ scopes: ["deploy", "admin"] });
    const ask = (client: ApiClient) =>
      client.post("/v1/api-keys", { name: "made", scopes: ["deploy"] }, key("of limits"));
    const first = await ask(admin);
    const own = await ask(one);
    assert.deepEqual([first.status, own.status], [201, 201], own.text);
    assert.notEqual(own.body.key, first.body.key);
    assert.equal(own.headers.get("idempotent-replayed"), null);
    for (const [client, text] of [
      [admin, first.text],
      [one, own.text],
      [same, own.text],
    ] as const) {
      const again = await ask(client);
      assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [text, "true"]);
    }
    const reader = await limited({ scopes: ["read"] });
    assertRefused(await ask(reader), 403, "SCOPE_MISSING");
  });

  it("S11: of a record of the previous release, without a caller, is recognized by the bytes of the body", async () => {
    const folder = await makeTempDir("idempotency");
    await copyPgliteTemplate(path.join(folder, "database"));
    const db = await openPgliteDatabase({ folder: path.join(folder, "database"), onError: () => undefined });
    try {
      const sealing = await openSealing({ folder: path.join(folder, "keys"), clock: systemClock });
      const { organizationId } = await db.transaction((tx) => createOrganization(tx, "Old", null));
      const actor = {
        organizationId,
        userId: newId("user"),
        credential: { kind: "api-key" as const, id: newId("key") },
        role: "admin",
        access: FULL_ACCESS,
        requestId: "r",
      } as const;
      const url = "/v1/users";
      const raw = '{"b":1,"a":2}';
      const answer = { status: 201, location: null, body: "{}" };
      const sealed = await sealing.atRest.seal(
        ["idempotency", organizationId, "old"],
        new Secret(JSON.stringify(answer)),
      );
      const fingerprint = sealing.fingerprint([
        organizationId,
        "POST",
        url,
        Buffer.from(raw).toString("base64"),
      ]);
      await db.query(INSERT_OLD, [organizationId, "old", fingerprint.current(), sealed]);
      const requestOf = (text: string) =>
        ({
          headers: key("old"),
          method: "POST",
          url,
          rawBody: Buffer.from(text),
          body: JSON.parse(text),
        }) as unknown as FastifyRequest;
      const idempotency = createIdempotency(sealing);
      assert.deepEqual(await idempotency.forRequest(requestOf(raw), actor)?.find(db), answer);
      await assert.rejects(
        async () => await idempotency.forRequest(requestOf('{"b":2}'), actor)?.find(db),
        /another request/,
      );
    } finally {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

const INSERT_OLD = writeStatement(
  "test_insert_old_record",
  `INSERT INTO idempotency_keys (organization_id, key, fingerprint, answer) VALUES ($1, $2, $3, $4)`,
);
