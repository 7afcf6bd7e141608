/** Both ways to write events draw their positions from one sequence. Part of `npm run test:citus`. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Client } from "pg";
import { insertEvents } from "../../src/features/events/outbox.ts";
import { createPostgresCopy, type TestDatabase } from "../helpers/template.ts";

const adminUrl = process.env["SLIPWAY_TEST_CITUS_URL"];
const skip = adminUrl === undefined && "part of npm run test:citus";
const WITH_ITS_CHANGE = `WITH changed AS (
   UPDATE event_heads SET last = last WHERE organization_id = $1 RETURNING organization_id AS id),
   emitted AS (${insertEvents(2, "changed")})
   SELECT id FROM outbox`;
/** So many organizations are on more than one node. */
const ORGANIZATIONS = 8;

let copy: TestDatabase;
let client: Client;
before(async () => {
  if (adminUrl === undefined) return;
  copy = await createPostgresCopy(adminUrl);
  client = new Client({ connectionString: copy.url });
  await client.connect();
});
after(async () => {
  if (adminUrl === undefined) return;
  await client.end();
  await copy.drop();
});

it("keeps the order of events, however they are written", { skip }, async () => {
  for (let nth = 0; nth < ORGANIZATIONS; nth += 1) {
    const organizationId = `org_${nth}`;
    await client.query("INSERT INTO event_heads (organization_id) VALUES ($1)", [organizationId]);
    const written: string[] = [];
    for (const text of [WITH_ITS_CHANGE, insertEvents(2), WITH_ITS_CHANGE, insertEvents(2)])
      for (const part of [1, 2]) {
        const id = `evt_${written.length}_${part}`;
        const event = { id, type: "x", subject_type: "x", subject_id: "x", data: {} };
        const { rowCount } = await client.query(text, [
          organizationId,
          "user",
          "user_1",
          "r",
          JSON.stringify([event]),
        ]);
        assert.equal(rowCount, 1);
        written.push(id);
      }
    const { rows } = await client.query<{ id: string }>(
      "SELECT id FROM event_outbox WHERE organization_id = $1 ORDER BY position",
      [organizationId],
    );
    assert.deepEqual(
      rows.map(({ id }) => id),
      written,
    );
  }
});
