import type { Organization } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import type { Handler } from "../table/command.ts";

export const showOrganization: Handler = async (context) => {
  const client = await context.client();
  show(context, await client.organization.get({ signal: context.signal }));
};

export const renameOrganization: Handler = async (context, input) => {
  const client = await context.client();
  const body = { name: input.argument("NAME") };
  show(context, await client.organization.update(body, { signal: context.signal }));
};

function show({ output }: Context, organization: Organization): void {
  const { id, name, retention } = organization;
  const days = (number: number | null): string => (number === null ? "for ever" : `${number} days`);
  output.item(organization, [
    ["name", name],
    ["id", id],
    ["audit entries kept", days(retention.auditEntryDays)],
    ["events kept", days(retention.eventDays)],
    ["webhook deliveries kept", days(retention.webhookAttemptDays)],
    ["bodies of receivers' answers kept", days(retention.webhookBodyDays)],
    ["git host deliveries kept", days(retention.gitDeliveryDays)],
    ["versions of variables kept", days(retention.variableVersionDays)],
    ["results of storing variables kept", days(retention.variableRunDays)],
    ["counts of domains kept", days(retention.domainCountDays)],
    ["answers under an idempotency key kept", `${retention.idempotencyHours} hours`],
  ]);
}
