/**
 * A random life of a project with previews: pull requests open, move, change labels, close, reopen and merge, users delete
 * and approve, templates change, deliveries are lost, repeated and swapped, and the git host fails. At the end the previews
 * are what the open pull requests say, and the account has nothing else. `SLIPWAY_TEST_FULL=1` takes a new seed, which
 * `SLIPWAY_TEST_SEED` repeats.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../crash/random.ts";
import { push, withConfig } from "../helpers/customers/deployments.ts";
import { findDifferences, type ModelPullRequest } from "../helpers/customers/preview-model.ts";
import {
  type PreviewTeam,
  type ShownPreview,
  SITE,
  startPreviewTeam,
  templateOf,
} from "../helpers/customers/previews.ts";
import { stateOf } from "../helpers/customers/sandbox-account.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

const IS_FULL = process.env["SLIPWAY_TEST_FULL"] === "1";
const SEED = Number(process.env["SLIPWAY_TEST_SEED"] ?? (IS_FULL ? Date.now() % 1_000_000 : 30));
const STEPS = IS_FULL ? 150 : 60;
const REPOSITORY = "/sandbox/git/repositories/shop";
const NUMBERS = 6;
const DELIVERY_FAULTS = ["dropped", "duplicated", "reordered"];
const LIST_FAULTS = ["denied", "not-found", "throttled", "server-error", "stale"];
/** Longer than the pause after a refusal of the git host that does not say when to ask again. */
const SETTLE_MS = 240_000;

describe(`a random life of previews, seed ${SEED}`, () => {
  const random = createRandom(SEED);
  const pick = <T>(of: readonly T[]): T => of[random.below(of.length)] as T;
  const trace: string[] = [];
  let instance: Instance;
  let awsAccountId: string;
  let team: PreviewTeam;
  let labels = { wide: "site", narrow: "few" };
  const MAX = { wide: 50, narrow: 2 };
  const pulls = new Map<number, ModelPullRequest>();
  const keys = new Map<string, string>();
  const approved = new Set<string>();

  const written = () => [
    templateOf("wide", { filter: { labels: [labels.wide] }, previews: { max: MAX.wide } }),
    templateOf("narrow", { filter: { labels: [labels.narrow] }, previews: { max: MAX.narrow } }),
  ];
  before(async () => {
    instance = await startInstance();
    awsAccountId = await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    team = await startPreviewTeam(instance, "shop", written());
  });
  after(() => instance.dispose());

  let texts = 0;
  const commitTo = async (head: string, fork: string | null): Promise<string> => {
    texts += 1;
    const text = `Text ${texts}`;
    if (fork === null) return await team.commit(head, text, written());
    const files = withConfig({ environments: written() }, { "public/index.html": text });
    return await push(instance, fork, files, head);
  };
  const change = async (
    pullRequest: ModelPullRequest,
    state = pullRequest.isOpen ? "open" : "closed",
    more: object = {},
  ) => {
    const { number, head, fork: headRepository, labels: own } = pullRequest;
    const body = { head, base: "main", headRepository, labels: own, state, ...more };
    const answer = await instance.admin.put(`${REPOSITORY}/pull-requests/${number}`, body);
    if (answer.status === 200) pulls.set(number, pullRequest);
    return answer;
  };
  const some = (fits: (one: ModelPullRequest) => boolean): ModelPullRequest | null => {
    const found = [...pulls.values()].filter(fits);
    return found.length === 0 ? null : pick(found);
  };
  const isOpen = (one: ModelPullRequest) => one.isOpen;

  async function openOne(): Promise<string | null> {
    const closed = [...Array(NUMBERS).keys()].map((index) => index + 1).filter((one) => !pulls.has(one));
    if (closed.length === 0) return null;
    const number = pick(closed);
    const fork = random.next() < 0.3 ? `stranger-${number}` : null;
    const head = `branch-${number}`;
    const commit = await commitTo(head, fork);
    const own = fork === null ? pick([["site"], ["few"], ["site", "few"], []]) : ["site"];
    const fresh = { number, head, fork, labels: own, isOpen: true, commit };
    const { text } = await change({ ...fresh, approved: null, deleted: {}, hasWavered: false });
    return `open ${number} ${String(fork)} ${own.join("+")} ${commit.slice(0, 6)} ${text.slice(0, 0)}`;
  }
  async function pushOne(): Promise<string | null> {
    const one = some(isOpen);
    if (one === null) return null;
    const commit = await commitTo(one.head, one.fork);
    pulls.set(one.number, { ...one, commit, hasWavered: false });
    return `push ${one.number} ${commit.slice(0, 6)}`;
  }
  async function relabel(): Promise<string | null> {
    const one = some((each) => each.isOpen && each.fork === null);
    if (one === null) return null;
    const own = pick([["site"], ["few"], ["site", "few"], []]);
    await change({ ...one, labels: own, hasWavered: true });
    return `label ${one.number} ${own.join("+")}`;
  }
  async function closeOne(): Promise<string | null> {
    const one = some(isOpen);
    if (one === null) return null;
    await change({ ...one, isOpen: false, hasWavered: true });
    return `close ${one.number}`;
  }
  async function reopen(): Promise<string | null> {
    const one = some((each) => !each.isOpen);
    if (one === null) return null;
    const { status } = await change({ ...one, isOpen: true });
    return `reopen ${one.number} ${status}`;
  }
  async function merge(): Promise<string | null> {
    const one = some((each) => each.isOpen && each.fork === null);
    if (one === null) return null;
    const { status } = await change({ ...one, isOpen: false }, "merged");
    // Another pull request changed the same line.
    if (status !== 200) return `merge ${one.number} ${status}`;
    // Its number and its branch are never used again.
    pulls.set(one.number, { ...one, isOpen: false, labels: [], fork: "merged" });
    return `merge ${one.number}`;
  }
  async function approveOne(): Promise<string | null> {
    const waiting = (await team.list()).filter(({ state }) => state === "WAITING_FOR_APPROVAL");
    if (waiting.length === 0) return null;
    const { id, key, commitHash } = pick(waiting);
    // Before the answer: the commit may be deployed before it arrives.
    approved.add(commitHash);
    const { status } = await instance.admin.post(`/v1/previews/${id}/approve`, { commitHash });
    const one = pulls.get(Number(key.slice(3)));
    if (status === 200 && one !== undefined) pulls.set(one.number, { ...one, approved: commitHash });
    return `approve ${key} ${commitHash.slice(0, 6)} ${status}`;
  }
  async function deleteOne(): Promise<string | null> {
    const all = await team.list();
    if (all.length === 0) return null;
    const { id, key, state, templateId } = pick(all);
    const { status, body } = await instance.admin.delete(`/v1/previews/${id}`);
    const configId = templateId === team.environments["wide"] ? "wide" : "narrow";
    keys.delete(key);
    const one = pulls.get(Number(key.slice(3)));
    if (status === 202 && one !== undefined) {
      // A preview that was being deleted already begins again with its pull request.
      const isUnsure = state === "DELETING" || body.state !== "DELETING";
      const deleted = { ...one.deleted, [configId]: body.commitHash as string };
      pulls.set(one.number, { ...one, deleted, hasWavered: one.hasWavered || isUnsure || !one.isOpen });
    }
    return `delete ${configId} ${key} ${state} ${status}`;
  }
  async function putKey(): Promise<string | null> {
    const key = pick(["blue", "green"]);
    const commit = await commitTo(`key-${key}`, null);
    const body = { environmentId: team.environments["narrow"], branch: `key-${key}` };
    const { status } = await instance.admin.put(`/v1/projects/${team.projectId}/previews/${key}`, body);
    if (status === 200) keys.set(key, commit);
    return `put ${key} ${status}`;
  }
  async function changeTemplate(): Promise<string | null> {
    const name = pick(["wide", "narrow"] as const);
    labels = { ...labels, [name]: pick(["site", "few"]) };
    for (const one of pulls.values()) pulls.set(one.number, { ...one, hasWavered: true });
    await team.commit("main", `Templates ${(texts += 1)}`, written());
    return `template ${name} takes ${labels[name]}`;
  }
  async function fail(): Promise<string | null> {
    const isDelivery = random.next() < 0.6;
    const operation = isDelivery ? "deliveries.send" : "pullRequests.list";
    const kind = pick(isDelivery ? DELIVERY_FAULTS : LIST_FAULTS);
    const fault = { operation, kind, count: 1 + random.below(3) };
    assert.equal((await instance.admin.put(`${REPOSITORY}/faults`, fault)).status, 204);
    return `fault ${kind} ${fault.count}`;
  }
  const ACTS = [
    [openOne, openOne, openOne, pushOne, pushOne, pushOne, relabel, closeOne, reopen, reopen, merge],
    [approveOne, approveOne, deleteOne, putKey, changeTemplate, fail, fail],
  ].flat();

  const ofTemplate = (all: readonly ShownPreview[], configId: string) =>
    all.filter(({ templateId }) => templateId === team.environments[configId]);
  /** What must hold at every moment. */
  const checkAlways = (all: readonly ShownPreview[]) => {
    for (const configId of ["wide", "narrow"] as const) {
      const made = ofTemplate(all, configId).filter(
        ({ environmentId, state }) => environmentId !== null && state !== "DELETING",
      );
      assert.ok(made.length <= MAX[configId], `${made.length} previews of ${configId}`);
    }
    for (const { key, deployedCommitHash } of all) {
      const one = pulls.get(Number(key.slice(3)));
      if (one?.fork?.startsWith("stranger") !== true || deployedCommitHash === null) continue;
      assert.ok(approved.has(deployedCommitHash), `${key} shows ${deployedCommitHash}, not approved`);
    }
  };

  it("ends with the previews of the open pull requests, and nothing else", async (t) => {
    try {
      for (let step = 0; step < STEPS;) {
        const done = await pick(ACTS)();
        if (done === null) continue;
        step += 1;
        trace.push(done);
        checkAlways(await team.list());
        if (random.next() < 0.6) await sleep(random.below(1_000));
      }
      assert.equal((await instance.admin.delete(`${REPOSITORY}/faults`)).status, 204);
      let last: readonly string[] = [];
      let nudged = 0;
      await until(
        async () => {
          // The next read notices lost deliveries, and any delivery begins it.
          if (Date.now() - nudged > 5_000) {
            nudged = Date.now();
            await nudge();
          }
          const all = await team.list();
          checkAlways(all);
          last = [
            ...findDifferences(
              { configId: "wide", label: labels.wide, max: MAX.wide },
              [...pulls.values()],
              new Map(),
              ofTemplate(all, "wide"),
            ),
            ...findDifferences(
              { configId: "narrow", label: labels.narrow, max: MAX.narrow },
              [...pulls.values()],
              keys,
              ofTemplate(all, "narrow"),
            ),
          ];
          return last.length === 0;
        },
        "the previews are as the pull requests say",
        SETTLE_MS,
      ).catch((error: unknown) => {
        throw new Error(last.join("\n"), { cause: error });
      });
      await team.untilNoOrphans();
      await checkAccount();
    } catch (error) {
      t.diagnostic(`Seed ${SEED}: ${trace.join("; ")}`);
      throw error;
    }
  });

  /** Has the host send a delivery that changes nothing. */
  async function nudge(): Promise<void> {
    const [one] = [...pulls.values()].filter(({ fork }) => fork !== "merged");
    if (one !== undefined) await change(one, undefined, { title: `Title ${Date.now()}` });
  }

  /** The account has exactly what the previews have, and each shows its commit. */
  async function checkAccount(): Promise<void> {
    const services: string[] = [];
    for (const { key, environmentId, deployedCommitHash } of await team.list()) {
      if (environmentId === null) continue;
      const listed = `/v1/deployments?environmentId=${environmentId}&limit=1&order=desc`;
      await until(
        async () => {
          const [newest] = (await instance.admin.get(listed)).body.deployments;
          return newest?.status === "SUCCESS" && newest.commitHash === deployedCommitHash;
        },
        `${key} is deployed`,
        SETTLE_MS,
      );
      const { body } = await instance.admin.get(`/v1/environments/${environmentId}/services`);
      assert.equal(body.services.length, [SITE].length, key);
      services.push(...body.services.map(({ id }: { id: string }) => id));
    }
    const account = await stateOf(instance.admin, awsAccountId);
    const found = account.services.map(({ serviceId }: { serviceId: string }) => serviceId);
    assert.deepEqual(found.toSorted(), services.toSorted());
    assert.equal(account.distributions.length, services.length);
  }
});
