/** The user whom a user's own channel informs, with the rights that the database has now. */
import type { Sql } from "../../db/database.ts";
import { visibleTo } from "../../lib/access.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import type { EventReader } from "../events/event.ts";
import { findRights } from "../project-access/queries.ts";
import { findUser } from "../users/queries.ts";
import type { Channel } from "./channel.ts";

export type Recipient = {
  /** Null if the account has none. */
  readonly email: string | null;
  readonly reader: EventReader;
  /** Whether the user's role reads events of a type. */
  readonly reads: (type: string) => boolean;
};

/** Null if the user is deleted. */
export async function findRecipient(
  sql: Sql,
  catalogue: EventCatalogue,
  { organizationId, projectIds }: Pick<Channel, "organizationId" | "projectIds">,
  userId: string,
): Promise<Recipient | null> {
  const user = await findUser(sql, organizationId, userId);
  const rights = user === null ? null : await findRights(sql, organizationId, userId);
  if (user === null || rights === null) return null;
  const readable = catalogue.readableBy(rights.role);
  const visible = visibleTo(rights);
  return {
    email: user.email,
    reader: {
      visible: projectIds === null ? visible : { only: projectIds, but: visible?.but ?? null },
      userId: rights.role === "admin" ? null : userId,
    },
    reads: (type) => readable?.includes(type) !== false,
  };
}
