import type { NotificationChannel, NotificationTest, OwnNotifications } from "../../../sdk/src/index.ts";
import {
  type Command,
  type Flag,
  type Input,
  LIMITS,
  ONLY_ENVIRONMENT,
  ONLY_PROJECT,
  PROJECT,
  TYPES,
} from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly, UsageError } from "../failure.ts";
import { findProjects, PAGE } from "../lookup.ts";
import { deleteConfirmed, printList } from "../print.ts";
import type { Field } from "../text-table.ts";
import { SCOPE_CHANGE, scopeChangeOf, scopeFields, scopeOf, statusOf, typesOf } from "./webhooks.ts";

const CHANNEL = { name: "CHANNEL_ID", says: "the notification channel" };
const CHANNEL_EXAMPLE = "nch_01kahv2m4c8r1w6t3k9p5x7hbn";
const TARGET: readonly Flag[] = [
  { name: "webhook", value: "URL", says: "the incoming webhook of Slack, Discord or Teams" },
  { name: "to", value: "ADDRESS", many: true, says: "an email address" },
];

export const NOTIFICATIONS: readonly Command[] = [
  {
    words: "notifications list",
    says: "List notification channels",
    flags: LIMITS,
    run: async (context, input) =>
      printList(context, input, context.client.notificationChannels.list({ limit: PAGE }), [
        "id",
        { title: "status", of: ({ status, lastSentAt }) => statusOf(status, lastSentAt !== null) },
        "kind",
        { title: "receiver", of: receiverOf },
        { title: "types", of: formatTypes },
        { title: "name", of: ({ name }) => name, isProse: true },
      ]),
  },
  {
    words: "notifications create",
    says: "Create a notification channel",
    arguments: [
      { name: "KIND", choices: ["slack", "discord", "teams", "email"], says: "the kind of receiver" },
      { name: "NAME", says: "its name" },
    ],
    flags: [...TARGET, TYPES, ONLY_PROJECT, ONLY_ENVIRONMENT],
    examples: [
      "slipway notifications create email Operations --to ops@acme.example",
      "slipway notifications create slack Operations --webhook https://hooks.slack.com/services/T000/B000/XXXX",
    ],
    async run(context, input) {
      const kind = input.argument("KIND") as NotificationChannel["kind"];
      const target = kind === "email" ? "to" : "webhook";
      if (!input.isSet(target)) throw new UsageError(`A channel of the kind ${kind} needs --${target}.`);
      const channel = await context.client.notificationChannels.create({
        kind,
        name: input.argument("NAME"),
        ...targetOf(input),
        types: typesOf(input),
        ...(await scopeOf(context, input)),
      });
      showChannel(context, channel);
      context.output.progress(`To see whether messages arrive: slipway notifications test ${channel.id}`);
    },
  },
  {
    words: "notifications show",
    says: "Show a notification channel and its health",
    arguments: [CHANNEL],
    examples: [`slipway notifications show ${CHANNEL_EXAMPLE}`],
    run: async (context, input) =>
      showChannel(context, await context.client.notificationChannels.get(input.argument("CHANNEL_ID"))),
  },
  {
    words: "notifications update",
    says: "Change a notification channel, or enable it again",
    arguments: [CHANNEL],
    flags: [
      { name: "name", value: "TEXT", says: "its name" },
      ...TARGET,
      TYPES,
      { name: "default-types", says: "report the default set of events" },
      ...SCOPE_CHANGE,
      { name: "enable", says: "enable it again; events since it was disabled are not reported" },
      { name: "disable", says: "stop sending" },
    ],
    examples: [`slipway notifications update ${CHANNEL_EXAMPLE} --types 'domain.*'`],
    async run(context, input) {
      const change = {
        name: input.text("name"),
        ...targetOf(input),
        types: oneOf(input, "types", typesOf(input), "default-types"),
        ...(await scopeChangeOf(context, input)),
        enabled: enabledOf(input),
      };
      if (Object.values(change).every((value) => value === undefined))
        throw new UsageError(
          "No change is given. Give --name, --webhook, --to, --types, --default-types, --project, --environment, --all-projects, --enable or --disable.",
        );
      const id = input.argument("CHANNEL_ID");
      showChannel(context, await context.client.notificationChannels.update(id, change));
    },
  },
  {
    words: "notifications delete",
    says: "Delete a notification channel",
    arguments: [CHANNEL],
    examples: [`slipway notifications delete ${CHANNEL_EXAMPLE} --yes`],
    async run(context, input) {
      const { notificationChannels } = context.client;
      const { id, name } = await notificationChannels.get(input.argument("CHANNEL_ID"));
      await deleteConfirmed(context, `Delete the notification channel ${name}?`, { id }, () =>
        notificationChannels.delete(id),
      );
    },
  },
  {
    words: "notifications test",
    says: "Send a test to a notification channel, and show the receiver's answer",
    arguments: [CHANNEL],
    examples: [`slipway notifications test ${CHANNEL_EXAMPLE}`],
    run: async (context, input) =>
      showTest(context, await context.client.notificationChannels.test(input.argument("CHANNEL_ID"))),
  },
  {
    words: "my-notifications show",
    says: "Show which e-mail you get",
    run: async (context) => showOwn(context, await context.client.me.getNotifications()),
  },
  {
    words: "my-notifications update",
    says: "Choose which e-mail you get at the address of your account",
    flags: [
      { name: "enable", says: "report the events from now on" },
      { name: "disable", says: "stop sending" },
      TYPES,
      { name: "default-types", says: "report the default set of events" },
      { ...PROJECT, many: true, says: "only this project" },
      { name: "all-projects", says: "all projects that you see" },
    ],
    examples: ["slipway my-notifications update --enable --project shop"],
    async run(context, input) {
      const change = {
        types: oneOf(input, "types", typesOf(input), "default-types"),
        projectIds: oneOf(input, "project", await findProjects(context, input), "all-projects"),
        enabled: enabledOf(input),
      };
      if (Object.values(change).every((value) => value === undefined))
        throw new UsageError(
          "No change is given. Give --enable, --disable, --types, --default-types, --project or --all-projects.",
        );
      showOwn(context, await context.client.me.updateNotifications(change));
    },
  },
  {
    words: "my-notifications test",
    says: "Send a test to the address of your account, and show the mail server's answer",
    run: async (context) => showTest(context, await context.client.me.testNotifications()),
  },
];

/** The value of a flag, or null for its opposite. */
function oneOf<T>(input: Input, flag: string, value: T | undefined, all: string): T | null | undefined {
  if (value !== undefined && input.isSet(all)) throw new UsageError(`Give --${flag} or --${all}, not both.`);
  return input.isSet(all) ? null : value;
}

function enabledOf(input: Input): boolean | undefined {
  const [enable, disable] = [input.isSet("enable"), input.isSet("disable")];
  if (enable && disable) throw new UsageError("Give --enable or --disable, not both.");
  return enable || disable ? enable : undefined;
}

function showTest({ output }: Context, test: NotificationTest): void {
  output.item(test, testFields(test));
  if (test.error !== null) throw endedBadly(test.error.message, test.error.action);
}

function showOwn({ output }: Context, own: OwnNotifications): void {
  const { enabled, types, projectIds, lastError } = own;
  output.item(own, [
    ["enabled", enabled ? "yes" : "no"],
    "email",
    ["types", types === null ? "default" : types.join(",")],
    ["projects", projectIds === null ? "all" : projectIds.join(",")],
    ["last sent", own.lastSentAt],
    ["last error", lastError?.message],
    ["answer", lastError?.answer],
  ] as const satisfies readonly Field<OwnNotifications>[]);
}

function targetOf(input: Input) {
  const recipients = input.many("to");
  return { url: input.text("webhook"), recipients: recipients.length === 0 ? undefined : recipients };
}

function receiverOf({ host, recipients }: NotificationChannel): string {
  return host ?? recipients?.join(",") ?? "";
}

function formatTypes({ types }: NotificationChannel): string {
  return types === null ? "default" : types.join(",");
}

function showChannel({ output }: Context, channel: NotificationChannel): void {
  const { status, disabledReason, failingSince, lastError, lastSentAt } = channel;
  output.item(channel, [
    "id",
    "name",
    "kind",
    ["receiver", receiverOf(channel)],
    ["types", formatTypes(channel)],
    ...scopeFields(channel),
    ["status", statusOf(status, lastSentAt !== null)],
    ["disabled by", disabledReason],
    ["failing since", failingSince],
    ["last sent", lastSentAt],
    ["last error", lastError?.message],
    ["answer", lastError?.answer],
    ["what to do", lastError?.action],
  ] as const satisfies readonly Field<NotificationChannel>[]);
}

function testFields({ isAccepted, status, answer, error }: NotificationTest) {
  return [
    ["accepted", isAccepted ? "yes" : "no"],
    ["status", status],
    ["answer", answer],
    ["error", error?.message],
  ] as const satisfies readonly Field<NotificationTest>[];
}
