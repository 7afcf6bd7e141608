import type { Branding, Organization, UpdateBrandingRequest } from "../../../sdk/src/index.ts";
import { type Command, LIMITS } from "../command.ts";
import type { Context } from "../context.ts";
import { findUser, PAGE } from "../lookup.ts";
import { UsageError } from "../failure.ts";
import { printList } from "../print.ts";
import { readBytes } from "../read-text.ts";

export const ORGANIZATION: readonly Command[] = [
  {
    words: "organization show",
    says: "Show the organization and its retention of records",
    run: async (context) => show(context, await context.client.organization.get()),
  },
  {
    words: "organization rename",
    says: "Rename the organization",
    arguments: [{ name: "NAME", says: "a display name" }],
    examples: ["slipway organization rename Acme"],
    run: async (context, input) =>
      show(context, await context.client.organization.update({ name: input.argument("NAME") })),
  },
  {
    words: "organization branding",
    says: "Show the branding of the organization's share links",
    run: async (context) => showBranding(context, await context.client.organization.getBranding()),
  },
  {
    words: "organization rebrand",
    says: "Change the name, colour or logo of the organization's share links",
    flags: [
      { name: "name", value: "NAME", says: "the name at the top, at most 60 characters" },
      { name: "color", value: "COLOR", says: "the colour of the top, buttons and links, such as #0a5c36" },
      { name: "logo", value: "FILE", says: "a PNG, JPEG or WebP image of at most 64 KiB" },
      {
        name: "reset",
        value: "FIELD",
        choices: ["name", "color", "logo"],
        many: true,
        says: "restore the installation's setting",
      },
    ],
    examples: [
      'slipway organization rebrand --name "Acme Sites" --color "#0a5c36" --logo logo.png',
      "slipway organization rebrand --reset logo",
    ],
    async run(context, input) {
      const logo = input.text("logo");
      const given = {
        name: input.text("name"),
        accentColor: input.text("color"),
        logo:
          logo === undefined
            ? undefined
            : Buffer.from(await readBytes(logo, context.stdin)).toString("base64"),
      };
      const reset = input.many("reset").map((field) => [field === "color" ? "accentColor" : field, null]);
      const change: UpdateBrandingRequest = { ...given, ...Object.fromEntries(reset) };
      if (Object.values(change).every((value) => value === undefined))
        throw new UsageError("Give --name, --color, --logo or --reset.");
      showBranding(context, await context.client.organization.updateBranding(change));
    },
  },
  {
    words: "audit list",
    says: "List audit entries, newest first",
    flags: [
      { name: "resource", value: "ID", says: "only changes of this resource" },
      { name: "user", value: "USER", says: "only changes by this user, by email address or id" },
      { name: "action", value: "ACTION", says: "only this action, such as domain.deleted" },
      { name: "from", value: "TIME", says: "only at this time or later, such as 2026-11-20T09:00:00Z" },
      { name: "to", value: "TIME", says: "only before this time" },
      ...LIMITS,
    ],
    examples: ["slipway audit list --resource dom_01kahv2m4c8r1w6t3k9p5x7hbn"],
    async run(context, input) {
      const user = input.text("user");
      const query = {
        limit: PAGE,
        order: "desc",
        resourceId: input.text("resource"),
        userId: user?.includes("@") === true ? (await findUser(context, user)).id : user,
        action: input.text("action"),
        from: input.text("from"),
        to: input.text("to"),
      } as const;
      await printList(context, input, context.client.auditEntries.list(query), [
        { title: "at", of: ({ at }) => at },
        "action",
        { title: "resource", of: ({ resourceId }) => resourceId },
        { title: "user", of: ({ userId }) => userId },
        { title: "from", of: ({ sourceAddress }) => sourceAddress },
      ]);
    },
  },
];

function show({ output }: Context, organization: Organization): void {
  const { retention } = organization;
  const days = (number: number | null): string => (number === null ? "for ever" : `${number} days`);
  output.item(organization, [
    "name",
    "id",
    ["audit entries kept", days(retention.auditEntryDays)],
    ["events kept", days(retention.eventDays)],
    ["webhook deliveries kept", days(retention.webhookAttemptDays)],
    ["bodies of receivers' responses kept", days(retention.webhookBodyDays)],
    ["git host deliveries kept", days(retention.gitDeliveryDays)],
    ["versions of variables kept", days(retention.variableVersionDays)],
    ["results of storing variables kept", days(retention.variableRunDays)],
    ["counts of domains kept", days(retention.domainCountDays)],
    ["responses of idempotency keys kept", `${retention.idempotencyHours} hours`],
  ]);
}

function showBranding({ output }: Context, branding: Branding): void {
  const { name, accentColor, logo, appearance } = branding;
  const own = (value: string | null, shown: string | null): string =>
    value ?? `${shown ?? "none"} (of the installation)`;
  output.item(branding, [
    ["name", own(name, appearance.name)],
    ["color", own(accentColor, appearance.accentColor)],
    ["logo", own(logo?.url ?? null, appearance.logoUrl)],
  ]);
}
