import type { Domain } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { findDomain } from "../../find/domain.ts";
import { PAGE, takeLimited } from "../../find/limited.ts";
import { findEnvironment, findProject, findService } from "../../find/scope.ts";
import type { Column } from "../../output/text-table.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";
import { untilGone, waiting } from "../wait.ts";
import { diagnosisOf, wrongWith } from "./diagnosis.ts";
import { RECORD_COLUMNS } from "./records.ts";
import { redirectLines } from "./redirect.ts";

export const DOMAIN_COLUMNS: readonly Column<Domain>[] = [
  { title: "name", of: ({ name }) => name },
  { title: "id", of: ({ id }) => id },
  { title: "status", of: ({ status }) => status },
  { title: "found wrong", of: (domain) => wrongWith(domain)[0], isProse: true },
];

export const listDomains: Handler = async (context, input) => {
  const client = await context.client();
  const [status, name, prefix] = [input.text("status"), input.text("name"), input.text("prefix")];
  const query = {
    limit: PAGE,
    ...(await scopeOf(context, input)),
    ...(status === undefined ? {} : { status: status as Domain["status"] }),
    ...(name === undefined ? {} : { name }),
    ...(prefix === undefined ? {} : { namePrefix: prefix }),
  };
  context.output.list(await takeLimited(input, context.output, client.domains.list(query)), DOMAIN_COLUMNS);
};

export const showDomain: Handler = async (context, input) => {
  const domain = await findDomain(context, input.argument("DOMAIN"));
  showDomainItem(context, domain);
};

/** The check runs in the background. It has ended when each record was checked later than before. */
export const checkDomain: Handler = async (context, input) => {
  const client = await context.client();
  const before = await findDomain(context, input.argument("DOMAIN"));
  await client.domains.check(before.id, { signal: context.signal });
  const checkedAt = new Map(before.dnsRecords.map((record) => [record.name, record.lastPropagationCheckAt]));
  const isChecked = ({ dnsRecords }: Domain): boolean =>
    dnsRecords.every(({ name, lastPropagationCheckAt: at }) => at !== null && at !== checkedAt.get(name));
  const domain = await waiting(context, input, `slipway domains check ${before.name}`, async (signal) => {
    for await (const one of client.domains.watch(before.id, { signal })) if (isChecked(one)) return one;
    throw new Error("A watch does not end.");
  });
  if (domain.dnsRecords.length === 0) context.output.progress(`${domain.name} has no records yet.`);
  context.output.list(domain.dnsRecords, RECORD_COLUMNS);
};

export const connectDomain: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  const domain = await findDomain(context, input.argument("DOMAIN"));
  const wanted = { verificationOnly: input.isSet("verification-only") };
  const started = await client.domains.startConnect(domain.id, wanted, { signal });
  output.progress(`Open the address in a browser, and agree at ${started.providerName}.`);
  output.progress(`Then: slipway domains wait ${domain.name}`);
  output.item(started, [
    ["address", started.applyUrl],
    ["until", started.expiresAt],
  ]);
};

export const removeDomain: Handler = async (context, input) => {
  const { output, prompt, signal } = context;
  const client = await context.client();
  const domain = await findDomain(context, input.argument("DOMAIN"));
  await prompt.confirm(`Stop serving ${domain.name}, and delete it?`);
  const answer = await client.domainGroups.deleteDomain(domain.domainCertificateGroupId, domain.id, {
    signal,
  });
  const isGone = answer === undefined || answer === null;
  if (!isGone && input.isSet("wait")) {
    output.progress(`${domain.name}: DETACHING`);
    await waiting(context, input, `slipway domains remove ${domain.id} --wait --yes`, async (signal) =>
      untilGone(client.domains.watch(domain.id, { signal }), (one) => {
        if (one.lastAttachmentError !== null) output.progress(one.lastAttachmentError.message);
      }),
    );
  } else if (!isGone) output.progress(`${domain.name} is being detached.`);
  const isDeleted = isGone || input.isSet("wait");
  for (const { type, name, accountZone } of domain.dnsRecords)
    output.progress(
      accountZone?.status === "SET"
        ? `Slipway removes the ${type} record ${name}, which it has set.`
        : `Remove the ${type} record ${name} from your DNS.`,
    );
  output.item({ id: domain.id, name: domain.name, isDeleted }, [
    [isDeleted ? "deleted" : "deleting", domain.name],
  ]);
};

/** The narrowest of the flags that were given; without any, the whole organization. */
async function scopeOf(
  context: Context,
  input: Input,
): Promise<{ serviceId?: string; environmentId?: string; projectId?: string }> {
  if (input.text("service") !== undefined) return { serviceId: (await findService(context, input)).id };
  if (input.text("environment") !== undefined)
    return { environmentId: (await findEnvironment(context, input)).id };
  const named = input.text("project");
  return named === undefined ? {} : { projectId: (await findProject(context, named)).id };
}

function showDomainItem({ output }: Context, domain: Domain): void {
  output.item(domain, [
    ["name", domain.name],
    ["id", domain.id],
    ["status", domain.status],
    ["type", domain.type],
    ["group", domain.domainCertificateGroupId],
    ...(domain.redirectStatus === null ? [] : redirectLines(domain)),
    ...domain.dnsRecords.flatMap((record) => [
      [`record ${record.type}`, `${record.name} → ${record.value}`] as const,
      ["  last check", diagnosisOf(record)] as const,
    ]),
    ...wrongWith(domain).map((text) => ["found wrong", text] as const),
  ]);
}
