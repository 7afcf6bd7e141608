import { Type } from "typebox";
import { At, EXAMPLE_IDS, Id, Instant, Nullable, Text, Words } from "../../http/schemas.ts";
import { ACTOR_KINDS, type Event, SUBJECT_TYPES, type SubjectType } from "./event.ts";

const SubjectSchema = Type.Object(
  {
    type: Words(SUBJECT_TYPES, { title: "EventSubjectType", description: "The kind of resource." }),
    id: Text("The id of the resource.", EXAMPLE_IDS.dom),
    url: Text(
      "Its address in the API. It returns 404 once the resource is deleted.",
      `https://slipway.example.com/v1/domains/${EXAMPLE_IDS.dom}`,
    ),
  },
  { title: "EventSubject", description: "The subject of the event." },
);

export const ActorSchema = Type.Object(
  {
    kind: Words(ACTOR_KINDS, {
      title: "EventActorKind",
      description:
        "A user of the organization, a push that a git integration's host reported, the operator on the command line, or Slipway itself.",
    }),
    id: Text("The id of the user or the git integration; otherwise the same as `kind`.", "slipway"),
  },
  { title: "EventActor", description: "The actor that caused the event." },
);

/** What all events have, around their `data`. */
export const ENVELOPE = {
  id: Id("evt", "The event's id. A webhook has it as `webhook-id`; repeated deliveries have the same id."),
  type: Text("The type: subject and verb.", "domain.attached"),
  timestamp: Instant("When it happened.", "2026-11-20T09:41:55.000Z"),
  sequence: Type.Integer({
    description: "Its number: events of an organization are numbered from 1, without gaps.",
    examples: [57],
  }),
  organizationId: Id("org", "The organization."),
  subject: SubjectSchema,
  projectId: Nullable(Id("proj", "The project that the subject belongs to, if any.")),
  environmentId: Nullable(Id("env", "The environment that the subject belongs to, if any.")),
  serviceId: Nullable(Id("svc", "The service that the subject belongs to, if any.")),
  actor: ActorSchema,
  requestId: Text("The request that caused it, or `background`.", "background"),
};

export const EventSchema = Type.Object(
  {
    ...ENVELOPE,
    data: Type.Unsafe<object>({
      type: "object",
      additionalProperties: true,
      description:
        "The changed data. Its fields depend on the type, and fields may be added. It never has the value of a variable, a token or a key.",
      examples: [{ name: "www.example.com", groupId: EXAMPLE_IDS.group, status: "ATTACHED" }],
    }),
  },
  { title: "Event", description: "Something that happened in the organization." },
);

export const EventListSchema = Type.Object(
  {
    events: Type.Array(EventSchema, {
      description: "At most `limit` events, in the order of their numbers.",
    }),
    nextCursor: Text("Pass it as `after` to continue: all events up to this number were checked.", "57"),
    hasMore: Type.Boolean({ description: "Whether there are newer events now.", examples: [false] }),
  },
  { title: "EventList", description: "Events after a number, and the cursor to continue from." },
);

/** One server-sent event of the feed. Its `data` is JSON text. */
export const EventFeedSchema = Type.Unsafe<unknown>({
  title: "EventFeedEvent",
  description: "A server-sent event of the feed. `data` is JSON.",
  type: "object",
  required: ["event", "data"],
  discriminator: { propertyName: "event" },
  oneOf: [
    Type.Object(
      {
        // The type that `EventSource.onmessage` receives in browsers.
        event: Type.Literal("message", { description: "Something happened." }),
        id: Text("The event's number: pass it as `Last-Event-ID` or `after` to continue after it.", "57"),
        data: At(EventSchema, "The event."),
      },
      { title: "EventFeedMessage", description: "An event." },
    ),
    Type.Object(
      {
        event: Type.Literal("position", { description: "The position of the stream." }),
        id: Text("All events up to this number were checked.", "10057"),
        data: Type.Object({}, { title: "EventFeedNothing", description: "Empty." }),
      },
      {
        title: "EventFeedPosition",
        description:
          "The position of the stream: sent first, and again when no event has matched the filter for a while.",
      },
    ),
  ],
});

export const OLDEST_IN_PROBLEM = Type.Integer({
  description: "Only with `EVENTS_EXPIRED`: the number of the oldest event that is kept.",
  examples: [1042],
});

/** Where the API has each kind of subject. */
const PATHS: Readonly<Record<SubjectType, (event: Event) => string>> = {
  domain: ({ subjectId }) => `domains/${subjectId}`,
  certificate: ({ data }) => `domain-certificate-groups/${String(data["groupId"])}`,
  domain_group: ({ subjectId }) => `domain-certificate-groups/${subjectId}`,
  env_variables: ({ subjectId, serviceId }) =>
    `${serviceId === null ? "environments" : "services"}/${subjectId}/env-variables`,
  aws_account: ({ subjectId }) => `aws-accounts/${subjectId}`,
  project: ({ subjectId }) => `projects/${subjectId}`,
  environment: ({ subjectId }) => `environments/${subjectId}`,
  service: ({ subjectId }) => `services/${subjectId}`,
  deployment: ({ subjectId }) => `deployments/${subjectId}`,
  preview: ({ subjectId }) => `previews/${subjectId}`,
  organization: () => "organization",
  user: ({ subjectId }) => `users/${subjectId}`,
  api_key: ({ subjectId }) => `api-keys/${subjectId}`,
  session: ({ subjectId }) => `sessions/${subjectId}`,
  workload_trust: ({ subjectId }) => `workload-trusts/${subjectId}`,
  git_integration: ({ subjectId }) => `git-integrations/${subjectId}`,
  webhook_endpoint: ({ subjectId }) => `webhook-endpoints/${subjectId}`,
  notification_channel: ({ subjectId }) => `notification-channels/${subjectId}`,
};

/** The envelope, the same for the API, the feed and webhooks. @param publicUrl the address of the service */
export function viewEvent(event: Event, publicUrl: string) {
  const { id, type, occurredAt, sequence, organizationId, subjectType, subjectId, requestId, data } = event;
  const { projectId, environmentId, serviceId, actorKind, actorId } = event;
  return {
    id,
    type,
    timestamp: occurredAt.toISOString(),
    sequence,
    organizationId,
    subject: { type: subjectType, id: subjectId, url: `${publicUrl}/v1/${PATHS[subjectType](event)}` },
    projectId,
    environmentId,
    serviceId,
    actor: { kind: actorKind, id: actorId },
    requestId,
    data,
  };
}
