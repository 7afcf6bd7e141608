import type { Domain, Slipway } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { findDomain } from "../../find/domain.ts";
import { collect, findService } from "../../find/scope.ts";
import { CommandError, EXIT, UsageError } from "../../output/failure.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";
import { waiting } from "../wait.ts";
import { newsOf, wrongWith } from "./diagnosis.ts";
import { DOMAIN_COLUMNS } from "./domains.ts";
import { createSandboxDns, sayHowToOpen } from "./in-sandbox.ts";

export const addDomains: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  const names = input.all("NAME");
  const inSandbox = input.isSet("in-sandbox");
  if (inSandbox && !input.isSet("wait"))
    throw new UsageError("--in-sandbox sets records as they become known: give --wait, too.");
  const created = await add(context, input, client, names);
  if (!input.isSet("wait")) {
    const added = await Promise.all(created.map(async ({ id }) => client.domains.get(id, { signal })));
    output.progress(`The records to set follow in a moment: slipway domains wait ${added[0]?.name ?? ""}`);
    output.list(added, DOMAIN_COLUMNS);
    return;
  }
  await follow(context, input, created, inSandbox);
};

export const waitForDomain: Handler = async (context, input) => {
  const domain = await findDomain(context, input.argument("DOMAIN"));
  await follow(context, input, [domain], false);
};

export const retryDomain: Handler = async (context, input) => {
  const client = await context.client();
  const domain = await findDomain(context, input.argument("DOMAIN"));
  await client.domainGroups.retryAttachment(domain.domainCertificateGroupId, { signal: context.signal });
  if (input.isSet("wait")) await follow(context, input, [domain], false);
  else context.output.list([await client.domains.get(domain.id)], DOMAIN_COLUMNS);
};

type Named = Pick<Domain, "id" | "name">;

/** @returns the new domains */
async function add(
  context: Context,
  input: Input,
  client: Slipway,
  names: readonly string[],
): Promise<readonly Named[]> {
  const { signal } = context;
  const [group, isSeparate] = [input.text("group"), input.isSet("separate")];
  if (group !== undefined && isSeparate) throw new UsageError("Give --group or --separate, not both.");
  const autoDns = input.isSet("auto-dns");
  if (group !== undefined && autoDns)
    throw new UsageError(
      "A group that exists keeps its way of setting records: give --auto-dns without --group.",
    );
  const addTo = async (id: string): Promise<readonly Named[]> => {
    const { domains } = await client.domainGroups.addDomains(id, { domains: [...names] }, { signal });
    return domains;
  };
  if (group !== undefined) return await addTo(group);
  const service = await findService(context, input);
  if (!isSeparate) {
    const groups = await collect(client.domainGroups.list(service.id, { limit: 100 }, { signal }));
    const own = groups.find(({ isDefaultCdn, status }) => isDefaultCdn && status !== "DELETING");
    if (own?.autoDns === false && autoDns)
      throw new UsageError(
        "The group of the service's default distribution does not set records itself: add --separate.",
      );
    if (own !== undefined) return await addTo(own.id);
  }
  const body = { domains: [...names], useDefaultCdn: !isSeparate, autoDns };
  const { createdDomains } = await client.domainGroups.create(service.id, body, { signal });
  return createdDomains;
}

/** Follows domains until each is as wanted, in error or being detached. Prints what each needs, and what is wrong. */
async function follow(
  context: Context,
  input: Input,
  domains: readonly Named[],
  inSandbox: boolean,
): Promise<void> {
  const { output } = context;
  const client = await context.client();
  const setRecords = inSandbox ? createSandboxDns(client, output) : null;
  const until = input.text("until") ?? "served";
  const isReached = (domain: Domain): boolean =>
    domain.status === "ATTACHED" &&
    (until === "attached" ||
      domain.dnsRecords.every(({ purpose, status }) => purpose !== "SERVICE_CONNECTION" || status === "OK"));
  const followOne = async (id: string, signal: AbortSignal): Promise<Domain> => {
    const told = new Map<string, string>();
    let autoDns: boolean | null = null;
    for await (const domain of client.domains.watch(id, { signal })) {
      autoDns ??= (await client.domainGroups.get(domain.domainCertificateGroupId, { signal })).autoDns;
      for (const [about, lines] of newsOf(domain, autoDns)) {
        if (told.get(about) === lines.join("\n")) continue;
        told.set(about, lines.join("\n"));
        lines.forEach(output.progress);
      }
      if (isReached(domain)) return domain;
      if (domain.status.startsWith("ERROR_") || domain.status === "DETACHING") return domain;
      await setRecords?.(domain);
    }
    throw new Error("A watch does not end.");
  };
  const resume = domains.map(({ name }) => `slipway domains wait ${name}`).join("; ");
  const ended = await waiting(context, input, resume, async (signal) =>
    Promise.all(domains.map(async ({ id }) => followOne(id, signal))),
  );
  output.list(ended, DOMAIN_COLUMNS);
  const failed = ended.filter((domain) => !isReached(domain));
  const [first] = failed;
  if (first === undefined) {
    if (inSandbox) await sayHowToOpen(client, output, ended);
    return;
  }
  throw new CommandError(failed.map((domain) => `${domain.name} is ${domain.status}.`).join(" "), {
    code: "ENDED_BADLY",
    exitCode: EXIT.ENDED_BADLY,
    hint: `${wrongWith(first)[0] ?? ""}\nAfterwards: slipway domains retry ${first.name} --wait`.trim(),
  });
}
