import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Deployment, type DeploymentStatus, NOTHING_WATCHED } from "../deployments/deployment.ts";
import type { Preview } from "../previews/preview.ts";
import { decidePreviewReports, decideStatuses, nameAtHost, type PreviewFacts } from "./decide-reports.ts";
import type { Report, SentReport } from "./report.ts";

const NOW = new Date(0);
const [FIRST, SECOND] = ["1".repeat(40), "2".repeat(40)];
const LINKS = {
  deployment: (id: string) => `https://slipway.test/${id}`,
  previews: "https://slipway.test/p",
};
const PREVIEW: Preview = {
  organizationId: "org_1",
  id: "prev_1",
  projectId: "proj_1",
  templateId: "env_1",
  environmentId: "env_2",
  key: "pr-1",
  pullRequest: {
    number: 1,
    title: "A cart",
    url: "https://github.com/acme/shop/pull/1",
    author: "ada",
    head: { branch: "cart", commit: SECOND },
    base: "main",
    headRepository: "acme/shop",
    isFork: false,
    labels: [],
  },
  branch: "cart",
  commitHash: SECOND,
  deployedCommit: SECOND,
  isFork: false,
  state: "ACTIVE",
  sleepingSince: null,
  reason: null,
  staysEnded: false,
  problem: null,
  approvedCommit: null,
  approvedBy: null,
  expiresAt: NOW,
  createdAt: NOW,
  updatedAt: NOW,
};
const DEPLOYMENT: Deployment = {
  organizationId: "org_1",
  id: "depl_2",
  projectId: "proj_1",
  environmentId: "env_2",
  isForOneEnvironment: true,
  isPreview: true,
  branch: "cart",
  commitHash: SECOND,
  commitMessage: null,
  commitAuthor: null,
  trigger: "push",
  startedBy: null,
  rollbackOf: null,
  restartedServiceId: null,
  status: "BUILDING",
  statusReason: "SECRET=1 failed",
  error: { code: "BUILD_FAILED", message: "SECRET=1 failed" },
  cancelRequestedAt: null,
  configReadAt: null,
  startedAt: null,
  endedAt: null,
  createdAt: NOW,
  updatedAt: NOW,
};
const FACTS: PreviewFacts = {
  preview: PREVIEW,
  deployment: DEPLOYMENT,
  services: [],
  approver: "developer",
  links: LINKS,
  setting: "comment",
  templateName: "review",
  environment: "shop/review-pr-1",
  url: null,
  sent: [],
};

const decide = (more: Partial<PreviewFacts>) => decidePreviewReports({ ...FACTS, ...more });
const asSent = (reports: readonly Report[]): readonly SentReport[] =>
  reports.map((one) => ({ ...one, hostId: "1" }));
/** As `deployment 2 in_progress`. */
const shown = (reports: readonly Report[]) =>
  reports.map((one) => {
    if (one.operation === "comment") return "comment";
    return `${one.operation} ${one.report.commit.slice(0, 1)} ${one.report.state}`;
  });
/** Reports of the first commit, which is live. */
const LIVE = asSent(
  decide({
    preview: { ...PREVIEW, commitHash: FIRST },
    deployment: { ...DEPLOYMENT, commitHash: FIRST, status: "SUCCESS" },
  }),
);

describe("reports of a preview", () => {
  it("keep the commit that is live until the next commit is live", () => {
    assert.deepEqual(shown(LIVE), ["deployment 1 success", "status 1 success", "comment"]);
    const next = ["deployment 2 in_progress", "status 2 pending", "comment"];
    assert.deepEqual(shown(decide({ sent: LIVE })), next);
    const failed = { ...DEPLOYMENT, status: "ERROR" } as const;
    assert.equal(shown(decide({ sent: LIVE, deployment: failed })).includes("deployment 1 inactive"), false);
    const done = decide({ sent: LIVE, deployment: { ...DEPLOYMENT, status: "SUCCESS" } });
    assert.deepEqual(shown(done), [
      "deployment 1 inactive",
      "deployment 2 success",
      "status 2 success",
      "comment",
    ]);
  });

  it("end all deployments with the preview, also with another setting by then", () => {
    for (const preview of [null, { ...PREVIEW, state: "DELETING" }, { ...PREVIEW, state: "ENDED" }] as const)
      assert.deepEqual(shown(decide({ preview, setting: "none", sent: LIVE })), [
        "deployment 1 inactive",
        "comment",
      ]);
  });

  it("follow the setting", () => {
    assert.deepEqual(decide({ setting: "none" }), []);
    assert.deepEqual(shown(decide({ setting: "deployment" })), [
      "deployment 2 in_progress",
      "status 2 pending",
    ]);
  });

  it("have no comment without a pull request", () => {
    const found = shown(decide({ preview: { ...PREVIEW, pullRequest: null } }));
    assert.equal(found.includes("comment"), false);
  });

  it("show a commit that waits, beside the live commit", () => {
    const preview = { ...PREVIEW, state: "WAITING_FOR_APPROVAL", isFork: true } as const;
    const deployment = { ...DEPLOYMENT, commitHash: FIRST, status: "SUCCESS" } as const;
    const found = decide({ preview, deployment, sent: LIVE });
    assert.deepEqual(shown(found), ["deployment 1 success", "status 2 pending", "comment"]);
    const text = JSON.stringify(found);
    assert.ok(text.includes(`slipway previews approve prev_1 --commit ${SECOND}`), text);
    assert.ok(text.includes("with the role developer or admin reviews"), text);
  });

  it("name only admins where only they approve", () => {
    const preview = { ...PREVIEW, state: "WAITING_FOR_APPROVAL", isFork: true } as const;
    const text = JSON.stringify(decide({ preview, approver: "admin" }));
    assert.ok(text.includes("with the role admin reviews"), text);
  });

  it("have no text of an error, which may hold a secret", () => {
    const text = JSON.stringify(decide({ deployment: { ...DEPLOYMENT, status: "BUILD_ERROR" } }));
    assert.equal(text.includes("SECRET"), false);
  });
});

describe("the statuses of a commit", () => {
  it("are one for each environment", () => {
    const runs = [
      { configId: "production", status: "SUCCESS", statusReason: null },
      { configId: "staging", status: "PENDING_APPROVAL", statusReason: null },
      { configId: "old", status: "SUPERSEDED", statusReason: null },
    ] as const;
    const found = decideStatuses(DEPLOYMENT, runs, LINKS);
    assert.deepEqual(
      found.map(({ report }) => ("context" in report ? [report.context, report.state] : [])),
      [
        ["slipway/production", "success"],
        ["slipway/staging", "pending"],
        ["slipway/old", "failure"],
      ],
    );
  });

  it("say if the commit was not built, and no other reason", () => {
    const said = (status: DeploymentStatus, statusReason: string) => {
      const [found] = decideStatuses(DEPLOYMENT, [{ configId: "production", status, statusReason }], LINKS);
      return found?.operation === "status" ? found.report.description : null;
    };
    assert.equal(said("SUCCESS", NOTHING_WATCHED), NOTHING_WATCHED);
    assert.equal(said("BUILD_ERROR", "SECRET=1 failed"), "A build failed. Its log shows the error.");
  });
});

it("names an environment in words that both hosts allow", () => {
  const named = (name: string, id = "proj_1") => nameAtHost({ id, name }, "review", "pr-1");
  assert.equal(named("Acme: Shop!"), "acme-shop-/review-pr-1");
  assert.equal(named("Café"), "caf-proj_1/review-pr-1");
  assert.equal(named("Магазин"), "proj_1/review-pr-1");
  const id = "p".repeat(31);
  const of = ["Магазин", "Склад", "x".repeat(199), "x".repeat(200)].map((name, index) =>
    nameAtHost({ id: `${id}${index}`, name }, "t".repeat(60), "k".repeat(40)),
  );
  assert.equal(new Set(of).size, of.length);
  for (const name of of) assert.match(name, /^[\w/-]{1,255}$/);
});
