/** A user of an organization with a git integration, in a database without an instance around it. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Database } from "../../../src/db/database.ts";
import { openPgliteDatabase } from "../../../src/db/drivers/pglite.ts";
import { findPrincipal } from "../../../src/features/api-keys/queries.ts";
import { createGitIntegration } from "../../../src/features/git-integrations/commands.ts";
import {
  type GitIntegration,
  tokenIdentity,
} from "../../../src/features/git-integrations/git-integration.ts";
import { createOrganization } from "../../../src/features/organizations/commands.ts";
import { updateUser } from "../../../src/features/users/commands.ts";
import { type Actor, FULL_ACCESS } from "../../../src/lib/actor.ts";
import { hashApiKey } from "../../../src/lib/api-key.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { newId } from "../../../src/lib/ids.ts";
import { openSealing, type Sealing } from "../../../src/sealing/open-sealing.ts";
import { Secret } from "../../../src/sealing/secret.ts";
import { copyPgliteTemplate, makeTempDir } from "../template.ts";

const KEY = "a-key-of-a-user-with-a-git-login";

export type GitUser = {
  readonly db: Database;
  readonly atRest: Sealing["atRest"];
  /** The organization's first user, an admin. */
  readonly admin: Actor;
  readonly integrationId: string;
  /** Sets the login of `admin` at the git host. */
  setLogin(gitLogin: string | null): Promise<void>;
  dispose(): Promise<void>;
};

const GITHUB = { provider: "provider_a", host: null } as const;

/** @param token of the integration; @param where its git host */
export async function createGitUser(
  token: string,
  where: Pick<GitIntegration, "provider" | "host"> = GITHUB,
): Promise<GitUser> {
  const folder = await makeTempDir("git-user");
  await copyPgliteTemplate(path.join(folder, "database"));
  const db = await openPgliteDatabase({ folder: path.join(folder, "database") });
  const { atRest } = await openSealing({ folder: path.join(folder, "keys"), clock: systemClock });
  await db.transaction((tx) => createOrganization(tx, "Test", KEY));
  const principal = await findPrincipal(db, hashApiKey(KEY));
  assert.ok(principal !== null && principal !== "expired");
  const admin: Actor = { ...principal, access: FULL_ACCESS, requestId: "request" };
  const { organizationId } = admin;
  const id = newId("git");
  const sealedToken = await atRest.seal(tokenIdentity({ organizationId, id }), new Secret(token));
  await db.transaction((tx) => createGitIntegration(tx, admin, { id, ...where, sealedToken }));
  return {
    db,
    atRest,
    admin,
    integrationId: id,
    async setLogin(gitLogin) {
      await db.transaction((tx) => updateUser(tx, admin, admin.userId, { gitLogin }));
    },
    async dispose() {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
