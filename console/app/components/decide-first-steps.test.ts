import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProjectRow } from "../../../sdk/src/generated/types.ts";
import { stepsOf } from "./decide-first-steps.ts";

const ACCOUNT = { id: "aws_1", status: "CONNECTED" } as const;
const projectOf = (
  state: ProjectRow["environments"][number]["state"],
): Pick<ProjectRow, "id" | "environments"> => ({
  id: "proj_1",
  environments: [{ id: "env_1", state } as ProjectRow["environments"][number]],
});

describe("the first steps", () => {
  const open = (seen: Parameters<typeof stepsOf>[0]) =>
    stepsOf(seen).flatMap(({ id, isDone, waitsFor }) => (isDone || waitsFor !== null ? [] : [id]));

  it("are open only once they can be done", () => {
    assert.deepEqual(open({ accounts: undefined, git: undefined, projects: [] }), ["account", "git"]);
    assert.deepEqual(
      open({
        accounts: [{ ...ACCOUNT, status: "AWAITING_CONNECTION" }],
        git: [{ id: "git_1" }],
        projects: [],
      }),
      ["account"],
    );
    assert.deepEqual(open({ accounts: [ACCOUNT], git: [{ id: "git_1" }], projects: [] }), ["project"]);
    const ready = { accounts: [ACCOUNT], git: [{ id: "git_1" }] };
    assert.deepEqual(open({ ...ready, projects: [projectOf("NOT_LIVE")] }), ["deployment"]);
  });

  it("stay after the first deployment, and lead to where a domain is added", () => {
    const seen = { accounts: [ACCOUNT], git: [{ id: "git_1" }], projects: [projectOf("PARTLY_LIVE")] };
    assert.deepEqual(open(seen), ["domain"]);
    assert.equal(stepsOf(seen).at(-1)?.to, "/environments/env_1");
  });
});
