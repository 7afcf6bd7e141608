import type { User } from "../../../sdk/src/index.ts";
import { type Command, type Flag, type Input, LIMITS, ROLES, USER, WAITING } from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly, UsageError } from "../failure.ts";
import { findUser, PAGE, userName } from "../lookup.ts";
import { deleteConfirmed, printList } from "../print.ts";
import { firstOf, waiting } from "../wait.ts";

const ROLE: Flag = { name: "role", value: "ROLE", choices: ROLES, says: "the role of the user" };
const NAME_AND_LOGIN: readonly Flag[] = [
  { name: "name", value: "NAME", says: "a display name" },
  { name: "git-login", value: "LOGIN", says: "the user's login at the git host" },
];
const roleOf = (input: Input): User["role"] | undefined => input.text("role") as User["role"] | undefined;

export const USERS: readonly Command[] = [
  {
    words: "users list",
    says: "List the users of the organization",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.users.list({ limit: PAGE }), [
        "email",
        "id",
        "role",
        "name",
        "lastSeenAt",
      ]),
  },
  {
    words: "users create",
    says: "Create a user",
    arguments: [{ name: "EMAIL", says: "the user's address" }],
    flags: [{ ...ROLE, says: "the role of the user (default: viewer)" }, ...NAME_AND_LOGIN],
    examples: ["slipway users create ada@acme.example --role developer"],
    async run(context, input) {
      const created = await context.client.users.create({
        email: input.argument("EMAIL"),
        role: roleOf(input) ?? "viewer",
        name: input.text("name"),
        gitLogin: input.text("git-login"),
      });
      show(context, created);
    },
  },
  {
    words: "users update",
    says: "Change a user",
    arguments: [USER],
    flags: [ROLE, ...NAME_AND_LOGIN],
    examples: ["slipway users update ada@acme.example --role admin"],
    async run(context, input) {
      const change = { role: roleOf(input), name: input.text("name"), gitLogin: input.text("git-login") };
      if (Object.values(change).every((value) => value === undefined))
        throw new UsageError("No change is given. Give --role, --name or --git-login.");
      const { id } = await findUser(context, input.argument("USER"));
      show(context, await context.client.users.update(id, change));
    },
  },
  {
    words: "users invite",
    says: "Send a user an e-mail that says how to sign in",
    more: ["Without a mail server, send the text yourself: --text prints it."],
    arguments: [USER],
    flags: [{ name: "text", says: "print the text of the invitation, and send nothing" }, ...WAITING],
    examples: [
      "slipway users invite ada@acme.example --wait",
      "slipway users invite ada@acme.example --text",
    ],
    async run(context, input) {
      const { users } = context.client;
      const { id, email } = await findUser(context, input.argument("USER"));
      if (input.isSet("text")) {
        const state = await users.getInvitation(id);
        if (state.message === null)
          throw endedBadly("There is no invitation.", state.refusal?.message ?? null);
        return context.output.data(state, [state.message.text]);
      }
      const asked = await users.invite(id);
      const again = `slipway users invite ${email ?? id} --text`;
      if (!input.isSet("wait"))
        return context.output.data(asked, [
          `${asked.last?.email ?? ""} gets an invitation. To see whether it was sent: slipway events list --subject ${id}`,
        ]);
      const { last } = await waiting(context, input, `slipway events list --subject ${id}`, (signal) =>
        firstOf(
          users.watchInvitation(id, { signal }),
          (state) => state.last?.id === asked.last?.id && state.last?.status !== "PENDING",
          ({ last: now }) => {
            const isRetried = now?.status === "PENDING" && now.error !== null;
            if (isRetried) context.output.progress(`${now.error.message} Slipway tries again.`);
          },
        ),
      );
      if (last?.status === "FAILED" && last.error !== null)
        throw endedBadly(`${last.error.message} ${last.error.action}`, `To send it yourself: ${again}`);
      context.output.data(last, [`The mail server accepted the invitation of ${last?.email ?? ""}.`]);
    },
  },
  {
    words: "users delete",
    says: "Delete a user and its keys",
    arguments: [USER],
    examples: ["slipway users delete ada@acme.example --yes"],
    async run(context, input) {
      const user = await findUser(context, input.argument("USER"));
      const [{ id }, label] = [user, userName(user)];
      await deleteConfirmed(context, `Delete ${label} and its keys?`, { id, label }, () =>
        context.client.users.delete(id),
      );
    },
  },
  {
    words: "service-accounts list",
    says: "List service accounts",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.users.list({ limit: PAGE, kind: "service" }), [
        "name",
        "id",
        "role",
        "lastSeenAt",
      ]),
  },
  {
    words: "service-accounts create",
    says: "Create a service account: it has keys and a role, and does not sign in",
    arguments: [{ name: "NAME", says: "a display name" }],
    flags: [{ ...ROLE, says: "its role (default: viewer)" }],
    examples: ["slipway service-accounts create CI --role developer"],
    async run(context, input) {
      const created = await context.client.users.create({
        kind: "service",
        name: input.argument("NAME"),
        role: roleOf(input) ?? "viewer",
      });
      show(context, created);
    },
  },
];

function show({ output }: Context, user: User): void {
  output.item(user, ["email", "id", "role", "name", "gitLogin"]);
}
