/** The story of the specification, from an empty installation to releases under the user's own domain. */
import { Resolver } from "node:dns/promises";
import { type DnsRecord, Slipway } from "../../../sdk/src/index.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { type EdgeAnswer, getOverTls } from "./edge.ts";
import type { Lines } from "./lines.ts";
import { playPreviews } from "./previews.ts";
import { deployHead, playReleases } from "./releases.ts";
import { createShopRepository, pageOf } from "./repository.ts";
import type { ThrowAwayInstance } from "./throw-away-instance.ts";

const DOMAIN = "www.shop.example.com";
const ZONE = "shop.example.net";
const SECRET = "sk-demo-only-5f2e";

/** Plays every step. Rejects at the first that fails. */
export async function playStory(
  lines: Lines,
  instance: ThrowAwayInstance,
  signal: AbortSignal,
): Promise<void> {
  const slipway = new Slipway({ url: instance.url, token: instance.apiKey, signal });
  const ports = await slipway.request<{ dns: number; edge: number }>("GET", "/sandbox/ports");
  const resolver = new Resolver({ timeout: 2_000, tries: 3 });
  resolver.setServers([`127.0.0.1:${ports.dns}`]);

  const awsAccountId = await connectAccount(lines, slipway, signal);
  const text = "The first commit";
  const repository = await createShopRepository(instance.dataDir);
  await lines.step("Commit a web service", async () => {
    const commit = await repository.commit(text);
    return `${shortHash(commit)} in ${repository.url}`;
  });
  const ids = await createProject(lines, slipway, repository.url, awsAccountId);
  const project = { projectId: ids.projectId, repoUrl: repository.url };
  let deploymentId = "";
  await lines.step("Deploy the head of the branch", async () => {
    const deployment = await deployHead(slipway, project);
    deploymentId = deployment.id;
    return `${deployment.branch} at ${deployment.commit}: SUCCESS`;
  });
  await setVariables(lines, slipway, ids.environmentId);
  await attachDomain(lines, slipway, resolver, ids.serviceId);

  const ca = await (await fetch(`${instance.url}/sandbox/ca.pem`, { signal })).text();
  const get = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<EdgeAnswer> =>
    getOverTls({ name, port: ports.edge, resolver, ca, signal, headers });
  const open = async (name: string, expected: readonly string[]): Promise<string> =>
    checked(await get(name), expected);
  await lines.step("Open it over HTTPS", async () => {
    const page = await get(DOMAIN);
    const body = checked(page, [pageOf(text, null)]);
    return `200 "${body}", certificate of ${page.issuer} for ${page.names}`;
  });
  await playZone(lines, slipway, ids.serviceId, awsAccountId, (name) => open(name, [pageOf(text, null)]));
  await playReleases(lines, slipway, {
    repository,
    ...ids,
    first: { text, deploymentId },
    open: (...expected) => open(DOMAIN, expected),
  });
  await playPreviews(lines, slipway, { repository, projectId: ids.projectId, awsAccountId, get, signal });
}

function checked({ status, body }: EdgeAnswer, expected: readonly string[]): string {
  if (status === 200 && expected.includes(body)) return body;
  const pages = expected.map((page) => `"${page}"`).join(" or ");
  throw new Error(`https://${DOMAIN}/ answered ${status} "${body.slice(0, 300)}" instead of ${pages}.`);
}

/** Connects a cloud account by the stack that its owner creates. @returns its id */
async function connectAccount(lines: Lines, slipway: Slipway, signal: AbortSignal): Promise<string> {
  let id = "";
  let consoleUrl = "";
  await lines.step("Create a cloud account connection", async () => {
    const account = await slipway.awsAccounts.create({ givenId: "acme" });
    ({ id } = account);
    ({ consoleUrl } = account.cloudStack);
    return account.status;
  });
  await lines.step("Create its stack in the console", async () => {
    const page = await fetch(consoleUrl, { signal });
    if (!page.ok) throw new Error(`The console page answered ${page.status}.`);
    const code = new URL(consoleUrl).searchParams.get("code") ?? "";
    // Sends what the page's button sends.
    const pressed = await fetch(new URL("../stacks", consoleUrl), {
      method: "POST",
      body: new URLSearchParams({ ServiceId: id, code }),
      redirect: "manual",
      signal,
    });
    if (pressed.status !== 303) throw new Error(`The console's form answered ${pressed.status}.`);
    return "created with the page's button, without an API key";
  });
  await lines.step("The account connects", async () => {
    const account = await slipway.awsAccounts.waitUntilConnected(id);
    return `CONNECTED to account ${account.connectedAwsAccountId ?? "?"}`;
  });
  return id;
}

/** Creates a project configured by the repository's `slipway.json`, with an environment of one service, and one for previews. */
async function createProject(lines: Lines, slipway: Slipway, repoUrl: string, awsAccountId: string) {
  const ids = { projectId: "", environmentId: "", serviceId: "" };
  await lines.step("Connect the git provider", async () => {
    await slipway.gitIntegrations.create({ provider: "provider_a", token: "any-token-does-here" });
    return "provider_a";
  });
  await lines.step("Create a project from its repository", async () => {
    const project = await slipway.projects.create({
      name: "Shop",
      repoUrl,
      awsAccountId,
      codeSource: { provider: "provider_a" },
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
    });
    ids.projectId = project.id;
    return `configured by slipway.json in ${repoUrl}`;
  });
  await lines.step("Read its environment and service", async () => {
    const { environments } = await slipway.environments.list(ids.projectId);
    ids.environmentId = environments.find(({ isTemplate }) => !isTemplate)?.id ?? "";
    const { services } = await slipway.services.list(ids.environmentId);
    ids.serviceId = services[0]?.id ?? "";
    return `${ids.environmentId}, ${ids.serviceId}`;
  });
  return ids;
}

/** Plain values are saved at once. Managed ones go to the customer's account, and are stored only there. */
async function setVariables(lines: Lines, slipway: Slipway, environmentId: string): Promise<void> {
  const owner = { environmentId };
  await lines.step("Add a plain variable", async () => {
    const { status } = await slipway.variables.set(owner, { plainText: { LOG_LEVEL: "debug" } });
    return status;
  });
  await lines.step("Add managed secrets", async () => {
    const saved = await slipway.variables.set(owner, {
      parameterStore: { API_TOKEN: SECRET },
      secretsManager: { DB_PASSWORD: SECRET },
    });
    if (saved.status !== "processing") throw new Error(`The secrets are ${saved.status}.`);
    const run = await slipway.variables.wait(owner, saved.runId);
    const listed = await slipway.variables.list(owner);
    if (JSON.stringify(listed).includes(SECRET)) throw new Error("The API showed a managed value.");
    return `${Object.keys(run.storedEnvVariables).join(", ")} stored in the account; the API shows references only`;
  });
}

/** Attaches the domain to the service. Sets the required DNS records, as the domain's owner would. */
async function attachDomain(
  lines: Lines,
  slipway: Slipway,
  resolver: Resolver,
  serviceId: string,
): Promise<void> {
  let domainId = "";
  let records: readonly DnsRecord[] = [];
  const recordFor = (purpose: DnsRecord["purpose"]): DnsRecord => {
    const record = records.find((candidate) => candidate.purpose === purpose);
    if (record === undefined) throw new Error(`The domain has no ${purpose} record.`);
    return record;
  };
  /** Waits until DNS shows it, too. */
  const setRecord = async ({ name, type, value }: DnsRecord): Promise<string> => {
    await slipway.request("PUT", "/sandbox/dns/records", { body: { name, type, values: [value] } });
    const [found] = await resolver.resolveCname(name);
    if (found !== value.replace(/\.$/, "")) throw new Error(`The DNS has ${found ?? "nothing"} at ${name}.`);
    return `${type} ${value}`;
  };
  await lines.step("Add a domain to the service", async () => {
    const group = await slipway.domainGroups.create(serviceId, { domains: [DOMAIN] });
    domainId = group.createdDomains[0]?.id ?? "";
    return `${DOMAIN}, its group is ${group.status}`;
  });
  await lines.step("Wait for the verification record", async () => {
    const waiting = await slipway.domains.waitUntil(domainId, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    records = waiting.dnsRecords;
    return recordFor("CERTIFICATE_DOMAIN_VERIFICATION").name;
  });
  await lines.step("Set it in the DNS", () => setRecord(recordFor("CERTIFICATE_DOMAIN_VERIFICATION")));
  await lines.step("Certificate issued, domain attached", async () => {
    const domain = await slipway.domains.waitUntil(domainId, "ATTACHED");
    records = domain.dnsRecords;
    return domain.status;
  });
  await lines.step("Point the domain at its service", () => setRecord(recordFor("SERVICE_CONNECTION")));
}

/**
 * A domain whose DNS zone is in the cloud account: Slipway serves and removes it, and no person sets a record.
 * @param open returns what a name serves
 */
async function playZone(
  lines: Lines,
  slipway: Slipway,
  serviceId: string,
  awsAccountId: string,
  open: (name: string) => Promise<string>,
): Promise<void> {
  const name = `www.${ZONE}`;
  let group = { id: "", domainId: "" };
  await lines.step("Have a DNS zone in the account", async () => {
    const body = { ServiceId: awsAccountId, name: ZONE };
    const zone = await slipway.request<{ nameServers: string[] }>("POST", "/sandbox/zones", { body });
    return `${ZONE} is delegated to ${zone.nameServers.join(" and ")}`;
  });
  await lines.step("Add a domain that sets itself up", async () => {
    const body = { domains: [name], useDefaultCdn: false, autoDns: true };
    const { id, createdDomains } = await slipway.domainGroups.create(serviceId, body);
    group = { id, domainId: createdDomains[0]?.id ?? "" };
    return name;
  });
  await lines.step("Open it, no record set by hand", async () => {
    await slipway.domains.waitUntil(group.domainId, "ATTACHED");
    let records = "";
    for await (const { dnsRecords } of slipway.domains.watch(group.domainId)) {
      records = dnsRecords.map((record) => `${record.name} ${record.type} ${record.value}`).join(", ");
      if (dnsRecords.every(({ status }) => status === "OK")) break;
    }
    return `"${await open(name)}", with ${records}`;
  });
  await lines.step("Delete it, and its records with it", async () => {
    await slipway.domainGroups.delete(group.id);
    await slipway.domains.waitUntilDeleted(group.domainId);
    type Found = { readonly records: readonly { readonly name: string; readonly type: string }[] };
    const { records } = await slipway.request<Found>("GET", "/sandbox/dns/records");
    const left = records.filter((record) => record.type !== "NS" && record.name.endsWith(`.${ZONE}`));
    if (left.length > 0) throw new Error(`The zone still has ${JSON.stringify(left)}.`);
    return "the zone is as it was";
  });
}
