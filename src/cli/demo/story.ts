/** The story of the specification, from an empty installation to a page under a domain of one's own. */
import { Resolver } from "node:dns/promises";
import { Type } from "typebox";
import { type Api, createApi } from "./api.ts";
import { getOverTls } from "./edge.ts";
import type { Lines } from "./lines.ts";
import type { ThrowAwayInstance } from "./throw-away-instance.ts";
import { playVariables } from "./variables.ts";

const DOMAIN = "www.shop.example.com";
const REPOSITORY = "https://git.sandbox.test/demo.git";

const Identified = Type.Object({ id: Type.String() });
const Account = Type.Object({
  id: Type.String(),
  status: Type.String(),
  connectedAwsAccountId: Type.Union([Type.String(), Type.Null()]),
});
const NewAccount = Type.Object({
  id: Type.String(),
  status: Type.Literal("AWAITING_CONNECTION"),
  cloudStack: Type.Object({ consoleUrl: Type.String() }),
});
const Deployment = Type.Object({
  branch: Type.String(),
  commit: Type.String(),
  id: Type.String(),
});
const DeploymentState = Type.Object({
  status: Type.String(),
  error: Type.Union([Type.Null(), Type.Object({ code: Type.String(), message: Type.String() })]),
});
const Group = Type.Object({
  id: Type.String(),
  status: Type.String(),
  createdDomains: Type.Array(Identified, { minItems: 1 }),
});
const DnsRecord = Type.Object({
  purpose: Type.String(),
  name: Type.String(),
  type: Type.String(),
  value: Type.String(),
});
type DnsRecord = Type.Static<typeof DnsRecord>;
const Domain = Type.Object({ status: Type.String(), dnsRecords: Type.Array(DnsRecord) });

/** Plays every step and rejects at the first that fails. */
export async function playStory(
  lines: Lines,
  instance: ThrowAwayInstance,
  signal: AbortSignal,
): Promise<void> {
  const api = createApi(instance.url, instance.apiKey, signal);
  const resolver = new Resolver({ timeout: 2_000, tries: 3 });
  resolver.setServers([instance.dnsServer]);

  const awsAccountId = await connectAccount(lines, api, signal);
  const { projectId, environmentId, serviceId } = await createProject(lines, api, awsAccountId);
  await deploy(lines, api, projectId);
  await playVariables(lines, api, environmentId);
  await attachDomain(lines, api, serviceId, resolver);
  await lines.step("Open it over HTTPS", async () => {
    const ca = await (await fetch(`${instance.url}/sandbox/ca.pem`, { signal })).text();
    const page = await getOverTls({ name: DOMAIN, port: instance.edgePort, resolver, ca, signal });
    const title = /<title>(.*?)<\/title>/.exec(page.body)?.[1];
    if (page.status !== 200 || title === undefined) {
      throw new Error(`https://${DOMAIN}/ answered ${page.status}: ${page.body.slice(0, 300)}`);
    }
    return `200 "${title}", certificate of ${page.issuer} for ${page.names}`;
  });
}

async function connectAccount(lines: Lines, api: Api, signal: AbortSignal): Promise<string> {
  let id = "";
  let consoleUrl = "";
  await lines.step("Create a cloud account connection", async () => {
    const account = await api.expect(201, NewAccount, "POST", "/v1/aws-accounts", { givenId: "acme" });
    ({ id } = account);
    ({ consoleUrl } = account.cloudStack);
    return account.status;
  });
  await lines.step("Create its stack in the console", async () => {
    const page = await fetch(consoleUrl, { signal });
    if (!page.ok) throw new Error(`The console page answered ${page.status}.`);
    // What the page's button sends.
    const pressed = await fetch(new URL("../stacks", consoleUrl), {
      method: "POST",
      body: new URLSearchParams({ ServiceId: id }),
      redirect: "manual",
      signal,
    });
    if (pressed.status !== 303) throw new Error(`The console's form answered ${pressed.status}.`);
    return "the button was pressed, without a key of Slipway's";
  });
  await lines.step("The account connects", async () => {
    const account = await api.follow(
      `/v1/aws-accounts/${id}`,
      Account,
      ({ status }) => status !== "AWAITING_CONNECTION",
    );
    if (account.status !== "CONNECTED") throw new Error(`The account is ${account.status}.`);
    return `CONNECTED to account ${account.connectedAwsAccountId ?? "?"}`;
  });
  return id;
}

type Ids = { readonly projectId: string; readonly environmentId: string; readonly serviceId: string };

async function createProject(lines: Lines, api: Api, awsAccountId: string): Promise<Ids> {
  let ids: Ids = { projectId: "", environmentId: "", serviceId: "" };
  await lines.step("Connect the git provider", async () => {
    const body = { provider: "provider_a", token: "any-token-does-here" };
    await api.expect(201, Identified, "POST", "/v1/git-integrations", body);
    return "provider_a";
  });
  await lines.step("Create a project from its repository", async () => {
    const project = await api.expect(201, Identified, "POST", "/v1/projects", {
      name: "Shop",
      repoUrl: REPOSITORY,
      awsAccountId,
      codeSource: { provider: "provider_a" },
      configType: "iac",
      configFilePath: "slipway.json",
      configFileBranch: "main",
    });
    ids = { ...ids, projectId: project.id };
    return `configured by slipway.json in ${REPOSITORY}`;
  });
  await lines.step("Read its environment and service", async () => {
    const { environments } = await api.expect(
      200,
      Type.Object({ environments: Type.Array(Identified) }),
      "GET",
      `/v1/projects/${ids.projectId}/environments`,
    );
    const environmentId = environments[0]?.id ?? "";
    const { services } = await api.expect(
      200,
      Type.Object({ services: Type.Array(Identified, { minItems: 1 }) }),
      "GET",
      `/v1/environments/${environmentId}/services`,
    );
    const serviceId = services[0]?.id ?? "";
    ids = { ...ids, environmentId, serviceId };
    return `${environmentId}, ${serviceId}`;
  });
  return ids;
}

async function deploy(lines: Lines, api: Api, projectId: string): Promise<void> {
  await lines.step("Deploy the head of the branch", async () => {
    const deployment = await api.expect(201, Deployment, "POST", "/v1/deployments", {
      repoUrl: REPOSITORY,
      filter: { projectId },
    });
    const path = `/v1/deployments/${deployment.id}`;
    const { status, error } = await api.follow(
      path,
      DeploymentState,
      (now) => now.status === "SUCCESS" || now.error !== null,
    );
    if (status !== "SUCCESS") throw new Error(`The deployment is ${status}: ${JSON.stringify(error)}`);
    return `${deployment.branch} at ${deployment.commit}: ${status}`;
  });
}

async function attachDomain(lines: Lines, api: Api, serviceId: string, resolver: Resolver): Promise<void> {
  let domainPath = "";
  let domain: Type.Static<typeof Domain> = { status: "", dnsRecords: [] };
  const untilStatus = async (wanted: string): Promise<void> => {
    domain = await api.follow(
      domainPath,
      Domain,
      ({ status }) => status === wanted || status.startsWith("ERROR"),
    );
    if (domain.status !== wanted) throw new Error(`The domain is ${JSON.stringify(domain)}.`);
  };
  await lines.step("Add a domain to the service", async () => {
    const group = await api.expect(
      201,
      Group,
      "POST",
      `/v1/services/${serviceId}/domain-certificate-groups`,
      { domains: [DOMAIN] },
    );
    domainPath = `/v1/domains/${group.createdDomains[0]?.id ?? ""}`;
    return `${DOMAIN}, its group is ${group.status}`;
  });
  await lines.step("Wait for the verification record", async () => {
    await untilStatus("AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    return recordOf(domain.dnsRecords, "CERTIFICATE_DOMAIN_VERIFICATION").name;
  });
  await lines.step("Set it in the DNS", async () => {
    const record = recordOf(domain.dnsRecords, "CERTIFICATE_DOMAIN_VERIFICATION");
    return await setRecord(api, record, resolver);
  });
  await lines.step("Certificate issued, domain attached", async () => {
    await untilStatus("ATTACHED");
    return domain.status;
  });
  await lines.step("Point the domain at its service", async () =>
    setRecord(api, recordOf(domain.dnsRecords, "SERVICE_CONNECTION"), resolver),
  );
}

function recordOf(records: readonly DnsRecord[], purpose: string): DnsRecord {
  const record = records.find((candidate) => candidate.purpose === purpose);
  if (record === undefined) throw new Error(`The domain asks for no ${purpose} record.`);
  return record;
}

/** Sets a CNAME as the domain's owner would, and sees it over DNS. */
async function setRecord(api: Api, record: DnsRecord, resolver: Resolver): Promise<string> {
  const { name, type, value } = record;
  const set = await api.send("PUT", "/sandbox/dns/records", { name, type, values: [value] });
  if (set.status !== 204) throw new Error(`The DNS refused the record: ${JSON.stringify(set.body)}`);
  const [seen] = await resolver.resolveCname(name);
  if (seen !== value.replace(/\.$/, "")) throw new Error(`The DNS has ${seen ?? "nothing"} at ${name}.`);
  return `${type} ${value}`;
}
