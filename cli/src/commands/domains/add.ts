import type { Domain } from "../../../../sdk/src/index.ts";
import type { Handler, Input } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CommandError, EXIT, UsageError } from "../../failure.ts";
import { collect, findService, PAGE, WITH_DOMAINS } from "../../lookup.ts";
import type { Column } from "../../text-table.ts";
import { firstOf, waiting } from "../../wait.ts";
import { openingOf, sandboxPageOf } from "../addresses.ts";
import { newsOf, wrongWith } from "./diagnosis.ts";

export const DOMAIN_COLUMNS: readonly Column<Domain>[] = [
  "name",
  "id",
  "status",
  { title: "last error", of: (domain) => wrongWith(domain)[0], isProse: true },
];

export const addDomains: Handler = async (context, input) => {
  const { client, output } = context;
  const inSandbox = input.isSet("in-sandbox");
  if (inSandbox && !input.isSet("wait"))
    throw new UsageError("--in-sandbox sets records as they become known: give --wait, too.");
  const created = await add(context, input, input.all("NAME"));
  if (input.isSet("wait")) return await followDomains(context, input, created, inSandbox);
  const added = await Promise.all(created.map(async ({ id }) => client.domains.get(id)));
  output.progress(`The records to set follow in a moment: slipway domains wait ${added[0]?.name ?? ""}`);
  output.list(added, DOMAIN_COLUMNS);
};

type Named = Pick<Domain, "id" | "name">;

/** @returns the new domains */
async function add(context: Context, input: Input, names: readonly string[]): Promise<readonly Named[]> {
  const { domainGroups } = context.client;
  const [group, isSeparate] = [input.text("group"), input.isSet("separate")];
  if (group !== undefined && isSeparate) throw new UsageError("Give --group or --separate, not both.");
  const autoDns = input.isSet("auto-dns");
  if (group !== undefined && autoDns)
    throw new UsageError("--auto-dns is only for a new group. Give it without --group.");
  const addTo = async (id: string): Promise<readonly Named[]> =>
    (await domainGroups.addDomains(id, { domains: names })).domains;
  if (group !== undefined) return await addTo(group);
  const service = await findService(context, input, undefined, WITH_DOMAINS);
  if (!isSeparate) {
    const groups = await collect(domainGroups.list(service.id, { limit: PAGE }));
    const own = groups.find(({ isDefaultCdn, status }) => isDefaultCdn && status !== "DELETING");
    if (own?.autoDns === false && autoDns)
      throw new UsageError(
        "The group of the service's default distribution does not set records itself: add --separate.",
      );
    if (own !== undefined) return await addTo(own.id);
  }
  const body = { domains: names, useDefaultCdn: !isSeparate, autoDns };
  return (await domainGroups.create(service.id, body)).createdDomains;
}

/** Follows domains until each is as desired, in error or being detached. Prints what each needs, and what is wrong. */
export async function followDomains(
  context: Context,
  input: Input,
  domains: readonly Named[],
  inSandbox: boolean,
): Promise<void> {
  const { client, output } = context;
  const setInSandbox = new Set<string>();
  const isReached = ({ status, dnsRecords }: Domain): boolean =>
    status === "ATTACHED" &&
    (input.text("until") === "attached" ||
      dnsRecords.every((record) => record.purpose !== "SERVICE_CONNECTION" || record.status === "OK"));
  const hasEnded = (domain: Domain): boolean =>
    isReached(domain) || domain.status.startsWith("ERROR_") || domain.status === "DETACHING";
  const followOne = async (id: string, signal: AbortSignal): Promise<Domain> => {
    const printed = new Map<string, string>();
    let autoDns: boolean | null = null;
    async function* reported(): AsyncGenerator<Domain> {
      for await (const domain of client.domains.watch(id, { signal })) {
        autoDns ??= (await client.domainGroups.get(domain.domainCertificateGroupId)).autoDns;
        for (const [about, lines] of newsOf(domain, autoDns)) {
          if (printed.get(about) === lines.join("\n")) continue;
          printed.set(about, lines.join("\n"));
          lines.forEach(output.progress);
        }
        if (inSandbox && !hasEnded(domain)) await setRecordsInSandbox(context, domain, setInSandbox);
        yield domain;
      }
    }
    return await firstOf(reported(), hasEnded);
  };
  const resume = domains.map(({ name }) => `slipway domains wait ${name}`).join("; ");
  const ended = await waiting(context, input, resume, async (signal) =>
    Promise.all(domains.map(async ({ id }) => followOne(id, signal))),
  );
  output.list(ended, DOMAIN_COLUMNS);
  const failed = ended.filter((domain) => !isReached(domain));
  const [first] = failed;
  if (first !== undefined)
    throw new CommandError(failed.map(({ name, status }) => `${name} is ${status}.`).join(" "), {
      code: "ENDED_BADLY",
      exitCode: EXIT.ENDED_BADLY,
      hint: `${wrongWith(first)[0] ?? ""}\nAfterwards: slipway domains retry ${first.name} --wait`.trim(),
    });
  if (inSandbox) await printHowToOpen(context, ended[0]?.name ?? "");
}

/** Sets each record of a domain once, as its owner would. @param done the records that were set */
async function setRecordsInSandbox(
  { client, output }: Context,
  { dnsRecords }: Domain,
  done: Set<string>,
): Promise<void> {
  for (const { status, type, name, value } of dnsRecords) {
    if (status === "OK" || done.has(`${type} ${name}`)) continue;
    done.add(`${type} ${name}`);
    await client.request("PUT", "/sandbox/dns/records", { body: { name, type, values: [value] } });
    output.progress(`Set ${type} ${name} in the sandbox's DNS.`);
  }
}

/** No resolver of this machine knows the sandbox's names. */
async function printHowToOpen(context: Context, name: string): Promise<void> {
  const { client, output } = context;
  const { url } = client;
  const { edge } = await client.request<{ edge: number }>("GET", "/sandbox/ports");
  const target = `${new URL(url).hostname}:${edge}`;
  output.progress(openingOf(sandboxPageOf(context, name)));
  output.progress(`With HTTPS: curl -O ${url}/sandbox/ca.pem`);
  output.progress(`            curl --cacert ca.pem --connect-to ${name}:443:${target} https://${name}/`);
}
