import type { Sql } from "../../db/database.ts";
import { notFound } from "../../lib/errors.ts";
import { users } from "./store.ts";
import type { ShownUser, User } from "./user.ts";

/** @throws AppError `NOT_FOUND` */
export async function getUser(sql: Sql, organizationId: string, id: string): Promise<User> {
  const user = await users.find(sql, organizationId, id);
  if (user === null) throw notFound();
  return user;
}

/** Null for an unknown user. */
export async function findUser(sql: Sql, organizationId: string, id: string): Promise<User | null> {
  return await users.find(sql, organizationId, id);
}

/** A user with what lets it in; null for an unknown user. */
export async function findShownUser(sql: Sql, organizationId: string, id: string): Promise<ShownUser | null> {
  return await users.findShown(sql, organizationId, id);
}

/** @throws AppError `NOT_FOUND` */
export async function getShownUser(sql: Sql, organizationId: string, id: string): Promise<ShownUser> {
  const user = await findShownUser(sql, organizationId, id);
  if (user === null) throw notFound();
  return user;
}

/** The user with an address, in lower case; null without one. */
export async function findUserByEmail(sql: Sql, organizationId: string, email: string): Promise<User | null> {
  return await users.findByEmail(sql, organizationId, email);
}

/** The first admins who are people. */
export async function listAdmins(sql: Sql, organizationId: string, limit: number): Promise<readonly User[]> {
  return await users.listAdmins(sql, organizationId, limit);
}
