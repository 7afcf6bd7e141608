import type { User } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { PAGE } from "./limited.ts";
import { pick } from "./pick.ts";
import { collect } from "./scope.ts";

/** A user by id, by address, or a service account by its name. */
export async function findUser(context: Context, named: string): Promise<User> {
  const client = await context.client();
  if (named.startsWith("user_")) return await client.users.get(named, { signal: context.signal });
  return pick(await collect(client.users.list({ limit: PAGE })), named, {
    noun: "user",
    flag: "its id",
    within: "",
    namesOf: ({ email, name }) => [email ?? name],
    idOf: ({ id }) => id,
  });
}
