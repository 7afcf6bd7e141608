import type { Scope, WorkloadTrust } from "../../../sdk/src/index.ts";
import { type Command, LIMITS, PROJECT, SCOPES } from "../command.ts";
import { UsageError } from "../failure.ts";
import { findProjects, findUser, PAGE } from "../lookup.ts";
import { deleteConfirmed, printList } from "../print.ts";

/** The CI platforms; another issuer is named by `--issuer`. */
const ISSUERS: Readonly<Record<string, string>> = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
};

export const WORKLOAD_TRUSTS: readonly Command[] = [
  {
    words: "workload-trusts list",
    says: "List workload trusts",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.workloadTrusts.list({ limit: PAGE }), [
        "id",
        "name",
        { title: "conditions", of: conditionsOf },
        { title: "scopes", of: ({ scopes }) => scopes.join(" ") },
        "lastUsedAt",
      ]),
  },
  {
    words: "workload-trusts create",
    says: "Create a workload trust: CI jobs act as a service account with tokens of their platform",
    more: [
      "GitHub's issuer gives tokens to every repository, so a condition must name yours: --condition repository=acme/shop.",
      "Name the branch too (ref=refs/heads/main), or the environment. A * at the end stands for any ending.",
    ],
    arguments: [{ name: "NAME", says: "its purpose, shown in audit entries" }],
    flags: [
      {
        name: "service-account",
        value: "USER",
        required: true,
        says: "the service account of the jobs, by name or id",
      },
      { name: "condition", value: "CLAIM=VALUE", many: true, says: "a required claim of their token" },
      {
        name: "scope",
        value: "SCOPE",
        choices: SCOPES,
        many: true,
        required: true,
        says: "a scope of their tokens",
      },
      { ...PROJECT, many: true, says: "limit to this project (default: all projects)" },
      {
        name: "on",
        value: "PLATFORM",
        choices: Object.keys(ISSUERS),
        says: "the CI platform (default: github)",
      },
      { name: "issuer", value: "URL", says: "the issuer of the tokens, instead of --on" },
      { name: "audience", value: "TEXT", says: "the audience of the tokens (default: the server's address)" },
    ],
    examples: [
      "slipway workload-trusts create 'deploy shop' --service-account CI --scope deploy -p shop --condition repository=acme/shop --condition ref=refs/heads/main",
    ],
    async run(context, input) {
      const { client, output } = context;
      const { url } = context.connection;
      const trust = await client.workloadTrusts.create({
        name: input.argument("NAME"),
        userId: (await findUser(context, input.requiredText("service-account"))).id,
        issuer: input.text("issuer") ?? ISSUERS[input.text("on") ?? "github"] ?? "",
        audience: input.text("audience") ?? new URL(url).origin,
        conditions: Object.fromEntries(input.many("condition").map(splitCondition)),
        scopes: input.many("scope") as Scope[],
        projectIds: await findProjects(context, input),
      });
      output.progress(`In the job, set SLIPWAY_URL=${url} and SLIPWAY_WORKLOAD_TRUST=${trust.id}.`);
      output.item(trust, [
        "id",
        "name",
        ["service account", trust.userId],
        "issuer",
        "audience",
        ["conditions", conditionsOf(trust)],
        ["scopes", trust.scopes.join(" ")],
        ["projects", trust.projectIds?.join(" ") ?? "all"],
      ]);
    },
  },
  {
    words: "workload-trusts delete",
    says: "Delete a workload trust; its tokens stop working within five seconds",
    arguments: [{ name: "TRUST_ID", says: "the trust's id" }],
    examples: ["slipway workload-trusts delete trust_01kahz6d9n3w7y0c4p8r2x5v9f --yes"],
    async run(context, input) {
      const { workloadTrusts } = context.client;
      const id = input.argument("TRUST_ID");
      const { name } = await workloadTrusts.get(id);
      const question = `Delete the trust ${name}? Its jobs get no more tokens.`;
      await deleteConfirmed(context, question, { id, label: name }, () => workloadTrusts.delete(id));
    },
  },
];

function splitCondition(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`A condition is CLAIM=VALUE, not "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function conditionsOf({ conditions }: WorkloadTrust): string {
  return Object.entries(conditions)
    .map(([claim, value]) => `${claim}=${value}`)
    .join(" ");
}
