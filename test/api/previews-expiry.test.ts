/** Previews that reach their lifetime, and previews of keys that clients bring to other commits, by a clock of the test. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type PreviewTeam,
  type ShownPreview,
  startPreviewTeam,
  templateOf,
} from "../helpers/customers/previews.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";

const DAY_MS = 86_400_000;
const PATIENCE_MS = 90_000;

describe("the end of previews", () => {
  let aheadMs = 0;
  let instance: Instance;
  let team: PreviewTeam;
  let decisions = 0;
  before(async () => {
    instance = await startInstance({ clock: { now: () => new Date(Date.now() + aheadMs) } });
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    const previews = { access: "public", lifetimeDays: 2 };
    team = await startPreviewTeam(instance, "shop", [templateOf("preview", { previews })]);
  });
  after(() => instance.dispose());

  /** Has Slipway decide on all previews. */
  const decide = async () => {
    decisions += 1;
    await team.putPullRequest(1, "cart", { title: `Title ${decisions}` });
  };
  const untilServed = async (preview: ShownPreview | null, text: string, commit: string) => {
    assert.ok(preview !== null);
    await team.untilDeployed(preview, commit);
    const host = await team.hostOf(preview);
    await until(
      async () => (await getFromEdge(instance.sandbox, host, {})).body === text,
      `${host} shows ${text}`,
      PATIENCE_MS,
    );
  };
  const shown = async (key: string) => {
    const { id } = (await team.find(key)) ?? assert.fail(key);
    return (await instance.admin.get(`/v1/previews/${id}`)).body;
  };
  const put = (body: object) => instance.admin.put(`/v1/projects/${team.projectId}/previews/change-1`, body);

  it("comes with their lifetime, and the next commit makes that of a pull request again", async () => {
    const one = await team.commit("cart", "first");
    await team.putPullRequest(1, "cart");
    const first = await team.untilState("pr-1", "ACTIVE");
    await untilServed(first, "first", one);
    const { expiresAt } = await shown("pr-1");
    const lifetimeMs = Date.parse(expiresAt) - Date.now();
    assert.ok(Math.abs(lifetimeMs - 2 * DAY_MS) < 300_000, expiresAt);

    // All of it is removed before the clock goes back: deployments would run out of time, and waits would take days.
    aheadMs = 3 * DAY_MS;
    await decide();
    const ended = await team.untilState("pr-1", "ENDED");
    aheadMs = 0;
    assert.equal(ended?.reason, "It reached its lifetime. The next commit creates it again.");
    assert.deepEqual([ended.environmentId, ended.deployedCommitHash], [null, null]);
    const { status } = await instance.admin.get(`/v1/environments/${first?.environmentId}`);
    assert.equal(status, 404);
    await until(async () => {
      const { events } = (await instance.admin.get(`/v1/events?subjectId=${ended.id}`)).body;
      return events.at(-1)?.type === "preview.ended" && events.at(-1).data.state === "ENDED";
    }, "its end is reported");
    assert.deepEqual(await team.orphans(), []);

    // The same commit does not make it again, the next one does.
    await team.putPullRequest(1, "cart", { title: "The same commit" });
    assert.equal((await team.find("pr-1"))?.state, "ENDED");
    const two = await team.commit("cart", "second");
    const again = await team.untilState("pr-1", "ACTIVE");
    assert.deepEqual([again?.id, again?.commitHash], [first?.id, two]);
    assert.notEqual(again?.environmentId, first?.environmentId);
    assert.equal(again?.reason, null);
    await untilServed(again, "second", two);
    assert.ok(Date.parse((await shown("pr-1")).expiresAt) > Date.parse(expiresAt));
  });

  it("comes when a client said, who moves the key to other commits before and makes it again later", async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const one = await team.commit("by-hand", "one");
    const soon = at(DAY_MS);
    const made = await put({ branch: "by-hand", expiresAt: soon });
    assert.deepEqual([made.status, made.body.commitHash, made.body.expiresAt], [200, one, soon], made.text);
    const first = await team.untilState("change-1", "ACTIVE");
    await untilServed(first, "one", one);

    const two = await team.commit("by-hand", "two");
    const moved = await put({ branch: "by-hand", expiresAt: soon });
    assert.deepEqual([moved.body.id, moved.body.commitHash], [made.body.id, two], moved.text);
    await untilServed(first, "two", two);
    assert.equal((await team.find("change-1"))?.environmentId, first?.environmentId);
    assert.equal((await put({ branch: "by-hand", commit: one, expiresAt: soon })).body.commitHash, one);
    await untilServed(first, "one", one);

    const end = at(5_000);
    assert.equal((await put({ branch: "by-hand", commit: one, expiresAt: end })).body.expiresAt, end);
    await until(() => Date.now() > Date.parse(end), "its end has come");
    await decide();
    await team.untilState("change-1", "DELETING");
    assertRefused(await put({ branch: "by-hand" }), 409, "PREVIEW_DELETING");
    await team.untilState("change-1", "gone");
    const again = await put({ branch: "by-hand" });
    assert.deepEqual([again.status, again.body.commitHash], [200, two], again.text);
    assert.notEqual(again.body.id, made.body.id);
    const second = await team.untilState("change-1", "ACTIVE");
    assert.notEqual(second?.environmentId, first?.environmentId);
    await untilServed(second, "two", two);
  });
});
