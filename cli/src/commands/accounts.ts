import type { AwsAccount } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { PAGE, takeLimited } from "../find/limited.ts";
import { endedBadly } from "../output/failure.ts";
import type { Handler } from "../table/command.ts";
import type { Input } from "../table/input.ts";
import { waiting } from "./wait.ts";

export const listAccounts: Handler = async (context, input) => {
  const client = await context.client();
  const rows = await takeLimited(input, context.output, client.awsAccounts.list({ limit: PAGE }));
  context.output.list(rows, [
    { title: "given id", of: ({ givenId }) => givenId },
    { title: "id", of: ({ id }) => id },
    { title: "status", of: ({ status }) => status },
    { title: "AWS account", of: ({ connectedAwsAccountId }) => connectedAwsAccountId },
    { title: "found wrong", of: ({ lastCheckError }) => lastCheckError?.message, isProse: true },
  ]);
};

export const addAccount: Handler = async (context, input) => {
  const { output } = context;
  const client = await context.client();
  const [name, expected] = [input.text("name"), input.text("expected-account")];
  const created = await client.awsAccounts.create(
    {
      givenId: input.argument("GIVEN_ID"),
      ...(name === undefined ? {} : { name }),
      ...(expected === undefined ? {} : { expectedAwsAccountId: expected }),
    },
    { signal: context.signal },
  );
  if (input.isSet("in-sandbox")) {
    await client.request("POST", "/sandbox/stacks", { body: { ServiceId: created.id } });
    output.progress("The stack is created in the sandbox.");
  } else {
    output.progress("An administrator of the account has to create the stack, on this page:");
    output.progress(created.cloudStack.consoleUrl);
  }
  const account = input.isSet("wait") ? await waitForConnection(context, input, created) : created;
  showAccountItem(context, account);
};

export const showAccount: Handler = async (context, input) => {
  const client = await context.client();
  showAccountItem(
    context,
    await client.awsAccounts.get(input.argument("ACCOUNT"), { signal: context.signal }),
  );
};

export const checkAccount: Handler = async (context, input) => {
  const client = await context.client();
  const asked = await client.awsAccounts.check(input.argument("ACCOUNT"), { signal: context.signal });
  if (!input.isSet("wait")) {
    context.output.progress(`The check runs. slipway accounts show ${asked.givenId} shows its result.`);
    showAccountItem(context, asked);
    return;
  }
  const resume = `slipway accounts check ${asked.givenId} --wait`;
  const account = await waiting(context, input, resume, async (signal) => {
    for await (const one of client.awsAccounts.watch(asked.givenId, { signal }))
      if (one.lastCheckAt !== asked.lastCheckAt) return one;
    throw new Error("A watch does not end.");
  });
  showAccountItem(context, account);
  if (account.status !== "CONNECTED" || account.lastCheckError !== null)
    throw endedBadly(account.lastCheckError?.message ?? `The connection is ${account.status}.`);
};

export const removeAccount: Handler = async (context, input) => {
  const client = await context.client();
  const account = await client.awsAccounts.get(input.argument("ACCOUNT"), { signal: context.signal });
  await context.prompt.confirm(`Delete the connection ${account.givenId}?`);
  await client.awsAccounts.delete(account.givenId, { signal: context.signal });
  context.output.item({ id: account.id, isDeleted: true }, [["deleted", account.givenId]]);
};

async function waitForConnection(context: Context, input: Input, created: AwsAccount): Promise<AwsAccount> {
  const client = await context.client();
  const { givenId } = created;
  const account = await waiting(
    context,
    input,
    `slipway accounts check ${givenId} --wait`,
    async (signal) => {
      let said: string | null = null;
      for await (const one of client.awsAccounts.watch(givenId, { signal })) {
        const now = one.lastCheckError === null ? one.status : `${one.status}: ${one.lastCheckError.message}`;
        if (now !== said) context.output.progress(`${givenId}: ${now}`);
        said = now;
        if (one.status !== "AWAITING_CONNECTION") return one;
      }
      throw new Error("A watch does not end.");
    },
  );
  if (account.status === "CONNECTED") return account;
  throw endedBadly(account.lastCheckError?.message ?? `The connection is ${account.status}.`);
}

function showAccountItem({ output }: Context, account: AwsAccount): void {
  output.item(account, [
    ["given id", account.givenId],
    ["id", account.id],
    ["name", account.name],
    ["status", account.status],
    ["AWS account", account.connectedAwsAccountId],
    ["role", account.roleArn],
    ["last check", account.lastCheckAt],
    ["found wrong", account.lastCheckError?.message],
    ...(account.cloudStack === undefined
      ? []
      : [["create its stack at", account.cloudStack.consoleUrl] as const]),
  ]);
}
