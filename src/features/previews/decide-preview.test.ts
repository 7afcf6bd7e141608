import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PreviewRules } from "../projects/project.ts";
import { decidePreview, type Facts } from "./decide-preview.ts";
import { type Preview, PREVIEW_STATES, type PreviewState, type PullRequest } from "./preview.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const LATER = new Date("2026-11-27T12:00:00Z");
const [OLD, NEW] = ["a".repeat(40), "b".repeat(40)];

const RULES: PreviewRules = {
  labels: [],
  toBranches: ["main"],
  fromBranches: [],
  watchPaths: [],
  max: 2,
  lifetimeDays: 14,
  access: "protected",
  domain: null,
  references: [],
};
const PULL_REQUEST: PullRequest = {
  number: 1,
  title: "Add a cart",
  url: "https://git.sandbox.test/shop/pull/1",
  author: "ada",
  head: { branch: "cart", commit: OLD },
  base: "main",
  headRepository: "shop",
  isFork: false,
  labels: [],
};
const NEWER: PullRequest = { ...PULL_REQUEST, head: { branch: "cart", commit: NEW } };
const PREVIEW: Preview = {
  organizationId: "org_1",
  id: "prev_1",
  projectId: "proj_1",
  templateId: "env_1",
  environmentId: "env_2",
  key: "pr-1",
  pullRequest: PULL_REQUEST,
  branch: "cart",
  commitHash: OLD,
  deployedCommit: OLD,
  isFork: false,
  state: "ACTIVE",
  sleepingSince: null,
  reason: null,
  staysEnded: false,
  problem: null,
  approvedCommit: null,
  approvedBy: null,
  expiresAt: LATER,
  createdAt: NOW,
  updatedAt: NOW,
};
/** As a preview is in each state. `DELETING`: because the pull request closed; `DELETED`: a user deleted it. */
const IN_STATE: Readonly<Record<PreviewState | "DELETED", Preview>> = {
  WAITING_FOR_APPROVAL: {
    ...PREVIEW,
    state: "WAITING_FOR_APPROVAL",
    environmentId: null,
    deployedCommit: null,
  },
  WAITING_FOR_CAPACITY: {
    ...PREVIEW,
    state: "WAITING_FOR_CAPACITY",
    environmentId: null,
    deployedCommit: null,
  },
  ACTIVE: PREVIEW,
  SLEEPING: { ...PREVIEW, state: "SLEEPING", sleepingSince: NOW },
  ENDED: { ...PREVIEW, state: "ENDED", environmentId: null, deployedCommit: null },
  DELETING: { ...PREVIEW, state: "DELETING" },
  DELETED: { ...PREVIEW, state: "DELETING", staysEnded: true },
};
type Given = keyof typeof IN_STATE | "NONE";

const KEPT = { code: "HAS_DOMAINS", message: "It has domains.", waitsFor: "developer" } as const;

const FACTS: Facts = {
  rules: RULES,
  pullRequest: PULL_REQUEST,
  changedFiles: null,
  preview: null,
  others: 0,
  now: NOW,
};

/** A step in one word. */
function decide(facts: Facts): string {
  const step = decidePreview(facts);
  if (step.kind === "wait") return step.for === "WAITING_FOR_APPROVAL" ? "approval" : "capacity";
  if (step.kind === "remove") return step.staysEnded ? "end" : "remove";
  return step.kind;
}

const EVENTS: Readonly<Record<string, (preview: Preview | null) => Facts>> = {
  "nothing new": (preview) => ({ ...FACTS, preview }),
  "a newer commit": (preview) => ({ ...FACTS, preview, pullRequest: NEWER }),
  "a newer commit, full": (preview) => ({ ...FACTS, preview, pullRequest: NEWER, others: 2 }),
  full: (preview) => ({ ...FACTS, preview, others: 2 }),
  closed: (preview) => ({ ...FACTS, preview, pullRequest: null }),
  "without a template": (preview) => ({ ...FACTS, preview, rules: null }),
  expired: (preview) => ({ ...FACTS, preview: preview && { ...preview, expiresAt: NOW } }),
  "of a fork": (preview) => ({
    ...FACTS,
    preview: preview && { ...preview, isFork: true },
    pullRequest: { ...PULL_REQUEST, isFork: true },
  }),
  "of a fork, approved": (preview) => ({
    ...FACTS,
    preview: preview && { ...preview, isFork: true, approvedCommit: OLD },
    pullRequest: { ...PULL_REQUEST, isFork: true },
  }),
  "of a fork, approved, a newer commit": (preview) => ({
    ...FACTS,
    preview: preview && { ...preview, isFork: true, approvedCommit: OLD },
    pullRequest: { ...NEWER, isFork: true },
  }),
  "of a fork now, approved": (preview) => ({
    ...FACTS,
    preview: preview && { ...preview, approvedCommit: OLD },
    pullRequest: { ...PULL_REQUEST, isFork: true },
  }),
  "of a fork now, approved, kept by domains": (preview) => ({
    ...FACTS,
    preview: preview && { ...preview, approvedCommit: OLD, problem: KEPT },
    pullRequest: { ...PULL_REQUEST, isFork: true },
  }),
};

const TABLE: Readonly<Record<string, Readonly<Record<Given, string>>>> = {
  "nothing new": {
    NONE: "deploy",
    WAITING_FOR_APPROVAL: "deploy",
    WAITING_FOR_CAPACITY: "deploy",
    ACTIVE: "none",
    SLEEPING: "none",
    ENDED: "none",
    DELETING: "deploy",
    DELETED: "none",
  },
  "a newer commit": {
    NONE: "deploy",
    WAITING_FOR_APPROVAL: "deploy",
    WAITING_FOR_CAPACITY: "deploy",
    ACTIVE: "deploy",
    SLEEPING: "deploy",
    ENDED: "deploy",
    DELETING: "deploy",
    DELETED: "deploy",
  },
  "a newer commit, full": {
    NONE: "capacity",
    WAITING_FOR_APPROVAL: "capacity",
    WAITING_FOR_CAPACITY: "capacity",
    ACTIVE: "deploy",
    SLEEPING: "deploy",
    ENDED: "capacity",
    DELETING: "capacity",
    DELETED: "capacity",
  },
  full: {
    NONE: "capacity",
    WAITING_FOR_APPROVAL: "capacity",
    WAITING_FOR_CAPACITY: "none",
    ACTIVE: "none",
    SLEEPING: "none",
    ENDED: "none",
    DELETING: "capacity",
    DELETED: "none",
  },
  closed: {
    NONE: "none",
    WAITING_FOR_APPROVAL: "remove",
    WAITING_FOR_CAPACITY: "remove",
    ACTIVE: "remove",
    SLEEPING: "remove",
    ENDED: "remove",
    DELETING: "none",
    DELETED: "remove",
  },
  "without a template": {
    NONE: "none",
    WAITING_FOR_APPROVAL: "remove",
    WAITING_FOR_CAPACITY: "remove",
    ACTIVE: "remove",
    SLEEPING: "remove",
    ENDED: "remove",
    DELETING: "none",
    DELETED: "remove",
  },
  expired: {
    NONE: "deploy",
    WAITING_FOR_APPROVAL: "end",
    WAITING_FOR_CAPACITY: "end",
    ACTIVE: "end",
    SLEEPING: "end",
    ENDED: "none",
    DELETING: "deploy",
    DELETED: "none",
  },
  "of a fork": {
    NONE: "approval",
    WAITING_FOR_APPROVAL: "none",
    WAITING_FOR_CAPACITY: "approval",
    ACTIVE: "none",
    SLEEPING: "none",
    ENDED: "none",
    DELETING: "approval",
    DELETED: "none",
  },
  "of a fork, approved": {
    NONE: "approval",
    WAITING_FOR_APPROVAL: "deploy",
    WAITING_FOR_CAPACITY: "deploy",
    ACTIVE: "none",
    SLEEPING: "none",
    ENDED: "none",
    DELETING: "deploy",
    DELETED: "none",
  },
  "of a fork, approved, a newer commit": {
    NONE: "approval",
    WAITING_FOR_APPROVAL: "approval",
    WAITING_FOR_CAPACITY: "approval",
    ACTIVE: "approval",
    SLEEPING: "approval",
    ENDED: "approval",
    DELETING: "approval",
    DELETED: "approval",
  },
  "of a fork now, approved": {
    NONE: "approval",
    WAITING_FOR_APPROVAL: "deploy",
    WAITING_FOR_CAPACITY: "deploy",
    ACTIVE: "replace",
    SLEEPING: "replace",
    ENDED: "none",
    DELETING: "deploy",
    DELETED: "none",
  },
  "of a fork now, approved, kept by domains": {
    NONE: "approval",
    WAITING_FOR_APPROVAL: "deploy",
    WAITING_FOR_CAPACITY: "deploy",
    ACTIVE: "replace",
    SLEEPING: "replace",
    ENDED: "none",
    DELETING: "none",
    DELETED: "none",
  },
};

describe("the next step of a preview", () => {
  it("has a row for every event, with every state", () => {
    assert.deepEqual(Object.keys(TABLE), Object.keys(EVENTS));
    for (const state of PREVIEW_STATES) assert.ok(state in IN_STATE, state);
  });

  for (const [event, row] of Object.entries(TABLE))
    for (const [given, wanted] of Object.entries(row))
      it(`${given}, ${event}: ${wanted}`, () => {
        const preview = given === "NONE" ? null : IN_STATE[given as PreviewState];
        const facts = EVENTS[event]?.(preview);
        assert.ok(facts);
        assert.equal(decide(facts), wanted);
      });

  it("is nothing for a client's preview that is being deleted, whatever was read before", () => {
    const ofClient = { pullRequest: null, state: "DELETING" } as const;
    for (const [state, wanted] of [
      ["ACTIVE", "deploy"],
      ["DELETING", "none"],
    ] as const)
      assert.equal(
        decide({ ...FACTS, pullRequest: NEWER, preview: { ...PREVIEW, ...ofClient, state } }),
        wanted,
      );
  });

  it("is to remove it when a filter no longer matches, and to make it when one does", () => {
    const filters: readonly (readonly [Partial<PreviewRules>, Partial<Facts>, boolean])[] = [
      [{ labels: ["preview"] }, {}, false],
      [{ labels: ["preview"] }, { pullRequest: { ...PULL_REQUEST, labels: ["a", "preview"] } }, true],
      [{ toBranches: ["release/*"] }, {}, false],
      [{ toBranches: ["release/*"] }, { pullRequest: { ...PULL_REQUEST, base: "release/1" } }, true],
      [{ fromBranches: ["feature/*"] }, {}, false],
      [{ fromBranches: ["ca*"] }, {}, true],
      [{ watchPaths: ["web/**"] }, { changedFiles: ["texts/a.md"] }, false],
      [{ watchPaths: ["web/**"] }, { changedFiles: ["texts/a.md", "web/x/b.ts"] }, true],
      [{ watchPaths: ["web/**"] }, { changedFiles: [] }, false],
      // More files than the host lists.
      [{ watchPaths: ["web/**"] }, { changedFiles: null }, true],
      [{ labels: ["preview"], fromBranches: ["cart"] }, {}, false],
    ];
    for (const [rules, facts, isWanted] of filters) {
      const given = { ...FACTS, rules: { ...RULES, ...rules }, ...facts };
      const what = JSON.stringify([rules, facts]);
      assert.equal(decide(given), isWanted ? "deploy" : "none", what);
      assert.equal(decide({ ...given, preview: PREVIEW }), isWanted ? "none" : "remove", what);
    }
  });
});
