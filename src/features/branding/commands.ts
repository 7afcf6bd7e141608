import { createHash } from "node:crypto";
import { announceChange } from "../../db/changes.ts";
import type { Transaction } from "../../db/database.ts";
import type { Actor } from "../../lib/actor.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { changeOf, recordAudit } from "../audit/record-audit.ts";
import { emit } from "../events/emit.ts";
import { lockOrganization } from "../users/commands.ts";
import type { Branding, Logo } from "./brand.ts";
import { BRANDING_EVENTS } from "./events.ts";
import { findBranding } from "./queries.ts";
import { readLogo } from "./read-logo.ts";
import { brandings } from "./store.ts";

/** A field that is left out stays; null removes it. */
export type BrandingChange = {
  readonly name?: string | null;
  readonly accentColor?: string | null;
  /** The bytes of the image, in base64. */
  readonly logo?: string | null;
};

/** Changes how the share links of the actor's organization look. @throws AppError `INVALID_REQUEST` for the logo */
export async function updateBranding(
  tx: Transaction,
  actor: Actor,
  { name, accentColor, logo }: BrandingChange,
): Promise<Branding> {
  const { organizationId } = actor;
  await lockOrganization(tx, organizationId);
  const before = await findBranding(tx, organizationId);
  const bytes = typeof logo === "string" ? Buffer.from(logo, "base64") : null;
  const after: Branding = {
    name: name === undefined ? before.name : name,
    accentColor: accentColor === undefined ? before.accentColor : (accentColor?.toLowerCase() ?? null),
    logo: logo === undefined ? before.logo : bytes === null ? null : describeLogo(organizationId, bytes),
  };
  const change = changeOf(shownInAudit(before), shownInAudit(after));
  if (Object.keys(change.after ?? {}).length === 0) return before;
  await brandings.save(tx, organizationId, after);
  if (after.logo?.hash !== before.logo?.hash) await brandings.saveLogo(tx, organizationId, after, bytes);
  announceChange(tx, organizationId);
  recordAudit(tx, actor, "organization.branding-updated", organizationId, change);
  emit(tx, actor, {
    type: BRANDING_EVENTS["organization.branding_updated"],
    subjectId: organizationId,
    data: { name: after.name, accentColor: after.accentColor, hasLogo: after.logo !== null },
  });
  return after;
}

/** The organization is part of the hash, so that no address shows that two organizations have the same logo. */
function describeLogo(organizationId: string, bytes: Buffer): Logo {
  const image = readLogo(bytes);
  if ("fault" in image) throw invalidRequest([{ path: "/logo", ...image.fault }]);
  return { ...image, hash: createHash("sha256").update(organizationId).update(bytes).digest("hex") };
}

function shownInAudit({ name, accentColor, logo }: Branding) {
  return { name, accentColor, logo: logo?.hash ?? null };
}
