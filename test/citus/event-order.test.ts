/** Events draw their positions from the sequence of their organization's node. Part of `npm run test:citus`. */
import assert from "node:assert/strict";
import { after, before, it, describe } from "node:test";
import { Client } from "pg";
import { INSERT_EVENTS } from "../../src/features/events/outbox.ts";
import { createPostgresCopy, type TestDatabase } from "../helpers/template.ts";

const adminUrl = process.env["SLIPWAY_TEST_CITUS_URL"];
const skip = adminUrl === undefined && "part of npm run test:citus";
/** So many organizations are on more than one node. */
const ORGANIZATIONS = 8;

describe("a distributed database", () => {
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

  it("keeps the order of events", { skip }, async () => {
    for (let nth = 0; nth < ORGANIZATIONS; nth += 1) {
      const organizationId = `org_${nth}`;
      await client.query("INSERT INTO event_heads (organization_id) VALUES ($1)", [organizationId]);
      const written: string[] = [];
      for (let count = 0; count < 8; count += 1) {
        const id = `evt_${count}`;
        const event = { id, type: "x", subject_type: "x", subject_id: "x", data: {} };
        const { rowCount } = await client.query(INSERT_EVENTS, [
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
});
