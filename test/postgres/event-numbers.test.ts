/** Numbers are given after the commit, so a write that commits late is not missed by who has read past it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import type { Database } from "../../src/db/database.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { sequenceEvents } from "../../src/features/events/sequence-events.ts";
import { boundsOfEvents, readEvents } from "../../src/features/events/queries.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { createPostgresCopy } from "../helpers/template.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];

describe("the numbers of events", { skip: adminUrl === undefined && "part of npm run test:postgres" }, () => {
  let copy: Awaited<ReturnType<typeof createPostgresCopy>>;
  let db: Database;
  let other: Client;
  let organizationId: string;
  const undo: (() => Promise<unknown>)[] = [];

  before(async () => {
    copy = await createPostgresCopy(adminUrl ?? "");
    undo.push(() => copy.drop());
    db = createPostgresDatabase({ connectionString: copy.url, poolSize: 10, onError: () => undefined });
    undo.push(() => db.close());
    other = new Client({ connectionString: copy.url });
    await other.connect();
    undo.push(() => other.end());
    ({ organizationId } = await db.transaction((tx) => createOrganization(tx, "Numbered", null)));
  });
  after(async () => {
    for (const step of undo.toReversed()) await step();
  });

  const insert = (client: Client, id: string) =>
    client.query(
      `INSERT INTO event_outbox (organization_id, id, type, subject_type, subject_id, actor_kind, actor_id, request_id,
                                   data)
         VALUES ($1, $2, 'user.updated', 'user', 'user_1', 'slipway', 'slipway', 'background', '{}')`,
      [organizationId, id],
    );
  const number = async (): Promise<void> => {
    while ((await sequenceEvents(db, async () => {}).run(new AbortController().signal)) === 0);
  };
  const idsAfter = async (place: number): Promise<readonly string[]> => {
    const { last } = await boundsOfEvents(db, organizationId);
    const range = { after: place, last, limit: 1_000 };
    const { events } = await readEvents(db, organizationId, range, {
      types: null,
      projectId: null,
      environmentId: null,
      subjectId: null,
    });
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => place + index + 1),
    );
    return events.map(({ id }) => id);
  };

  it("have no gap while a transaction that began first commits last", async () => {
    await number();
    const { last } = await boundsOfEvents(db, organizationId);
    const second = new Client({ connectionString: copy.url });
    await second.connect();
    try {
      await other.query("BEGIN");
      await insert(other, "evt_late");
      await insert(second, "evt_early");
      await number();
      assert.deepEqual(await idsAfter(last), ["evt_early"]);
      await other.query("COMMIT");
      await number();
      assert.deepEqual(await idsAfter(last), ["evt_early", "evt_late"]);
    } finally {
      await second.end();
    }
  });

  it("are given once, when several processes number at the same time", async () => {
    const { last } = await boundsOfEvents(db, organizationId);
    const ids = Array.from({ length: 3_000 }, (_, index) => `evt_${index}`);
    await other.query(
      `INSERT INTO event_outbox (organization_id, id, type, subject_type, subject_id, actor_kind, actor_id, request_id,
                                   data)
         SELECT $1, id, 'user.updated', 'user', 'user_1', 'slipway', 'slipway', 'background', '{}'
           FROM unnest($2::text[]) WITH ORDINALITY AS given(id, place) ORDER BY place`,
      [organizationId, ids],
    );
    await Promise.all(Array.from({ length: 6 }, number));
    await number();
    const first = await idsAfter(last);
    const rest = await idsAfter(last + first.length);
    const others = await idsAfter(last + first.length + rest.length);
    assert.deepEqual([...first, ...rest, ...others], ids);
  });

  it("of who stands still while it numbers are given by another", async () => {
    const { last } = await boundsOfEvents(db, organizationId);
    await other.query("BEGIN");
    await other.query("SELECT FROM event_heads WHERE organization_id = $1 FOR UPDATE", [organizationId]);
    const second = new Client({ connectionString: copy.url });
    await second.connect();
    try {
      await insert(second, "evt_held");
      const { run } = sequenceEvents(db, async () => {});
      assert.ok((await run(new AbortController().signal)) > 0);
      assert.deepEqual(await idsAfter(last), []);
      await other.query("ROLLBACK");
      await number();
      assert.deepEqual(await idsAfter(last), ["evt_held"]);
    } finally {
      await second.end();
    }
  });
});
