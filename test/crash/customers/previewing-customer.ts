/** A customer whose pull requests get previews, and the required end: nothing of them is left. */
import assert from "node:assert/strict";
import { push, withConfig } from "../../helpers/customers/deployments.ts";
import {
  type PreviewTeam,
  type ShownPreview,
  startPreviewTeam,
  templateOf,
} from "../../helpers/customers/previews.ts";
import type { ApiClient } from "../../helpers/api-client.ts";
import { connectAccount, GIT_INTEGRATION } from "../../helpers/customers/scenario.ts";
import { askSandbox } from "../ask-sandbox.ts";
import type { Random } from "../random.ts";
import type { PatientClient } from "./clients.ts";
import type { SandboxAccount } from "./invariants.ts";
import type { ReceivedEvents } from "./received-events.ts";

const TEMPLATES = [templateOf("preview", { previews: { max: 50 } })];
/** How often a delivery is repeated that may have been lost: its receiver was dead. */
const REPEAT_MS = 3_000;
/** What happens to a preview before its end. */
const LIVES = ["close", "close in build", "push", "delete", "fork", "key", "expiry"] as const;

export type Previewing = {
  readonly awsAccountId: string;
  readonly name: string;
  readonly team: PreviewTeam;
  /** Of each preview that was seen, how often its approval was asked for and given. */
  readonly seen: Map<string, { readonly approvals: number }>;
};

export async function startPreviewing(client: ApiClient, dataDir: string, name: string): Promise<Previewing> {
  const awsAccountId = await connectAccount(client, "main-of-previews");
  // The organization may have one already.
  await client.post("/v1/git-integrations", GIT_INTEGRATION);
  const team = await startPreviewTeam({ admin: client, dataDir }, name, TEMPLATES, {
    awsAccountId: "main-of-previews",
  });
  return { awsAccountId, name, team, seen: new Map() };
}

type Around = {
  readonly client: PatientClient;
  readonly sandboxUrl: string;
  readonly dataDir: string;
  readonly random: Random;
};

/** One preview is made, changed and ended. It ends with the begin of its removal, which takes a minute. */
export async function previewRound(
  { team, name, seen }: Previewing,
  { client, sandboxUrl, dataDir, random }: Around,
  round: number,
): Promise<void> {
  const life = LIVES[random.below(LIVES.length)] ?? "close";
  const head = `branch-${round}`;
  const key = life === "key" || life === "expiry" ? `key-${round}` : `pr-${round}`;
  const address = `/v1/projects/${team.projectId}/previews/${key}`;
  let titles = 0;
  // Of a key there is none, but its deliveries have the project's previews looked at.
  let wanted: "open" | "closed" = "closed";
  const put = async (state: typeof wanted): Promise<void> => {
    const pullRequest = {
      head,
      base: "main",
      title: `Title ${(titles += 1)}`,
      ...(life === "fork" ? { headRepository: `${name}-fork` } : {}),
      state,
    };
    const at = `/sandbox/git/repositories/${name}/pull-requests/${round}`;
    await askSandbox(sandboxUrl, "PUT", at, pullRequest);
  };
  /** Until a preview is so; `null` for none. Deliveries are repeated meanwhile, as their sender would. */
  const until = async (
    what: string,
    isSo: (preview: ShownPreview | null) => boolean,
  ): Promise<ShownPreview | null> => {
    const timer = setInterval(() => void put(wanted).catch(() => undefined), REPEAT_MS);
    try {
      const { status, body } = await client.until(address, `${life} ${key}: ${what}`, (answer) =>
        isSo(answer.status === 404 ? null : (answer.body as ShownPreview)),
      );
      return status === 404 ? null : (body as ShownPreview);
    } finally {
      clearInterval(timer);
    }
  };
  const change = async (state: typeof wanted): Promise<void> => {
    wanted = state;
    await put(state);
  };
  const untilShown = async (commit: string): Promise<ShownPreview> => {
    const preview = await until(`it shows ${commit}`, (one) => one?.deployedCommitHash === commit);
    assert.ok(preview !== null);
    seen.set(preview.id, { approvals: seen.get(preview.id)?.approvals ?? 0 });
    return preview;
  };
  const isEnding = (one: ShownPreview | null) => one === null || one.state === "DELETING";

  if (life === "key" || life === "expiry") {
    const commit = await team.commit(head, `${name} ${round}`);
    const putKey = async (more: object): Promise<void> => {
      const made = await client.write("PUT", address, { branch: head, ...more });
      assert.equal(made.status, 200, JSON.stringify(made.body));
    };
    await putKey({});
    const { id } = await untilShown(commit);
    if (life === "key") {
      const deleted = await client.write("DELETE", `/v1/previews/${id}`);
      assert.equal(deleted.status, 202, JSON.stringify(deleted.body));
      return;
    }
    await putKey({ expiresAt: new Date(Date.now() + 5_000).toISOString() });
    await until("it expires", isEnding);
    return;
  }
  const files = withConfig({ environments: TEMPLATES }, { "public/index.html": `${name} ${round}` });
  const commit =
    life === "fork"
      ? await push({ dataDir }, `${name}-fork`, files, head)
      : await team.commit(head, `${name} ${round}`);
  await change("open");
  if (life === "fork") {
    const waiting = await until("it asks for an approval", (one) => one?.state === "WAITING_FOR_APPROVAL");
    const approved = await client.write("POST", `/v1/previews/${waiting?.id}/approve`, {
      commitHash: commit,
    });
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    seen.set(waiting?.id ?? "", { approvals: 1 });
  }
  if (life === "close in build") {
    const begun = await until("it is built", (one) => (one?.environmentId ?? null) !== null);
    seen.set(begun?.id ?? "", { approvals: 0 });
    await change("closed");
    await until("its removal begins", isEnding);
    return;
  }
  const preview = await untilShown(commit);
  if (life === "push") await untilShown(await team.commit(head, `${name} ${round}, again`));
  if (life === "delete") {
    const deleted = await client.write("DELETE", `/v1/previews/${preview.id}`);
    assert.equal(deleted.status, 202, JSON.stringify(deleted.body));
    // The next commit makes it again, while what it had is removed.
    const again = await untilShown(await team.commit(head, `${name} ${round}, again`));
    assert.notEqual(again.environmentId, preview.environmentId);
  }
  await change("closed");
  await until("its removal begins", isEnding);
}

/** Every breach at this moment; a removal that is under way shows as one too, and passes. */
export async function findBreachesOfPreviews(
  client: PatientClient,
  { team }: Previewing,
  { services, distributions, certificates }: SandboxAccount,
): Promise<string[]> {
  const { previews } = (await client.read(`/v1/previews?projectId=${team.projectId}&limit=100`)).body;
  const { orphans } = (await client.read(`/v1/previews/orphans?projectId=${team.projectId}`)).body;
  const { environments } = (await client.read(`/v1/projects/${team.projectId}/environments?limit=100`)).body;
  return [
    ...previews.map(({ key, state }: ShownPreview) => `Preview ${key} is ${state}.`),
    ...orphans.map(({ kind, key }: { kind: string; key: string }) => `A ${kind} of ${key} is left.`),
    ...(environments.length === TEMPLATES.length ? [] : [`There are ${environments.length} environments.`]),
    ...services.map(({ serviceId }) => `The platform has ${serviceId} of a preview.`),
    ...distributions.map(({ id }) => `Distribution ${id} of a preview is left.`),
    ...certificates.map(({ id }) => `Certificate ${id} of a preview is left.`),
  ];
}

export function receivedOfPreviews({ seen }: Previewing): readonly ReceivedEvents[] {
  return [...seen].map(([subjectId, { approvals }]) => ({
    subjectId,
    times: {
      "preview.created": 1,
      "preview.approval_requested": approvals,
      "preview.approved": approvals,
      "preview.cleanup_failed": 0,
      "preview.deleted": 1,
    },
  }));
}
