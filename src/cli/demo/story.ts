/** The story of the specification, from an empty installation to releases under the user's own domain. */
import { Resolver } from "node:dns/promises";
import { Slipway } from "../../../sdk/src/index.ts";
import { connectAccount } from "./steps/cloud-account.ts";
import { deployHead } from "./steps/deploy.ts";
import { attachDomain } from "./steps/domain.ts";
import { type EdgeAnswer, getOverTls } from "./edge.ts";
import type { Lines } from "./lines.ts";
import { createProject } from "./steps/project.ts";
import { playReleases } from "./steps/releases.ts";
import { createShopRepository, pageOf } from "./steps/repository.ts";
import type { ThrowAwayInstance } from "./throw-away-instance.ts";
import { playVariables } from "./steps/variables.ts";
import { playZone } from "./steps/zone.ts";
import { shortHash } from "../../lib/short-hash.ts";

const DOMAIN = "www.shop.example.com";
const ZONE = "shop.example.net";

/** Plays every step. Rejects at the first that fails. */
export async function playStory(
  lines: Lines,
  instance: ThrowAwayInstance,
  signal: AbortSignal,
): Promise<void> {
  const slipway = new Slipway({ url: instance.url, token: instance.apiKey, signal });
  const resolver = new Resolver({ timeout: 2_000, tries: 3 });
  resolver.setServers([instance.dnsServer]);

  const awsAccountId = await connectAccount(lines, slipway, signal);
  const text = "The first commit";
  const repository = await createShopRepository(instance.dataDir);
  await lines.step("Commit a web service", async () => {
    const commit = await repository.commit(text);
    return `${shortHash(commit)} in ${repository.url}`;
  });
  const ids = await createProject(lines, slipway, { repoUrl: repository.url, awsAccountId });
  let deploymentId = "";
  await lines.step("Deploy the head of the branch", async () => {
    const deployment = await deployHead(slipway, { projectId: ids.projectId, repoUrl: repository.url });
    deploymentId = deployment.id;
    return `${deployment.branch} at ${deployment.commit}: SUCCESS`;
  });
  await playVariables(lines, slipway, ids.environmentId);
  await attachDomain(lines, slipway, resolver, { name: DOMAIN, serviceId: ids.serviceId });

  const ca = await (await fetch(`${instance.url}/sandbox/ca.pem`, { signal })).text();
  const get = (name = DOMAIN): Promise<EdgeAnswer> =>
    getOverTls({ name, port: instance.edgePort, resolver, ca, signal });
  await lines.step("Open it over HTTPS", async () => {
    const page = await get();
    const body = checked(page, [pageOf(text, null)]);
    return `200 "${body}", certificate of ${page.issuer} for ${page.names}`;
  });
  await playZone(lines, slipway, {
    zone: ZONE,
    serviceId: ids.serviceId,
    awsAccountId,
    open: async (name) => checked(await get(name), [pageOf(text, null)]),
  });
  await playReleases(lines, slipway, {
    repository,
    ...ids,
    first: { text, deploymentId },
    open: async (...expected) => checked(await get(), expected),
  });
}

function checked({ status, body }: EdgeAnswer, expected: readonly string[]): string {
  if (status === 200 && expected.includes(body)) return body;
  const wanted = expected.map((page) => `"${page}"`).join(" or ");
  throw new Error(`https://${DOMAIN}/ answered ${status} "${body.slice(0, 300)}" instead of ${wanted}.`);
}
