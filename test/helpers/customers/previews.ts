/** A team whose project makes previews of the sandbox's pull requests. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { commitFiles, type Files } from "../../../sandbox/src/git/git-repositories.ts";
import type { SandboxServer } from "../../../sandbox/src/server.ts";
import type { ApiClient } from "../api-client.ts";
import { getFromEdge } from "../sandbox/edge-client.ts";
import { until } from "../until.ts";
import { createIacProject, deliverPush, push, withConfig } from "./deployments.ts";

export const SITE = { id: "site", type: "static", outputDirectory: "public" };
const PATIENCE_MS = 120_000;

/** A template on `main`. @param source in addition, such as a filter */
export function templateOf(id: string, source: object = {}, services: readonly object[] = [SITE]) {
  return { id, region: "us-west-2", source: { branch: "main", pr: true, ...source }, services };
}

export type ShownPreview = {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly reason: string | null;
  readonly waitsFor: string | null;
  readonly templateId: string;
  readonly environmentId: string | null;
  readonly commitHash: string;
  readonly deployedCommitHash: string | null;
};

export type Orphan = {
  readonly kind: string;
  readonly key: string;
  readonly reason: string | null;
  readonly waitsFor: string;
};

export type PreviewTeam = {
  readonly projectId: string;
  /** Ids of environments by their ids in the configuration. */
  readonly environments: Readonly<Record<string, string>>;
  /** Commits to a branch. A new branch begins at the last commit of `main`. @returns the commit */
  commit(branch: string, text: string, environments?: readonly object[]): Promise<string>;
  /** Creates or changes a pull request into `main`. */
  putPullRequest(number: number, head: string, more?: object): Promise<void>;
  /** Delivers a push of this commit to `main`; pull requests are delivered by the git host. */
  deliverPush(commit: string): Promise<void>;
  list(): Promise<readonly ShownPreview[]>;
  find(key: string): Promise<ShownPreview | null>;
  /** `gone` for no preview. */
  untilState(key: string, ...states: readonly string[]): Promise<ShownPreview | null>;
  orphans(): Promise<readonly Orphan[]>;
  /** Waits until no preview that is deleted has anything in the account. */
  untilNoOrphans(): Promise<void>;
  /** The host of the first service of a preview. */
  hostOf(preview: ShownPreview): Promise<string>;
  /** Waits until the commit is deployed to the environment of a preview. Before the first release, the edge shows its branch. */
  untilDeployed(preview: ShownPreview, commit: string): Promise<void>;
};

/** Of each instance: another secret would end the deliveries of the teams that have this one. */
const HOOK_SECRETS = new WeakMap<ApiClient, Promise<string>>();

async function makeHookSecret(admin: ApiClient): Promise<string> {
  const integrations = (await admin.get("/v1/git-integrations")).body.gitIntegrations;
  return (await admin.post(`/v1/git-integrations/${integrations[0].id}/hook-secret`)).body.secret;
}

/**
 * Makes a repository and its project, and has the git host notify Slipway. The account is connected, and the git
 * integration is made.
 * @param files of each commit, beside its page
 */
export async function startPreviewTeam(
  { admin, dataDir }: { readonly admin: ApiClient; readonly dataDir: string },
  name: string,
  environments: readonly object[],
  { awsAccountId = "main", files = {} }: { readonly awsAccountId?: string; readonly files?: Files } = {},
): Promise<PreviewTeam> {
  const repository = `/sandbox/git/repositories/${name}`;
  const filesOf = (text: string, written: readonly object[] = environments) =>
    withConfig({ environments: written }, { ...files, "public/index.html": text });
  let main = await push({ dataDir }, name, filesOf("main"));
  const projectId = await createIacProject(admin, name, awsAccountId);
  const secret = HOOK_SECRETS.get(admin) ?? makeHookSecret(admin);
  HOOK_SECRETS.set(admin, secret);
  const hook = await admin.put(`${repository}/hook`, { provider: "provider_a", secret: await secret });
  assert.equal(hook.status, 204, hook.text);
  const listed = await admin.get(`/v1/projects/${projectId}/environments`);
  const list = async (): Promise<readonly ShownPreview[]> =>
    (await admin.get(`/v1/previews?projectId=${projectId}&limit=100`)).body.previews;
  const find = async (key: string) => (await list()).find((one) => one.key === key) ?? null;
  const orphans = async (): Promise<readonly Orphan[]> =>
    (await admin.get(`/v1/previews/orphans?projectId=${projectId}`)).body.orphans;
  return {
    projectId,
    environments: Object.fromEntries(
      listed.body.environments.map(({ configId, id }: { configId: string; id: string }) => [configId, id]),
    ),
    async commit(branch, text, written) {
      const gitdir = path.join(dataDir, "sandbox", "git", `${name}.git`);
      const ref = path.join(gitdir, "refs", "heads", branch);
      // An existing branch never shows another commit in between, which Slipway might read.
      if (!existsSync(ref)) writeFileSync(ref, `${main}\n`);
      const all = filesOf(text, written);
      const hash = await commitFiles({ gitdir, branch, files: all, message: text, at: new Date() });
      if (branch === "main") main = hash;
      return hash;
    },
    async putPullRequest(number, head, more = {}) {
      const pullRequest = { head, base: "main", state: "open", ...more };
      const answer = await admin.put(`${repository}/pull-requests/${number}`, pullRequest);
      assert.equal(answer.status, 200, answer.text);
    },
    deliverPush: async (commit) =>
      void (await deliverPush({ url: admin.baseUrl }, await secret, name, commit)),
    list,
    find,
    untilState: async (key, ...states) => {
      const { preview } = await until(
        async () => {
          const seen = await find(key);
          return states.includes(seen?.state ?? "gone") ? { preview: seen } : null;
        },
        `${key} is ${states.join(" or ")}`,
        PATIENCE_MS,
      );
      return preview;
    },
    orphans,
    untilNoOrphans: async () =>
      void (await until(
        async () => {
          const deleting = (await list()).filter(({ state }) => state === "DELETING");
          return deleting.length === 0 && (await orphans()).length === 0;
        },
        "nothing of deleted previews is left",
        PATIENCE_MS,
      )),
    untilDeployed: async ({ key, environmentId }, commit) =>
      void (await until(
        async () => {
          const { deployments } = (await admin.get(`/v1/deployments?environmentId=${environmentId}`)).body;
          const newest = deployments?.at(-1);
          return newest?.commitHash === commit && newest.status === "SUCCESS";
        },
        `${key} has the commit ${commit}`,
        PATIENCE_MS,
      )),
    hostOf: ({ environmentId }) =>
      until(
        async () => {
          const { services } = (await admin.get(`/v1/environments/${environmentId}/services`)).body;
          const id = services?.[0]?.id as string | undefined;
          return id && ((await admin.get(`/v1/services/${id}`)).body.cdnDomainName as string | null);
        },
        "its address",
        PATIENCE_MS,
      ),
  };
}

/** Waits until the edge shows a text of the first service of a preview. @returns the page */
export async function untilServed(
  sandbox: SandboxServer,
  team: PreviewTeam,
  preview: ShownPreview,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const host = await team.hostOf(preview);
  return await until(
    async () => {
      const { body } = await getFromEdge(sandbox, host, { headers });
      return body.includes(text) ? body : null;
    },
    `${host} shows ${text}`,
    PATIENCE_MS,
  );
}
