import type { TObject } from "typebox";
import type { DeclaredEvent } from "../src/features/events/event.ts";
import type { EventCatalogue } from "../src/features/events/event-catalogue.ts";

/** `docs/reference/events.md`, which `npm run docs:events` writes. */
export function renderEventsPage({ all }: EventCatalogue): string {
  const bySubject = Map.groupBy(all, ({ subject }) => subject);
  const sections = [...bySubject].map(
    ([subject, types]) => `### ${subject}\n\n${[...HEAD, ...types.map(rowOf)].join("\n")}\n`,
  );
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

const HEAD = ["| type | when | `data` | role |", "|---|---|---|---|"];

function rowOf({ type, description, data, role }: DeclaredEvent): string {
  const fields = Object.keys((data as TObject).properties).map((name) => `\`${name}\``);
  return `| \`${type}\` | ${description} | ${fields.join(", ")} | ${role} |`;
}

const INTRODUCTION = `# Events

Slipway emits an event for each change that is relevant to users, once and in order. The fields of \`data\` are described
in \`/openapi.json\` and in the SDK's types. \`npm run docs:events\` writes this page from the \`events.ts\` of each feature.

## What an event has

| field | meaning |
|---|---|
| \`id\` | \`evt_…\`; a webhook has it as \`webhook-id\`. |
| \`type\` | What happened: subject and verb. New types are added, and types gain fields. |
| \`timestamp\` | When it happened. |
| \`sequence\` | Its number. Events of an organization are numbered from 1 without gaps, so a reader can detect missing events. |
| \`organizationId\` | The organization. |
| \`subject\` | The resource: its \`type\`, its \`id\`, and its \`url\` in the API. |
| \`projectId\`, \`environmentId\`, \`serviceId\` | The project, environment and service of the resource, or null. |
| \`actor\` | Who caused it: a \`user\`, a \`git_integration\` whose host reported a push, the \`operator\`, or \`slipway\` itself. |
| \`requestId\` | The request that caused it, or \`background\`. |
| \`data\` | Enough to decide what to do: names, statuses and errors. At most about 20 KB; longer lists and texts are cut. |

No event has the value of a variable, a token or a key. An \`error\` has a \`code\` for programs and a \`message\`,
and if they are known, an \`action\` and \`retryable\`.

Events of one resource are in the order of its changes. A resource that is deleted with its parent has no event
of its own: the variables of a service, and the deployments of a project. For deployments that had not ended, Slipway
emits \`deployment.cancelled\`.

## The feed

- \`GET /v1/events?after=57\` returns events after that number. \`nextCursor\` is never null: pass it as \`after\` to
  continue.
- With \`Prefer: wait=30\` the request is held until there is an event.
- With \`Accept: text/event-stream\` events are streamed. The \`id\` of each is its number, and \`Last-Event-ID\` resumes
  after it. Each has \`event: message\`, so \`onmessage\` of an \`EventSource\` receives it, and its \`type\` is in its data.
  \`position\` (the position of the stream) and \`refused\` (the key may no longer read it) have their own names, for
  \`addEventListener\`. An \`EventSource\` in a browser cannot send a key: let your own server add it, and pass on
  \`Accept\` and \`Last-Event-ID\`.
- \`types=domain.*,deployment.failed\` and \`subjectId\` filter events.
- Events are kept for 30 days. A read of older events is refused with 410 \`EVENTS_EXPIRED\`, whose \`oldest\` is the
  number of the oldest event that is kept. Read the resources again, and continue with \`after\` one less than \`oldest\`.
- A key reads the types that its user's role may read. Other events are skipped, so a viewer may see gaps
  in the numbers.

[Webhooks](../how-to/webhooks.md) send the same events to your own endpoints.

## Types
`;
