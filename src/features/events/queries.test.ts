import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { type Database, writeStatement } from "../../db/database.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import { boundsOfEvents, readEvents } from "./queries.ts";

const INSERT_EVENTS = writeStatement(
  "test_insert_events",
  `INSERT INTO events (organization_id, sequence, id, type, occurred_at, subject_type, subject_id, actor_kind, actor_id,
                       request_id, data, numbered_at)
   SELECT $1, i, 'evt_' || i, CASE WHEN i % 12000 = 0 THEN 'user.deleted' ELSE 'user.updated' END, now(), 'user',
          'user_' || i % 7, 'slipway', 'slipway', 'background', '{}', now()
     FROM generate_series(1, $2::int) i`,
);
const INSERT_HEAD = writeStatement(
  "test_insert_head",
  `INSERT INTO event_heads (organization_id, last) VALUES ($1, $2)`,
);

describe("a read of events with a filter", () => {
  const ORGANIZATION = "org_read";
  const LAST = 25_000;
  let folder: string;
  let db: Database;
  before(async () => {
    folder = await makeTempDir("events");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    await db.acrossOrganizations(async () => {
      await db.query(INSERT_EVENTS, [ORGANIZATION, LAST]);
      await db.query(INSERT_HEAD, [ORGANIZATION, LAST]);
    });
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const read = (after: number, types: readonly string[] | null, subjectId: string | null = null) =>
    readEvents(
      db,
      ORGANIZATION,
      { after, last: LAST, limit: 100 },
      { types, subjectId, projectId: null, environmentId: null },
    );

  it("looks at a bounded number, says how far it got, and finds all of them in the end", async () => {
    const found: number[] = [];
    const places: number[] = [];
    for (let place = 0; place < LAST;) {
      const batch = await read(place, ["user.deleted"]);
      found.push(...batch.events.map(({ sequence }) => sequence));
      place = batch.through;
      places.push(place);
    }
    assert.deepEqual(found, [12_000, 24_000]);
    assert.deepEqual(places, [10_000, 20_000, LAST]);
  });

  it("continues after the last one of a full page", async () => {
    const { events, through } = await read(0, null);
    assert.deepEqual([events.length, through], [100, 100]);
  });

  it("of one subject finds it wherever it is", async () => {
    const { events, through } = await read(24_900, null, "user_3");
    assert.ok(events.length > 0 && events.every(({ subjectId }) => subjectId === "user_3"));
    assert.equal(through, LAST);
    assert.deepEqual((await read(0, ["user.deleted"], "user_nobody")).through, LAST);
  });

  it("knows the bounds, also of who never had an event", async () => {
    assert.deepEqual(await boundsOfEvents(db, ORGANIZATION), { oldest: 1, last: LAST });
    assert.deepEqual(await boundsOfEvents(db, "org_none"), { oldest: 1, last: 0 });
  });
});
