/** Compares the events of an organization with the answers that its customers got. */
import type { PatientClient } from "./clients.ts";

/** The events that must have been emitted about a subject: the exact number of each type. */
export type ReceivedEvents = { readonly subjectId: string; readonly times: Readonly<Record<string, number>> };

type Event = {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly subject: { readonly id: string };
  readonly data: { readonly variables?: readonly { readonly name: string; readonly runId: string | null }[] };
};

const ENDS: Readonly<Record<string, string>> = {
  SUCCESS: "succeeded",
  ERROR: "failed",
  BUILD_ERROR: "failed",
  CANCELLED: "cancelled",
  SUPERSEDED: "superseded",
};

/** A deployment that was acknowledged, and its end, if there was one. */
export function receivedOfDeployment(subjectId: string, status: string): ReceivedEvents {
  const ends = [...new Set(Object.values(ENDS))].map(
    (end) => [`deployment.${end}`, ENDS[status] === end ? 1 : 0] as const,
  );
  return { subjectId, times: { "deployment.created": 1, ...Object.fromEntries(ends) } };
}

/** Every breach at this moment; what was not numbered yet shows as one too, and passes. @param runs that have ended */
export async function findBreachesOfEvents(
  client: PatientClient,
  told: readonly ReceivedEvents[],
  runs: readonly string[],
): Promise<readonly string[]> {
  const events = await readAll(client);
  const breaches: string[] = [];
  for (const [index, { sequence }] of events.entries())
    if (sequence !== index + 1) return [`Event ${index + 1} has the number ${sequence}.`];
  if (new Set(events.map(({ id }) => id)).size !== events.length) breaches.push("An event has two numbers.");
  const count = (subjectId: string, type: string): number =>
    events.filter((one) => one.subject.id === subjectId && one.type === type).length;
  for (const { subjectId, times } of told)
    for (const [type, wanted] of Object.entries(times)) {
      const found = count(subjectId, type);
      if (found !== wanted) breaches.push(`${type} of ${subjectId} was told ${found} times, not ${wanted}.`);
    }
  for (const [what, found] of countItems(events))
    if (found.accepted !== 1 || found.ended !== 1)
      breaches.push(`${what} was told ${found.accepted} times as accepted, ${found.ended} times at its end.`);
  const accepted = new Set(
    events.flatMap(({ type, data }) =>
      type === "env_variables.accepted" ? (data.variables ?? []).map(({ runId }) => runId) : [],
    ),
  );
  for (const run of runs) if (!accepted.has(run)) breaches.push(`No event was emitted for ${run}.`);
  return breaches;
}

/** How many events each managed value is in. */
function countItems(events: readonly Event[]) {
  const items = new Map<string, { accepted: number; ended: number }>();
  for (const { type, data } of events)
    for (const { name, runId } of data.variables ?? []) {
      if (runId === null) continue;
      const key = `${name} of ${runId}`;
      const item = items.get(key) ?? { accepted: 0, ended: 0 };
      items.set(key, item);
      if (type === "env_variables.accepted") item.accepted += 1;
      else item.ended += 1;
    }
  return items;
}

async function readAll(client: PatientClient): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (let [after, hasMore] = ["0", true]; hasMore;) {
    const { body } = await client.read(`/v1/events?after=${after}&limit=100`);
    events.push(...(body.events as Event[]));
    [after, hasMore] = [body.nextCursor as string, body.hasMore as boolean];
  }
  return events;
}
