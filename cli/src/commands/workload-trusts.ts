import type { Scope, WorkloadTrust } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { PAGE, takeLimited } from "../find/limited.ts";
import { findProject } from "../find/scope.ts";
import { findUser } from "../find/user.ts";
import { UsageError } from "../output/failure.ts";
import type { Handler } from "../table/command.ts";

/** Of what a job runs on; another issuer is named by `--issuer`. */
const ISSUERS: Readonly<Record<string, string>> = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
};

export const listTrusts: Handler = async (context, input) => {
  const client = await context.client();
  const found = client.workloadTrusts.list({ limit: PAGE });
  context.output.list(await takeLimited(input, context.output, found), [
    { title: "id", of: ({ id }) => id },
    { title: "name", of: ({ name }) => name },
    { title: "conditions", of: ({ conditions }) => tellConditions(conditions) },
    { title: "scopes", of: ({ scopes }) => scopes.join(" ") },
    { title: "last used", of: ({ lastUsedAt }) => lastUsedAt },
  ]);
};

export const createTrust: Handler = async (context, input) => {
  const client = await context.client();
  const user = input.text("service-account");
  if (user === undefined) throw new UsageError("As whom do the jobs act? Give --service-account.");
  const scopes = input.many("scope");
  if (scopes.length === 0)
    throw new UsageError("What may the jobs do? Give --scope, such as --scope deploy.");
  const projects = await Promise.all(input.many("project").map((named) => findProject(context, named)));
  const on = input.text("on") ?? "github";
  const { url } = await context.connection();
  const trust = await client.workloadTrusts.create(
    {
      name: input.argument("NAME"),
      userId: (await findUser(context, user)).id,
      issuer: input.text("issuer") ?? ISSUERS[on] ?? "",
      audience: input.text("audience") ?? new URL(url).origin,
      conditions: Object.fromEntries(input.many("condition").map(splitCondition)),
      scopes: scopes as Scope[],
      ...(projects.length === 0 ? {} : { projectIds: projects.map(({ id }) => id) }),
    },
    { signal: context.signal },
  );
  context.output.progress(`In the job, set SLIPWAY_URL=${url} and SLIPWAY_WORKLOAD_TRUST=${trust.id}.`);
  showTrust(context, trust);
};

export const deleteTrust: Handler = async (context, input) => {
  const client = await context.client();
  const id = input.argument("TRUST_ID");
  const { name } = await client.workloadTrusts.get(id, { signal: context.signal });
  await context.prompt.confirm(`Delete the trust ${name}? Its jobs get no token any more.`);
  await client.workloadTrusts.delete(id, { signal: context.signal });
  context.output.item({ id, isDeleted: true }, [["deleted", name]]);
};

function splitCondition(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`A condition is CLAIM=VALUE, not "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function tellConditions(conditions: WorkloadTrust["conditions"]): string {
  return Object.entries(conditions)
    .map(([claim, value]) => `${claim}=${value}`)
    .join(" ");
}

function showTrust({ output }: Context, trust: WorkloadTrust): void {
  const { id, name, userId, issuer, audience, conditions, scopes, projectIds } = trust;
  output.item(trust, [
    ["id", id],
    ["name", name],
    ["service account", userId],
    ["issuer", issuer],
    ["audience", audience],
    ["conditions", tellConditions(conditions)],
    ["scopes", scopes.join(" ")],
    ["projects", projectIds === null ? "all" : projectIds.join(" ")],
  ]);
}
