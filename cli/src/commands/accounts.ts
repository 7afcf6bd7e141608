import type { AwsAccount } from "../../../sdk/src/index.ts";
import { type Command, type Input, LIMITS, WAITING } from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly } from "../failure.ts";
import { PAGE } from "../lookup.ts";
import { deleteConfirmed, printList } from "../print.ts";
import { firstOf, waiting } from "../wait.ts";

const ACCOUNT = { name: "ACCOUNT", says: "a connection, by givenId or id" };

export const ACCOUNTS: readonly Command[] = [
  {
    words: "accounts list",
    says: "List the connections to cloud accounts",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.awsAccounts.list({ limit: PAGE }), [
        "givenId",
        "id",
        "status",
        { title: "AWS account", of: ({ connectedAwsAccountId }) => connectedAwsAccountId },
        { title: "last error", of: ({ lastCheckError }) => lastCheckError?.message, isProse: true },
      ]),
  },
  {
    words: "accounts add",
    says: "Create a connection, and show the page where its stack is created",
    arguments: [{ name: "GIVEN_ID", says: "your own identifier, such as acme-production" }],
    flags: [
      { name: "name", value: "NAME", says: "a display name (default: the GIVEN_ID)" },
      {
        name: "expected-account",
        value: "NUMBER",
        says: "the only AWS account that may connect (12 digits)",
      },
      { name: "in-sandbox", says: "also create the stack; only in the sandbox cloud" },
      ...WAITING,
    ],
    examples: ["slipway accounts add acme --wait", "slipway accounts add acme --in-sandbox --wait"],
    async run(context, input) {
      const { client, output } = context;
      const created = await client.awsAccounts.create({
        givenId: input.argument("GIVEN_ID"),
        name: input.text("name"),
        expectedAwsAccountId: input.text("expected-account"),
      });
      if (input.isSet("in-sandbox")) {
        await client.request("POST", "/sandbox/stacks", { body: { ServiceId: created.id } });
        output.progress("The stack is created in the sandbox.");
      } else {
        output.progress("An administrator of the account has to create the stack, on this page:");
        output.progress(created.cloudStack.consoleUrl);
      }
      show(context, input.isSet("wait") ? await waitForConnection(context, input, created) : created);
    },
  },
  {
    words: "accounts show",
    says: "Show a connection",
    arguments: [ACCOUNT],
    examples: ["slipway accounts show acme"],
    run: async (context, input) =>
      show(context, await context.client.awsAccounts.get(input.argument("ACCOUNT"))),
  },
  {
    words: "accounts check",
    says: "Check the role of a connection",
    arguments: [ACCOUNT],
    flags: WAITING,
    examples: ["slipway accounts check acme --wait"],
    async run(context, input) {
      const { client, output } = context;
      const { givenId, lastCheckAt, ...asked } = await client.awsAccounts.check(input.argument("ACCOUNT"));
      if (!input.isSet("wait")) {
        output.progress(`The check runs. slipway accounts show ${givenId} shows its result.`);
        show(context, { givenId, lastCheckAt, ...asked });
        return;
      }
      const account = await waiting(context, input, `slipway accounts check ${givenId} --wait`, (signal) =>
        firstOf(client.awsAccounts.watch(givenId, { signal }), (one) => one.lastCheckAt !== lastCheckAt),
      );
      show(context, account);
      if (account.status !== "CONNECTED" || account.lastCheckError !== null) throw notConnected(account);
    },
  },
  {
    words: "accounts remove",
    says: "Delete a connection that no project uses",
    arguments: [ACCOUNT],
    examples: ["slipway accounts remove acme"],
    async run(context, input) {
      const { id, givenId } = await context.client.awsAccounts.get(input.argument("ACCOUNT"));
      await deleteConfirmed(context, `Delete the connection ${givenId}?`, { id, label: givenId }, () =>
        context.client.awsAccounts.delete(givenId),
      );
    },
  },
];

async function waitForConnection(
  context: Context,
  input: Input,
  { givenId }: AwsAccount,
): Promise<AwsAccount> {
  const { client, output } = context;
  let last: string | null = null;
  const report = ({ status, lastCheckError }: AwsAccount): void => {
    const now = lastCheckError === null ? status : `${status}: ${lastCheckError.message}`;
    if (now !== last) output.progress(`${givenId}: ${now}`);
    last = now;
  };
  const account = await waiting(context, input, `slipway accounts check ${givenId} --wait`, (signal) =>
    firstOf(
      client.awsAccounts.watch(givenId, { signal }),
      ({ status }) => status !== "AWAITING_CONNECTION",
      report,
    ),
  );
  if (account.status === "CONNECTED") return account;
  throw notConnected(account);
}

const notConnected = ({ lastCheckError, status }: AwsAccount) =>
  endedBadly(lastCheckError?.message ?? `The connection is ${status}.`);

function show({ output }: Context, account: AwsAccount): void {
  output.item(account, [
    "givenId",
    "id",
    "name",
    "status",
    ["AWS account", account.connectedAwsAccountId],
    ["role", account.roleArn],
    "lastCheckAt",
    ["last error", account.lastCheckError?.message],
    ...(account.cloudStack === undefined
      ? []
      : [["create its stack at", account.cloudStack.consoleUrl] as const]),
  ]);
}
