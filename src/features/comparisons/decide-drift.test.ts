import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ServiceType } from "../projects/project.ts";
import { decideDrift, type DriftState } from "./decide-drift.ts";

const OLD = "a".repeat(40);
const NEW = "b".repeat(40);

const service = (id: string, type: ServiceType = "web") => ({ id, name: id.toUpperCase(), type });

describe("the drift of an environment", () => {
  const cases: Record<
    string,
    [
      live: readonly (string | null)[],
      newest: string | null,
      states: readonly DriftState[],
      state: DriftState,
    ]
  > = {
    "is CURRENT if all run the newest commit": [[NEW, NEW], NEW, ["CURRENT", "CURRENT"], "CURRENT"],
    "is BEHIND if one runs another commit": [[NEW, OLD], NEW, ["CURRENT", "BEHIND"], "BEHIND"],
    "is BEHIND too while another is not deployed": [[OLD, null], NEW, ["BEHIND", "NOT_DEPLOYED"], "BEHIND"],
    "is CURRENT while all that run are, and another is not deployed": [
      [NEW, null],
      NEW,
      ["CURRENT", "NOT_DEPLOYED"],
      "CURRENT",
    ],
    "is NOT_DEPLOYED before the first release": [
      [null, null],
      NEW,
      ["NOT_DEPLOYED", "NOT_DEPLOYED"],
      "NOT_DEPLOYED",
    ],
    "is NOT_DEPLOYED before it, whatever the host says": [[null], null, ["NOT_DEPLOYED"], "NOT_DEPLOYED"],
    "is UNKNOWN if something runs and the newest commit is not known": [
      [OLD, null],
      null,
      ["UNKNOWN", "NOT_DEPLOYED"],
      "UNKNOWN",
    ],
    "is NOT_DEPLOYED without services": [[], NEW, [], "NOT_DEPLOYED"],
  };
  for (const [name, [commits, newest, states, state]] of Object.entries(cases)) {
    it(name, () => {
      const services = commits.map((_, index) => service(`s${index}`));
      const live = commits.flatMap((commit, index) =>
        commit === null ? [] : [[`s${index}`, commit] as const],
      );
      assert.deepEqual(decideDrift(services, new Map(live), newest, null), {
        state,
        services: commits.map((liveCommit, index) => ({
          serviceId: `s${index}`,
          name: `S${index}`,
          liveCommit,
          state: states[index],
        })),
      });
    });
  }

  it("is CURRENT if the newest commit changed no file of the service, and was deployed", () => {
    const kept = { commitHash: NEW, serviceIds: ["a"] };
    const states = (newest: string) => {
      const { state, services } = decideDrift([service("a"), service("b")], live, newest, kept);
      return [state, ...services.map((one) => one.state)];
    };
    const live = new Map([
      ["a", OLD],
      ["b", NEW],
    ]);
    assert.deepEqual(states(NEW), ["CURRENT", "CURRENT", "CURRENT"]);
    assert.deepEqual(states("c".repeat(40)), ["BEHIND", "BEHIND", "BEHIND"]);
  });

  it("leaves out external services, though they have releases", () => {
    const live = new Map([
      ["web", NEW],
      ["host", OLD],
    ]);
    const { state, services } = decideDrift([service("web"), service("host", "external")], live, NEW, null);
    assert.equal(state, "CURRENT");
    assert.deepEqual(
      services.map(({ serviceId }) => serviceId),
      ["web"],
    );
  });
});
