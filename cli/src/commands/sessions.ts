import { PAGE, takeLimited } from "../find/limited.ts";
import { findUser } from "../find/user.ts";
import type { Handler } from "../table/command.ts";

export const listSessions: Handler = async (context, input) => {
  const client = await context.client();
  const user = input.text("user");
  const of = user === undefined ? {} : { userId: (await findUser(context, user)).id };
  const found = client.sessions.list({ limit: PAGE, ...of });
  context.output.list(await takeLimited(input, context.output, found), [
    { title: "id", of: ({ id }) => id },
    { title: "from", of: ({ sourceAddress }) => sourceAddress },
    { title: "by", of: ({ provider }) => provider ?? "an API key" },
    { title: "last seen", of: ({ lastSeenAt }) => lastSeenAt },
    { title: "ends", of: ({ endsAt }) => endsAt },
  ]);
};

export const revokeSession: Handler = async (context, input) => {
  const client = await context.client();
  const id = input.argument("SESSION_ID");
  await context.prompt.confirm(`End the session ${id}?`);
  await client.sessions.delete(id, { signal: context.signal });
  context.output.item({ id, isDeleted: true }, [["ended", id]]);
};
