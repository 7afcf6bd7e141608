/**
 * A customer who says who may act: service accounts with keys and workload trusts, sessions, members and protection of
 * its project. The required end: each acknowledged resource exists once, and no deleted resource exists.
 */
import type { Project } from "../../helpers/customers/scenario.ts";
import type { Random } from "../random.ts";
import { type PatientClient, writeAccepted } from "./clients.ts";
import type { ReceivedEvents } from "./received-events.ts";

/** One service account, with what it has. */
type Made = {
  readonly userId: string;
  readonly name: string;
  readonly keyId: string;
  readonly trustId: string;
};

export type AccessChanges = {
  readonly kept: Made[];
  readonly deleted: Made[];
  readonly endedSessions: string[];
  /** Roles of members of the project, by user. */
  readonly members: Map<string, string>;
  /** What the environment was last set to. */
  deployers: string;
};

export function noAccessChanges(): AccessChanges {
  return { kept: [], deleted: [], endedSessions: [], members: new Map(), deployers: "developer" };
}

/** Beyond these, the oldest is deleted. */
const MOST_ACCOUNTS = 3;

export async function accessRound(
  client: PatientClient,
  { projectId, environmentId }: Project,
  changes: AccessChanges,
  random: Random,
  round: number,
): Promise<void> {
  const write = writeAccepted.bind(null, client);
  const name = `${prefixOf(projectId)}${round}`;
  const { id: userId } = await write("POST", "/v1/users", { kind: "service", name, role: "viewer" });
  const limits = { scopes: ["read"], projectIds: [projectId] };
  const { id: keyId } = await write("POST", "/v1/api-keys", { name, userId, ...limits });
  const { id: trustId } = await write("POST", "/v1/workload-trusts", {
    name,
    userId,
    issuer: "https://issuer.example",
    audience: "slipway",
    conditions: { sub: name },
    ...limits,
  });
  changes.kept.push({ userId, name, keyId, trustId });
  const member = `/v1/projects/${projectId}/members/${userId}`;
  await write("PUT", member, { role: "developer" });
  changes.members.set(userId, "developer");
  if (random.next() < 0.5) {
    await write("PUT", member, { role: "viewer" });
    changes.members.set(userId, "viewer");
  }
  const deployers = random.next() < 0.5 ? "admin" : "developer";
  await write("PATCH", `/v1/environments/${environmentId}`, { protection: { deployers } });
  changes.deployers = deployers;
  const { id: sessionId } = await write("POST", "/v1/sessions");
  await write("DELETE", `/v1/sessions/${sessionId}`);
  changes.endedSessions.push(sessionId);
  if (changes.kept.length <= MOST_ACCOUNTS) return;
  const oldest = changes.kept[0];
  if (oldest === undefined) return;
  await write("DELETE", `/v1/projects/${projectId}/members/${oldest.userId}`);
  changes.members.delete(oldest.userId);
  await write("DELETE", `/v1/workload-trusts/${oldest.trustId}`);
  await write("DELETE", `/v1/api-keys/${oldest.keyId}`);
  await write("DELETE", `/v1/users/${oldest.userId}`);
  changes.kept.shift();
  changes.deleted.push(oldest);
}

/** No other customer's service account has a name that begins so. */
function prefixOf(projectId: string): string {
  return `CI ${projectId.slice(-8)} `;
}

/** Every breach at this moment. */
export async function findBreachesOfAccess(
  client: PatientClient,
  { projectId, environmentId }: Project,
  { kept, endedSessions, members, deployers }: AccessChanges,
): Promise<string[]> {
  type Row = { readonly id: string; readonly name: string };
  const breaches: string[] = [];
  const compare = (what: string, found: readonly string[], wanted: readonly string[]): void => {
    if (found.toSorted().join() !== wanted.toSorted().join())
      breaches.push(
        `Project ${projectId} has the ${what} ${found.join(", ")}, and should have ${wanted.join(", ")}.`,
      );
  };
  const prefix = prefixOf(projectId);
  for (const [what, path, ids] of [
    ["users", "/v1/users", kept.map(({ userId }) => userId)],
    ["apiKeys", "/v1/api-keys", kept.map(({ keyId }) => keyId)],
    ["workloadTrusts", "/v1/workload-trusts", kept.map(({ trustId }) => trustId)],
  ] as const) {
    const { body } = await client.read(`${path}?limit=100&order=desc`);
    const own = (body[what] as readonly Row[]).filter(({ name }) => name.startsWith(prefix));
    compare(
      what,
      own.map(({ id }) => id),
      ids,
    );
  }
  const listed = (await client.read(`/v1/projects/${projectId}/members?limit=100`)).body.projectMembers;
  compare(
    "members",
    (listed as readonly { userId: string; role: string }[]).map(({ userId, role }) => `${userId} ${role}`),
    [...members].map((one) => one.join(" ")),
  );
  const { protection } = (await client.read(`/v1/environments/${environmentId}`)).body;
  compare("protection", [protection.deployers], [deployers]);
  const { sessions } = (await client.read("/v1/sessions?limit=100&order=desc")).body;
  for (const { id } of sessions as readonly Row[])
    if (endedSessions.includes(id))
      breaches.push(`The session ${id} continues, though its end was acknowledged.`);
  return breaches;
}

/** The events that must have been emitted. */
export function toldOfAccess({ kept, deleted, endedSessions }: AccessChanges): readonly ReceivedEvents[] {
  const of = (one: Made, ends: number): readonly ReceivedEvents[] => [
    { subjectId: one.userId, times: { "user.created": 1, "user.deleted": ends } },
    { subjectId: one.keyId, times: { "api_key.created": 1, "api_key.deleted": ends } },
    { subjectId: one.trustId, times: { "workload_trust.created": 1, "workload_trust.deleted": ends } },
  ];
  return [
    ...kept.flatMap((one) => of(one, 0)),
    ...deleted.flatMap((one) => of(one, 1)),
    ...endedSessions.map((subjectId) => ({
      subjectId,
      times: { "session.created": 1, "session.ended": 1 },
    })),
  ];
}
