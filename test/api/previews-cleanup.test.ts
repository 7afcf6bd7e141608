/** What deleted previews have in the account until it is removed, and what is reported if it cannot be removed. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startPreviewTeam, templateOf } from "../helpers/customers/previews.ts";
import {
  clearFaults,
  createStack,
  loseAccount,
  setFault,
  stateOf,
} from "../helpers/customers/sandbox-account.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";

/** Each test has its own instance, because a removal takes a minute: a call from before it may still arrive. */
describe("the cleanup of previews", { concurrency: true }, () => {
  const instances: Instance[] = [];
  after(async () => void (await Promise.all(instances.map((one) => one.dispose()))));

  const start = async () => {
    const instance = await startInstance();
    instances.push(instance);
    const { admin } = instance;
    const awsAccountId = await connectAccount(admin, "main");
    await integrateGit(admin);
    const team = await startPreviewTeam(instance, "shop", [templateOf("preview", { previews: { max: 1 } })]);
    const open = async (number: number) => {
      await team.commit(`branch-${number}`, `change ${number}`);
      await team.putPullRequest(number, `branch-${number}`);
      const preview = await team.untilState(`pr-${number}`, "ACTIVE");
      assert.ok(preview !== null);
      await team.hostOf(preview);
      return preview;
    };
    const close = async (number: number) => {
      await team.putPullRequest(number, `branch-${number}`, { state: "closed" });
      await team.untilState(`pr-${number}`, "DELETING");
    };
    const untilProblem = (key: string, word: string) =>
      until(async () => {
        const seen = await team.find(key);
        return seen?.waitsFor === "admin" && seen.reason?.includes(word);
      }, `${key} waits for an admin: ${word}`);
    const cleanupEvents = async (id: string): Promise<readonly string[]> =>
      (await admin.get(`/v1/events?subjectId=${id}`)).body.events
        .filter(({ type }: { type: string }) => type === "preview.cleanup_failed")
        .map(({ data }: { data: { code: string; waitsFor: string } }) => `${data.code} ${data.waitsFor}`);
    const untilEmpty = async () => {
      await team.untilNoOrphans();
      const { distributions, services } = await stateOf(admin, awsAccountId);
      assert.deepEqual({ distributions, services }, { distributions: [], services: [] });
    };
    return { admin, awsAccountId, team, open, close, untilProblem, cleanupEvents, untilEmpty };
  };

  it("lists what is left, and says who must act if the account refuses a removal", async () => {
    const { admin, team, open, close, untilProblem, cleanupEvents, untilEmpty } = await start();
    await setFault(admin, "services.remove", "denied");
    await setFault(admin, "distributions.update", "denied");
    const { id } = await open(1);
    assert.deepEqual(await team.orphans(), []);
    await close(1);
    const kinds = (await team.orphans()).map(({ kind }) => kind).toSorted();
    assert.deepEqual(kinds, ["distribution", "environment", "service"]);
    await untilProblem("pr-1", "ACCESS_DENIED");
    const [{ reason, waitsFor } = {}] = await team.orphans();
    assert.match(reason ?? "", /refuses to remove/);
    assert.equal(waitsFor, "admin");
    // The reason names what is refused now, not what was first.
    await untilProblem("pr-1", "the distribution");
    // Only this one ends: were both cleared for a moment, nothing would be left to refuse.
    await setFault(admin, "distributions.update", "denied", { rate: 0 });
    await untilProblem("pr-1", "the service");
    await clearFaults(admin);
    await team.untilState("pr-1", "gone");
    assert.deepEqual(await cleanupEvents(id), ["ACCESS_DENIED admin"]);
    await untilEmpty();
  });

  it("waits for an account that is lost, and continues when it is connected again", async () => {
    const { admin, awsAccountId, team, open, close, untilProblem, cleanupEvents, untilEmpty } = await start();
    const { id } = await open(2);
    await loseAccount(admin, awsAccountId);
    await close(2);
    await untilProblem("pr-2", "DISCONNECTED");
    assert.ok((await team.orphans()).length > 0);
    await createStack(admin, awsAccountId);
    await team.untilState("pr-2", "gone");
    assert.deepEqual(await cleanupEvents(id), ["ACCOUNT_NOT_CONNECTED admin"]);
    await untilEmpty();
  });

  it("of a closed pull request does not hold it back when it reopens and has to wait for its turn", async () => {
    const { team, open, close, untilEmpty } = await start();
    await open(3);
    await close(3);
    await open(4);
    await team.putPullRequest(3, "branch-3");
    const waiting = await team.untilState("pr-3", "WAITING_FOR_CAPACITY");
    assert.equal(waiting?.environmentId, null);
    await close(4);
    const again = await team.untilState("pr-3", "ACTIVE");
    assert.equal(again?.deployedCommitHash, again?.commitHash);
    await close(3);
    await untilEmpty();
  });
});
