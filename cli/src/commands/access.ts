/** Members of projects, protection of environments, and sessions. */
import type { Environment, Role } from "../../../sdk/src/index.ts";
import { type Command, ENVIRONMENT, type Input, LIMITS, PROJECT, ROLES, USER } from "../command.ts";
import type { Context } from "../context.ts";
import { findEnvironment, findProject, findUser, PAGE, userName } from "../lookup.ts";
import { deleteConfirmed, printList } from "../print.ts";

export const ACCESS: readonly Command[] = [
  {
    words: "members list",
    says: "List the members of a project, with their roles in it",
    flags: [PROJECT, ...LIMITS],
    examples: ["slipway members list -p shop"],
    async run(context, input) {
      const { id } = await findProject(context, input.text("project"));
      await printList(context, input, context.client.projects.listMembers(id, { limit: PAGE }), [
        { title: "user", of: ({ userId }) => userId },
        "role",
        { title: "since", of: ({ createdAt }) => createdAt },
      ]);
    },
  },
  {
    words: "members set",
    says: "Add a member to a project, or change a member's role",
    arguments: [USER, { name: "ROLE", choices: ROLES, says: "the role in the project" }],
    flags: [PROJECT],
    examples: ["slipway members set ada@acme.example developer -p shop"],
    async run(context, input) {
      const [project, user] = await findMember(context, input);
      const body = { role: input.argument("ROLE") as Role };
      const member = await context.client.projects.setMember(project.id, user.id, body);
      context.output.item(member, [["project", project.name], ["user", userName(user)], "role"]);
    },
  },
  {
    words: "members remove",
    says: "Remove a member from a project",
    arguments: [USER],
    flags: [PROJECT],
    examples: ["slipway members remove ada@acme.example -p shop --yes"],
    async run(context, input) {
      const { client, output, prompt } = context;
      const [project, user] = await findMember(context, input);
      await prompt.confirm(`Remove ${userName(user)} from ${project.name}?`);
      await client.projects.removeMember(project.id, user.id);
      const removed = { projectId: project.id, userId: user.id, isRemoved: true };
      output.item(removed, [["removed", userName(user)]]);
    },
  },
  {
    words: "protection show",
    says: "Show the protection of an environment",
    flags: [PROJECT, ENVIRONMENT],
    examples: ["slipway protection show -p shop -e production"],
    run: async (context, input) => showProtection(context, await findEnvironment(context, input)),
  },
  {
    words: "protection set",
    says: "Set the protection of an environment",
    more: ["With admin, only admins of the project deploy there, and change its variables and domains."],
    arguments: [
      { name: "DEPLOYERS", choices: ["developer", "admin"], says: "the lowest role that may deploy" },
    ],
    flags: [PROJECT, ENVIRONMENT],
    examples: ["slipway protection set admin -p shop -e production"],
    async run(context, input) {
      const { id } = await findEnvironment(context, input);
      const deployers = input.argument("DEPLOYERS") as Environment["protection"]["deployers"];
      const changed = await context.client.environments.update(id, { protection: { deployers } });
      showProtection(context, changed);
    },
  },
  {
    words: "sessions list",
    says: "List the browser sessions of a user",
    flags: [
      { name: "user", value: "USER", says: "the user, by email address or id (default: you)" },
      ...LIMITS,
    ],
    examples: ["slipway sessions list --user ada@acme.example"],
    async run(context, input) {
      const user = input.text("user");
      const userId = user === undefined ? undefined : (await findUser(context, user)).id;
      await printList(context, input, context.client.sessions.list({ limit: PAGE, userId }), [
        "id",
        { title: "from", of: ({ sourceAddress }) => sourceAddress },
        { title: "by", of: ({ provider }) => provider ?? "an API key" },
        "lastSeenAt",
        "endsAt",
      ]);
    },
  },
  {
    words: "sessions revoke",
    says: "End a session; it stops working everywhere within five seconds",
    arguments: [{ name: "SESSION_ID", says: "the session's id" }],
    examples: ["slipway sessions revoke ses_01kahz5c8m2v6x9b3n7q1w4t8e --yes"],
    async run(context, input) {
      const id = input.argument("SESSION_ID");
      await deleteConfirmed(context, `End the session ${id}?`, { id, verb: "ended" }, () =>
        context.client.sessions.delete(id),
      );
    },
  },
];

const findMember = async (context: Context, input: Input) =>
  Promise.all([findProject(context, input.text("project")), findUser(context, input.argument("USER"))]);

function showProtection({ output }: Context, { id, name, protection }: Environment): void {
  output.item({ environmentId: id, ...protection }, [["environment", name], "deployers"]);
}
