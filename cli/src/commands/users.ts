import type { Scope, User } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { PAGE, takeLimited } from "../find/limited.ts";
import { findProject } from "../find/scope.ts";
import { findUser } from "../find/user.ts";
import { readDuration } from "../input/duration.ts";
import { UsageError } from "../output/failure.ts";
import type { Handler } from "../table/command.ts";
import type { Input } from "../table/input.ts";

export const listUsers: Handler = async (context, input) => {
  const client = await context.client();
  context.output.list(await takeLimited(input, context.output, client.users.list({ limit: PAGE })), [
    { title: "email", of: ({ email }) => email },
    { title: "id", of: ({ id }) => id },
    { title: "role", of: ({ role }) => role },
    { title: "name", of: ({ name }) => name },
    { title: "last seen", of: ({ lastSeenAt }) => lastSeenAt },
  ]);
};

export const createUser: Handler = async (context, input) => {
  const client = await context.client();
  const { role, ...fields } = fieldsOf(input);
  const body = { email: input.argument("EMAIL"), role: role ?? "viewer", ...fields };
  showUser(context, await client.users.create(body, { signal: context.signal }));
};

export const updateUser: Handler = async (context, input) => {
  const client = await context.client();
  const fields = fieldsOf(input);
  if (Object.keys(fields).length === 0)
    throw new UsageError("What changes? Give --role, --name or --git-login.");
  const { id } = await findUser(context, input.argument("USER"));
  showUser(context, await client.users.update(id, fields, { signal: context.signal }));
};

export const deleteUser: Handler = async (context, input) => {
  const client = await context.client();
  const { id, email, name } = await findUser(context, input.argument("USER"));
  const called = email ?? name;
  await context.prompt.confirm(`Delete ${called} and its keys?`);
  await client.users.delete(id, { signal: context.signal });
  context.output.item({ id, isDeleted: true }, [["deleted", called]]);
};

export const listKeys: Handler = async (context, input) => {
  const client = await context.client();
  context.output.list(await takeLimited(input, context.output, client.apiKeys.list({ limit: PAGE })), [
    { title: "id", of: ({ id }) => id },
    { title: "name", of: ({ name }) => name },
    { title: "prefix", of: ({ prefix }) => prefix },
    { title: "user", of: ({ userId }) => userId },
    { title: "scopes", of: ({ scopes }) => scopes?.join(" ") ?? "all" },
    { title: "last used", of: ({ lastUsedAt }) => lastUsedAt },
    { title: "expires", of: ({ expiresAt }) => expiresAt },
  ]);
};

export const createKey: Handler = async (context, input) => {
  const client = await context.client();
  const user = input.text("user");
  const userId = user === undefined ? undefined : (await findUser(context, user)).id;
  const scopes = input.many("scope") as Scope[];
  const projects = await Promise.all(input.many("project").map((named) => findProject(context, named)));
  const expires = input.text("expires");
  const key = await client.apiKeys.create(
    {
      name: input.argument("NAME"),
      ...(userId === undefined ? {} : { userId }),
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(projects.length === 0 ? {} : { projectIds: projects.map(({ id }) => id) }),
      ...(expires === undefined ? {} : { expiresAt: readEnd(expires) }),
    },
    { signal: context.signal },
  );
  context.output.progress("The key is shown this once.");
  context.output.item(key, [
    ["id", key.id],
    ["name", key.name],
    ["scopes", key.scopes?.join(" ") ?? "all"],
    ["expires", key.expiresAt ?? "never"],
    ["key", key.key],
  ]);
};

/** An instant, or what is so far away. */
function readEnd(text: string): string {
  if (/^\d{4}-/.test(text)) return text;
  return new Date(Date.now() + readDuration("expires", text)).toISOString();
}

export const listServiceAccounts: Handler = async (context, input) => {
  const client = await context.client();
  const found = client.users.list({ limit: PAGE, kind: "service" });
  context.output.list(await takeLimited(input, context.output, found), [
    { title: "name", of: ({ name }) => name },
    { title: "id", of: ({ id }) => id },
    { title: "role", of: ({ role }) => role },
    { title: "last seen", of: ({ lastSeenAt }) => lastSeenAt },
  ]);
};

export const createServiceAccount: Handler = async (context, input) => {
  const client = await context.client();
  const role = (input.text("role") ?? "viewer") as User["role"];
  const body = { kind: "service" as const, name: input.argument("NAME"), role };
  showUser(context, await client.users.create(body, { signal: context.signal }));
};

export const revokeKey: Handler = async (context, input) => {
  const client = await context.client();
  const id = input.argument("KEY_ID");
  const { name, prefix } = await client.apiKeys.get(id, { signal: context.signal });
  await context.prompt.confirm(`Revoke the key ${name} (${prefix}…)?`);
  await client.apiKeys.delete(id, { signal: context.signal });
  context.output.item({ id, isDeleted: true }, [["revoked", id]]);
};

export const listAudit: Handler = async (context, input) => {
  const client = await context.client();
  const user = input.text("user");
  const filter = {
    resourceId: input.text("resource"),
    userId: user?.includes("@") === true ? (await findUser(context, user)).id : user,
    action: input.text("action"),
    from: input.text("from"),
    to: input.text("to"),
  };
  const query = { limit: PAGE, order: "desc" as const, ...filter };
  context.output.list(await takeLimited(input, context.output, client.auditEntries.list(query)), [
    { title: "at", of: ({ at }) => at },
    { title: "action", of: ({ action }) => action },
    { title: "resource", of: (entry) => entry.resourceId },
    { title: "user", of: ({ userId }) => userId },
    { title: "from", of: ({ sourceAddress }) => sourceAddress },
  ]);
};

function fieldsOf(input: Input) {
  const [role, name, gitLogin] = [input.text("role"), input.text("name"), input.text("git-login")];
  return {
    ...(role === undefined ? {} : { role: role as User["role"] }),
    ...(name === undefined ? {} : { name }),
    ...(gitLogin === undefined ? {} : { gitLogin }),
  };
}

function showUser({ output }: Context, user: User): void {
  output.item(user, [
    ["email", user.email],
    ["id", user.id],
    ["role", user.role],
    ["name", user.name],
    ["git login", user.gitLogin],
  ]);
}
