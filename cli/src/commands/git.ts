import type { GitIntegration } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { PAGE, takeLimited } from "../find/limited.ts";
import { type Provider, providerFields, providerName } from "../find/providers.ts";
import { readStdin } from "../input/values.ts";
import { endedBadly } from "../output/failure.ts";
import type { Handler } from "../table/command.ts";
import type { Input } from "../table/input.ts";

export const listIntegrations: Handler = async (context, input) => {
  const client = await context.client();
  context.output.list(
    await takeLimited(input, context.output, client.gitIntegrations.list({ limit: PAGE })),
    [
      { title: "id", of: ({ id }) => id },
      { title: "git host", of: providerName },
      { title: "token", of: ({ tokenStatus }) => tokenStatus },
      { title: "created", of: ({ createdAt }) => createdAt },
    ],
  );
};

export const addIntegration: Handler = async (context, input) => {
  const provider = providerFields(input.argument("PROVIDER") as Provider, input.text("host"));
  const token = await readToken(context, input);
  const client = await context.client();
  show(context, await client.gitIntegrations.create({ ...provider, token }, { signal: context.signal }));
};

export const updateIntegration: Handler = async (context, input) => {
  const token = await readToken(context, input);
  const client = await context.client();
  const id = input.argument("INTEGRATION_ID");
  show(context, await client.gitIntegrations.update(id, { token }, { signal: context.signal }));
};

export const checkIntegration: Handler = async (context, input) => {
  const client = await context.client();
  const checked = await client.gitIntegrations.check(input.argument("INTEGRATION_ID"), {
    signal: context.signal,
  });
  show(context, checked);
  const { lastCheckError } = checked;
  if (lastCheckError !== null) throw endedBadly(`${lastCheckError.message} ${lastCheckError.action}`);
};

export const listRepositories: Handler = async (context, input) => {
  const client = await context.client();
  const id = input.argument("INTEGRATION_ID");
  const list = client.gitIntegrations.listRepositories(id, { limit: PAGE, order: "desc" });
  context.output.list(await takeLimited(input, context.output, list), [
    { title: "url", of: ({ url }) => url },
    { title: "default branch", of: ({ defaultBranch }) => defaultBranch },
    { title: "private", of: ({ isPrivate }) => (isPrivate ? "yes" : "no") },
  ]);
};

export const createHookSecret: Handler = async (context, input) => {
  const client = await context.client();
  const made = await client.gitIntegrations.createHookSecret(input.argument("INTEGRATION_ID"), {
    signal: context.signal,
  });
  context.output.progress(
    "Let the git host send its push events there, as JSON. The secret is shown this once.",
  );
  context.output.item(made, [
    ["url", made.url],
    ["secret", made.secret],
  ]);
};

export const removeIntegration: Handler = async (context, input) => {
  const client = await context.client();
  const id = input.argument("INTEGRATION_ID");
  const integration = await client.gitIntegrations.get(id, { signal: context.signal });
  await context.prompt.confirm(`Delete the git integration ${id} (${providerName(integration)})?`);
  await client.gitIntegrations.delete(id, { signal: context.signal });
  context.output.item({ id, isDeleted: true }, [["deleted", id]]);
};

async function readToken({ prompt, stdin }: Context, input: Input): Promise<string> {
  if (input.isSet("token-stdin")) return (await readStdin(stdin)).trim();
  return await prompt.askSecret(
    "Access token of the git host",
    "There is no terminal to prompt for the token. Pass it with --token-stdin < FILE.",
  );
}

function show({ output }: Context, integration: GitIntegration): void {
  output.item(integration, [
    ["id", integration.id],
    ["git host", providerName(integration)],
    ["token", integration.tokenStatus],
    ["last check", integration.lastCheckAt],
    ["found wrong", integration.lastCheckError?.message],
    ["created", integration.createdAt],
  ]);
}
