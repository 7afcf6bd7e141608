import type { Role } from "../../lib/actor.ts";

/** A user's role in a project. */
export type ProjectMember = {
  readonly organizationId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
