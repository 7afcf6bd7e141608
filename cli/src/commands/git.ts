import type { GitIntegration } from "../../../sdk/src/index.ts";
import { type Command, type Flag, type Input, LIMITS } from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly } from "../failure.ts";
import { PAGE } from "../lookup.ts";
import { deleteConfirmed, printList } from "../print.ts";
import { readStdin } from "../read-text.ts";
import { GIT_HOSTS, providerFields, providerName } from "./git-hosts.ts";

const INTEGRATION = { name: "INTEGRATION_ID", says: "the git integration" };
const TOKEN: Flag = { name: "token-stdin", says: "read the git host's token from standard input" };

export const GIT: readonly Command[] = [
  {
    words: "git list",
    says: "List the git integrations",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.gitIntegrations.list({ limit: PAGE }), [
        "id",
        { title: "git host", of: providerName },
        { title: "token", of: ({ tokenStatus }) => tokenStatus },
        "createdAt",
      ]),
  },
  {
    words: "git add",
    says: "Connect a git host with an access token, from a prompt or from --token-stdin",
    arguments: [{ name: "PROVIDER", says: "the git host", choices: GIT_HOSTS }],
    flags: [{ name: "host", value: "HOST", says: "with gitlab-self-hosted: its host" }, TOKEN],
    examples: ["slipway git add github --token-stdin < token.txt"],
    async run(context, input) {
      const provider = providerFields(input.argument("PROVIDER"), input.text("host"));
      const token = await readToken(context, input);
      show(context, await context.client.gitIntegrations.create({ ...provider, token }));
    },
  },
  {
    words: "git update",
    says: "Check a new token of a git integration, and replace the old token",
    arguments: [INTEGRATION],
    flags: [TOKEN],
    examples: ["slipway git update git_01kahv2m4c8r1w6t3k9p5x7hbn --token-stdin < token.txt"],
    async run(context, input) {
      const token = await readToken(context, input);
      const id = input.argument("INTEGRATION_ID");
      show(context, await context.client.gitIntegrations.update(id, { token }));
    },
  },
  {
    words: "git check",
    says: "Check the token of a git integration",
    arguments: [INTEGRATION],
    examples: ["slipway git check git_01kahv2m4c8r1w6t3k9p5x7hbn"],
    async run(context, input) {
      const checked = await context.client.gitIntegrations.check(input.argument("INTEGRATION_ID"));
      show(context, checked);
      const { lastCheckError } = checked;
      if (lastCheckError !== null) throw endedBadly(`${lastCheckError.message} ${lastCheckError.action}`);
    },
  },
  {
    words: "git repositories",
    says: "List the repositories that the token of a git integration reaches, newest first",
    arguments: [INTEGRATION],
    flags: LIMITS,
    examples: ["slipway git repositories git_01kahv2m4c8r1w6t3k9p5x7hbn"],
    async run(context, input) {
      const { gitIntegrations } = context.client;
      const query = { limit: PAGE, order: "desc" } as const;
      const list = gitIntegrations.listRepositories(input.argument("INTEGRATION_ID"), query);
      await printList(context, input, list, [
        "url",
        "defaultBranch",
        { title: "private", of: ({ isPrivate }) => isPrivate },
        { title: "last push", of: ({ lastPushedAt }) => lastPushedAt },
      ]);
    },
  },
  {
    words: "git hook-secret",
    says: "Create the secret that the git host signs pushes with; it is printed once",
    arguments: [INTEGRATION],
    examples: ["slipway git hook-secret git_01kahv2m4c8r1w6t3k9p5x7hbn"],
    async run({ client, output }, input) {
      const made = await client.gitIntegrations.createHookSecret(input.argument("INTEGRATION_ID"));
      output.progress(
        "Configure the git host to send pushes there, and pull requests if you use previews, as JSON. The secret is shown only once.",
      );
      output.item(made, ["url", "secret"]);
    },
  },
  {
    words: "git remove",
    says: "Delete a git integration that no project uses",
    arguments: [INTEGRATION],
    examples: ["slipway git remove git_01kahv2m4c8r1w6t3k9p5x7hbn --yes"],
    async run(context, input) {
      const { gitIntegrations } = context.client;
      const id = input.argument("INTEGRATION_ID");
      const host = providerName(await gitIntegrations.get(id));
      await deleteConfirmed(context, `Delete the git integration ${id} (${host})?`, { id }, () =>
        gitIntegrations.delete(id),
      );
    },
  },
];

async function readToken({ prompt, stdin }: Context, input: Input): Promise<string> {
  if (input.isSet("token-stdin")) return (await readStdin(stdin)).trim();
  return await prompt.askSecret(
    "Access token of the git host",
    "There is no terminal to prompt for the token. Pass it with --token-stdin < FILE.",
  );
}

function show({ output }: Context, integration: GitIntegration): void {
  output.item(integration, [
    "id",
    ["git host", providerName(integration)],
    ["token", integration.tokenStatus],
    "lastCheckAt",
    ["last error", integration.lastCheckError?.message],
    ["reports", integration.reportError?.message],
    "createdAt",
  ]);
}
