import assert from "node:assert/strict";
import path from "node:path";
import { rm } from "node:fs/promises";
import { after, before, beforeEach, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import type { Database } from "../../db/database.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import { type Actor, FULL_ACCESS } from "../../lib/actor.ts";
import { hashApiKey, newApiKey } from "../../lib/api-key.ts";
import { hashSession } from "../../lib/organization-token.ts";
import { findPrincipal } from "../api-keys/queries.ts";
import { createOrganization } from "../organizations/commands.ts";
import { beginSession, pruneSessions } from "./commands.ts";
import { sessions } from "./store.ts";

const LIMITS = { idleMs: 12 * 3_600_000, maxMs: 168 * 3_600_000 };

describe("the time of a session", () => {
  let folder: string;
  let db: Database;
  let actor: Actor;
  let hash: Uint8Array;
  before(async () => {
    folder = await makeTempDir("sessions");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    const key = newApiKey();
    await db.transaction((tx) => createOrganization(tx, "Sessions", key));
    const principal = await findPrincipal(db, hashApiKey(key));
    assert.ok(principal !== null && principal !== "expired");
    actor = { ...principal, access: FULL_ACCESS, requestId: "request" };
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await db.execute("DELETE FROM sessions; UPDATE api_keys SET expires_at = NULL");
    const by = { apiKeyId: actor.credential.id, provider: null };
    const { token, pageKey } = await db.transaction((tx) => beginSession(tx, actor, by));
    hash = hashSession(token, pageKey);
  });

  const isOpen = async () => (await sessions.findPrincipal(db, actor.organizationId, hash, LIMITS)) !== null;

  it("ends when it is idle for too long", async () => {
    await db.execute("UPDATE sessions SET last_seen_at = now() - interval '11 hours 59 minutes'");
    assert.ok(await isOpen());
    assert.equal(await pruneSessions(db, LIMITS), false);
    assert.ok(await isOpen());
    await db.execute("UPDATE sessions SET last_seen_at = now() - interval '12 hours 1 second'");
    assert.ok(!(await isOpen()));
    const page = { after: "", limit: 10, order: "asc" } as const;
    const list = () =>
      sessions.list(db, actor.organizationId, actor.userId, { ...LIMITS, idleMs: LIMITS.maxMs }, page);
    assert.equal((await list()).length, 1);
    await pruneSessions(db, LIMITS);
    assert.equal((await list()).length, 0);
  });

  it("ends when it is too old, however busy", async () => {
    await db.execute("UPDATE sessions SET created_at = now() - interval '167 hours 59 minutes'");
    assert.ok(await isOpen());
    await db.execute("UPDATE sessions SET created_at = now() - interval '168 hours 1 second'");
    assert.ok(!(await isOpen()));
  });

  it("ends when the key that it came from expires", async () => {
    await db.execute("UPDATE api_keys SET expires_at = now() + interval '1 minute'");
    assert.ok(await isOpen());
    await db.execute("UPDATE api_keys SET expires_at = now()");
    assert.ok(!(await isOpen()));
  });
});
