/** A customer whose pull requests get previews, and the required end: nothing of them is left. */
import assert from "node:assert/strict";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { push, withConfig } from "../../helpers/customers/deployments.ts";
import {
  type PreviewTeam,
  type ShownPreview,
  startPreviewTeam,
  templateOf,
} from "../../helpers/customers/previews.ts";
import type { ApiClient } from "../../helpers/api-client.ts";
import { connectAccount, GIT_INTEGRATION } from "../../helpers/customers/scenario.ts";
import { serverProgram } from "../../helpers/sandbox/programs.ts";
import { until as untilSo } from "../../helpers/until.ts";
import { askSandbox } from "../ask-sandbox.ts";
import type { Random } from "../random.ts";
import type { PatientClient } from "./clients.ts";
import type { SandboxAccount } from "./invariants.ts";
import type { ReceivedEvents } from "./received-events.ts";

const WEB = { id: "web", type: "web", startCommand: "node server.js", port: 3000 };
/** They sleep whenever Slipway looks at them while they are not in use, as the sandbox's clock is behind. */
const TEMPLATES = [
  templateOf("preview", { previews: { max: 50, access: "public", sleepAfterMinutes: 5 } }, [WEB]),
];
/** An answer at `HELD` does not end: the preview is in use meanwhile. */
const HELD = "/held";
const PROGRAM = {
  "server.js": serverProgram(`
    response.write(require("node:fs").readFileSync("public/index.html"));
    if (request.url !== ${JSON.stringify(HELD)}) response.end();`),
};
/** How often a delivery is repeated that may have been lost: its receiver was dead. */
const REPEAT_MS = 3_000;
const PAUSE_MS = 200;
/** What happens to a preview before its end. */
const LIVES = ["close", "close in build", "push", "wake", "delete", "fork", "key", "expiry"] as const;

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
    files: PROGRAM,
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
  const text = `${name} ${round}`;
  const files = withConfig({ environments: TEMPLATES }, { ...PROGRAM, "public/index.html": text });
  const commit =
    life === "fork" ? await push({ dataDir }, `${name}-fork`, files, head) : await team.commit(head, text);
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
  if (life === "wake") {
    await until("it sleeps", (one) => one?.state === "SLEEPING");
    const { services } = (await client.read(`/v1/environments/${preview.environmentId}/services`)).body;
    const host = (await client.read(`/v1/services/${services[0].id}`)).body.cdnDomainName;
    const visit = keepVisiting((await askSandbox(sandboxUrl, "GET", "/sandbox/ports")).edge, host);
    try {
      await until("it is awake while it is in use", (one) => one?.state === "ACTIVE");
      const page = await untilSo(() => visit.page(), `${host} answers`);
      assert.equal(page, text);
    } finally {
      visit.stop();
    }
    await until("it sleeps again", (one) => one?.state === "SLEEPING");
  }
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

/** Keeps a preview in use, also after the sandbox was killed. */
function keepVisiting(edgePort: number, host: string) {
  const stopping = new AbortController();
  let page: string | null = null;
  const visit = () =>
    new Promise<void>((resolve) => {
      const options = {
        host: "127.0.0.1",
        port: edgePort,
        path: HELD,
        headers: { host: `${host}.localhost` },
        agent: false,
        signal: stopping.signal,
      };
      get(options, (response) => {
        // While its process starts, the edge may answer 503.
        response.on("data", (chunk: Buffer) => {
          if (response.statusCode === 200) page = chunk.toString();
        });
        response.on("error", () => undefined);
      })
        .on("error", () => undefined)
        .on("close", resolve);
    });
  void (async () => {
    while (!stopping.signal.aborted) {
      await visit();
      await sleep(PAUSE_MS);
    }
  })();
  return { page: () => page, stop: () => stopping.abort() };
}

/** Every breach at this moment; a removal that is under way shows as one too, and passes. */
export async function findBreachesOfPreviews(
  client: PatientClient,
  { team, seen }: Previewing,
  { services, distributions, certificates }: SandboxAccount,
): Promise<string[]> {
  const { previews } = (await client.read(`/v1/previews?projectId=${team.projectId}&limit=100`)).body;
  const { orphans } = (await client.read(`/v1/previews/orphans?projectId=${team.projectId}`)).body;
  const { environments } = (await client.read(`/v1/projects/${team.projectId}/environments?limit=100`)).body;
  const sleeps = await Promise.all([...seen.keys()].map((id) => findBreachesOfSleep(client, id)));
  return [
    ...sleeps.flat(),
    ...previews.map(({ key, state }: ShownPreview) => `Preview ${key} is ${state}.`),
    ...orphans.map(({ kind, key }: { kind: string; key: string }) => `A ${kind} of ${key} is left.`),
    ...(environments.length === TEMPLATES.length ? [] : [`There are ${environments.length} environments.`]),
    ...services.map(({ serviceId }) => `The platform has ${serviceId} of a preview.`),
    ...distributions.map(({ id }) => `Distribution ${id} of a preview is left.`),
    ...certificates.map(({ id }) => `Certificate ${id} of a preview is left.`),
  ];
}

/** It slept and woke in turn: neither event was lost or emitted twice. */
async function findBreachesOfSleep(client: PatientClient, id: string): Promise<string[]> {
  const { events } = (await client.read(`/v1/events?subjectId=${id}&limit=100`)).body;
  const turns = events
    .map(({ type }: { type: string }) => type)
    .filter((type: string) => type === "preview.slept" || type === "preview.woke");
  const isInTurn = turns.every(
    (type: string, index: number) => type === (index % 2 === 0 ? "preview.slept" : "preview.woke"),
  );
  return isInTurn ? [] : [`Preview ${id} has the events ${turns.join(", ")}.`];
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
