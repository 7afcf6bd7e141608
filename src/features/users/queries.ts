import type { Sql } from "../../db/database.ts";
import { orNotFound } from "../../lib/errors.ts";
import { users } from "./store.ts";
import type { ShownUser, User } from "./user.ts";

/** Null for an unknown user. */
export const findUser = users.find;

/** A user with what lets it in; null for an unknown user. */
export const findShownUser = users.findShown;

/** The user with an address, in lower case; null without one. */
export const findUserByEmail = users.findByEmail;

/** The first admins who are people. */
export const { listAdmins } = users;

/** @throws AppError `NOT_FOUND` */
export async function getUser(sql: Sql, organizationId: string, id: string): Promise<User> {
  return orNotFound(await findUser(sql, organizationId, id));
}

/** @throws AppError `NOT_FOUND` */
export async function getShownUser(sql: Sql, organizationId: string, id: string): Promise<ShownUser> {
  return orNotFound(await findShownUser(sql, organizationId, id));
}
