import assert from "node:assert/strict";
import { it } from "node:test";
import type { EnvironmentRow, ProjectRow } from "../../../sdk/src/generated/types.ts";
import { healthOf, newestDeployment } from "./project-health.ts";

const environment = (
  state: EnvironmentRow["state"],
  status = "SUCCESS",
  createdAt = "2026-01-01T00:00:00Z",
) =>
  ({
    id: "env_1",
    isTemplate: false,
    templateId: null,
    state,
    lastDeployment: { id: createdAt, status, createdAt },
  }) as EnvironmentRow;
const wordsOf = (
  environments: readonly EnvironmentRow[],
  attention: ProjectRow["attention"] = [],
  status: ProjectRow["status"] = "ACTIVE",
) => healthOf({ status, attention, environments }).words;

it("says of a project the most important thing first", () => {
  const live = environment("LIVE");
  const failed = [{ code: "DEPLOYMENT_FAILED", environmentId: "env_1", count: 1 }] as const;
  const records = [{ code: "DOMAINS_AWAIT_RECORDS", environmentId: "env_1", count: 2 }] as const;
  assert.equal(wordsOf([]), "Not live");
  assert.equal(wordsOf([environment("NOT_LIVE")]), "Not live");
  assert.equal(wordsOf([live, environment("NOT_LIVE")]), "Partly live");
  assert.equal(wordsOf([live], records), "Live");
  assert.equal(wordsOf([live], failed), "Problem");
  assert.equal(wordsOf([environment("LIVE", "BUILDING")], failed), "Deploying");
  assert.equal(wordsOf([live], failed, "DELETING"), "Deleting");
  const preview = { ...environment("NOT_LIVE", "BUILDING"), id: "env_2", templateId: "env_3" };
  const template = { ...environment("NOT_LIVE"), id: "env_3", isTemplate: true };
  const ofPreview = [{ code: "DEPLOYMENT_FAILED", environmentId: "env_2", count: 1 }] as const;
  assert.equal(wordsOf([live, preview, template], ofPreview), "Live");
});

it("finds the newest deployment of all environments", () => {
  const older = environment("LIVE");
  const newer = environment("LIVE", "SUCCESS", "2026-02-01T00:00:00Z");
  assert.equal(newestDeployment([older, newer])?.id, "2026-02-01T00:00:00Z");
  assert.equal(newestDeployment([]), null);
});
