import type { Environment, Role } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { PAGE, takeLimited } from "../find/limited.ts";
import { findEnvironment, findProject } from "../find/scope.ts";
import { findUser } from "../find/user.ts";
import type { Handler } from "../table/command.ts";

export const listMembers: Handler = async (context, input) => {
  const client = await context.client();
  const { id } = await findProject(context, input.text("project"));
  const found = client.projects.listMembers(id, { limit: PAGE });
  context.output.list(await takeLimited(input, context.output, found), [
    { title: "user", of: ({ userId }) => userId },
    { title: "role", of: ({ role }) => role },
    { title: "since", of: ({ createdAt }) => createdAt },
  ]);
};

export const setMember: Handler = async (context, input) => {
  const client = await context.client();
  const [project, user] = await Promise.all([
    findProject(context, input.text("project")),
    findUser(context, input.argument("USER")),
  ]);
  const body = { role: input.argument("ROLE") as Role };
  const member = await client.projects.setMember(project.id, user.id, body, { signal: context.signal });
  context.output.item(member, [
    ["project", project.name],
    ["user", user.email ?? user.name],
    ["role", member.role],
  ]);
};

export const removeMember: Handler = async (context, input) => {
  const client = await context.client();
  const [project, user] = await Promise.all([
    findProject(context, input.text("project")),
    findUser(context, input.argument("USER")),
  ]);
  const called = user.email ?? user.name;
  await context.prompt.confirm(`Remove ${called} from ${project.name}?`);
  await client.projects.removeMember(project.id, user.id, { signal: context.signal });
  context.output.item({ projectId: project.id, userId: user.id, isRemoved: true }, [["removed", called]]);
};

export const showProtection: Handler = async (context, input) => {
  tellProtection(context, await findEnvironment(context, input));
};

export const setProtection: Handler = async (context, input) => {
  const client = await context.client();
  const { id } = await findEnvironment(context, input);
  const protection = { deployers: input.argument("DEPLOYERS") as Environment["protection"]["deployers"] };
  tellProtection(context, await client.environments.update(id, { protection }, { signal: context.signal }));
};

function tellProtection({ output }: Context, { id, name, protection }: Environment): void {
  output.item({ environmentId: id, ...protection }, [
    ["environment", name],
    ["deployers", protection.deployers],
  ]);
}
