/** A pull request from its preview to its merge, and what the account has of it then. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Preview, Slipway } from "../../../sdk/src/index.ts";
import { shortHash } from "../../lib/short-hash.ts";
import type { EdgeAnswer } from "./edge.ts";
import type { Lines } from "./lines.ts";
import { pageOf, PULL_REQUEST_BRANCH as HEAD, type ShopRepository } from "./repository.ts";

const REPOSITORY = "/sandbox/git/repositories/shop";
const PAUSE_MS = 100;

type Shop = {
  readonly repository: ShopRepository;
  readonly projectId: string;
  readonly awsAccountId: string;
  readonly get: (name: string, headers?: Readonly<Record<string, string>>) => Promise<EdgeAnswer>;
  readonly signal: AbortSignal;
};

export async function playPreviews(lines: Lines, slipway: Slipway, shop: Shop): Promise<void> {
  const { repository, projectId, awsAccountId, get, signal } = shop;
  const until = async <T>(look: () => Promise<T | null>): Promise<T> => {
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  };
  const putPullRequest = (state: "open" | "merged") =>
    slipway.request("PUT", `${REPOSITORY}/pull-requests/1`, {
      body: { head: HEAD, base: "main", title: "Add a cart", author: "ada", state },
    });
  const find = async (): Promise<Preview | null> =>
    (await slipway.previews.list({ projectId })).previews[0] ?? null;
  let bypass: Readonly<Record<string, string>> = {};
  /** @returns the address that shows the text of the newest commit */
  const untilShown = (text: string): Promise<string> =>
    until(async () => {
      const preview = await find();
      if (preview === null || preview.environmentId === null) return null;
      const [service] = (await slipway.services.list(preview.environmentId)).services;
      const host = service && (await slipway.services.get(service.id)).cdnDomainName;
      if (host === undefined || host === null) return null;
      // Until its distribution is deployed, the edge does not know the name.
      const page = await get(host, bypass).catch(() => null);
      return page?.status === 200 && page.body === pageOf(text, null) ? host : null;
    });
  let host = "";
  await lines.step("Have the git host notify Slipway", async () => {
    const [integration] = (await slipway.gitIntegrations.list()).gitIntegrations;
    const { secret } = await slipway.gitIntegrations.createHookSecret(integration?.id ?? "");
    await slipway.request("PUT", `${REPOSITORY}/hook`, { body: { provider: "provider_a", secret } });
    return "of pull requests, with a signature";
  });
  await lines.step("Make a secret for tests of previews", async () => {
    const { environments } = await slipway.environments.list(projectId);
    const template = environments.find(({ isTemplate }) => isTemplate);
    const { header, secret } = await slipway.previews.createBypass(template?.id ?? "");
    bypass = { [header]: secret };
    return `to send in ${header}`;
  });
  await lines.step("Open a pull request", async () => {
    await repository.commit("With a cart", HEAD);
    await putPullRequest("open");
    host = await untilShown("With a cart");
    return `https://${host}: "${pageOf("With a cart", null)}"`;
  });
  await lines.step("Open it without the secret", async () => {
    const { status, body } = await get(host);
    if (status !== 401) throw new Error(`The preview answered ${status} to a stranger.`);
    return `${status}: "${body.trim()}"`;
  });
  await lines.step("Push to it", async () => {
    const commit = await repository.commit("With a better cart", HEAD);
    await untilShown("With a better cart");
    return `${shortHash(commit)} at the same address: "${pageOf("With a better cart", null)}"`;
  });
  await lines.step("Merge it", async () => {
    const before = await find();
    const { services } = await slipway.services.list(before?.environmentId ?? "");
    const ids = services.map(({ id }) => id);
    await putPullRequest("merged");
    await until(async () => ((await findInAccount(slipway, awsAccountId, host, ids)) ? null : true));
    return "nothing of the preview is left in the account; Slipway looks again in a minute";
  });
}

type Account = {
  readonly serviceId: string;
  readonly distributions: readonly { readonly domainName: string }[];
  readonly services: readonly { readonly serviceId: string }[];
};

/** Whether the account has something of a preview, as its own console shows it. */
async function findInAccount(
  slipway: Slipway,
  awsAccountId: string,
  host: string,
  serviceIds: readonly string[],
): Promise<boolean> {
  const { accounts } = await slipway.request<{ accounts: readonly Account[] }>("GET", "/sandbox/state");
  return accounts.some(
    ({ serviceId, distributions, services }) =>
      serviceId === awsAccountId &&
      (distributions.some(({ domainName }) => domainName === host) ||
        services.some((one) => serviceIds.includes(one.serviceId))),
  );
}
