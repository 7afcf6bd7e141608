/** The fields of a notification channel in a request, and what a schema cannot check of them. */
import { Type } from "typebox";
import { Body, Id, Nullable, ONE_LINE_TEXT, Words } from "../../http/schemas.ts";
import { COMMON_FAULTS, type Fault } from "../../lib/errors.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import { findTypeFaults, findUrlFaults } from "../webhooks/body.ts";
import { URL_LENGTH_MAX } from "../webhooks/webhook-endpoint.ts";
import { CHANNEL_KINDS, type ChannelKind, OWN_PROJECTS_MAX, RECIPIENTS_MAX } from "./channel.ts";
import { NOTIFICATION_FAULTS } from "./errors.ts";

export const KindSchema = Words(CHANNEL_KINDS, {
  title: "NotificationChannelKind",
  description: "The kind of the receiver: `slack`, `discord`, `teams` (a webhook of Workflows) or `email`.",
  examples: ["slack"],
});

const NAME = Type.String({
  ...ONE_LINE_TEXT,
  maxLength: 200,
  description: "Display name.",
  examples: ["Operations"],
});

const OPTIONAL_FIELDS = {
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: URL_LENGTH_MAX,
      description:
        "The incoming webhook of Slack, Discord or Teams: https://, at a public address. It is a secret: it is stored encrypted and never shown.",
      examples: ["https://hooks.slack.com/services/T000/B000/XXXX"],
    }),
  ),
  recipients: Type.Optional(
    Type.Array(
      Type.String({
        format: "email",
        maxLength: 254,
        description: "An address.",
        examples: ["ops@acme.example"],
      }),
      {
        minItems: 1,
        maxItems: RECIPIENTS_MAX,
        uniqueItems: true,
        description: "The addresses that an e-mail is sent to.",
        examples: [["ops@acme.example"]],
      },
    ),
  ),
  types: Type.Optional(
    Nullable(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description:
          "The event types that it reports, such as `domain.*`; null for the default set. With a type that reports a problem, its recovery is reported too.",
        examples: [["deployment.environment_failed"]],
      }),
    ),
  ),
  projectId: Type.Optional(Nullable(Id("proj", "Only events of this project."))),
  environmentId: Type.Optional(Nullable(Id("env", "Only events of this environment."))),
};

export const CREATE_BODY = Body({ kind: KindSchema, name: NAME, ...OPTIONAL_FIELDS });

export const UPDATE_BODY = Body({
  name: Type.Optional(NAME),
  ...OPTIONAL_FIELDS,
  enabled: Type.Optional(
    Type.Boolean({
      description: "False: nothing is sent. True: reports the events from now on.",
      examples: [true],
    }),
  ),
});

export const OWN_BODY = Body({
  enabled: Type.Optional(
    Type.Boolean({
      description: "True: reports the events from now on. False: nothing is sent.",
      examples: [true],
    }),
  ),
  types: OPTIONAL_FIELDS.types,
  projectIds: Type.Optional(
    Nullable(
      Type.Array(Id("proj", "A project that you see."), {
        minItems: 1,
        maxItems: OWN_PROJECTS_MAX,
        uniqueItems: true,
        description: "Only events of these projects; null for all that you see.",
      }),
    ),
  ),
});

/** @param allowsLoopback whether http:// to this machine is allowed */
export function findChannelFaults(
  body: unknown,
  catalogue: EventCatalogue,
  allowsLoopback: boolean,
): readonly Fault[] {
  if (typeof body !== "object" || body === null) return [];
  const { kind, url, recipients, types } = body as Record<string, unknown>;
  const isKnown = CHANNEL_KINDS.some((one) => one === kind);
  return [
    ...findUrlFaults(url, allowsLoopback),
    ...findTypeFaults(types, catalogue),
    ...(isKnown ? findTargetFaults(kind as ChannelKind, { url, recipients }, true) : []),
  ];
}

/** E-mail has recipients, all other kinds have a URL. @param isNew whether one of them is required */
export function findTargetFaults(
  kind: ChannelKind,
  { url, recipients }: { readonly url?: unknown; readonly recipients?: unknown },
  isNew: boolean,
): readonly Fault[] {
  const [wanted, other] =
    kind === "email" ? (["recipients", "url"] as const) : (["url", "recipients"] as const);
  const given = { url, recipients };
  const { code } = NOTIFICATION_FAULTS.NOT_OF_KIND;
  return [
    ...(given[other] === undefined
      ? []
      : [{ path: `/${other}`, code, message: `does not belong to channels of kind ${kind}` }]),
    ...(isNew && given[wanted] === undefined
      ? [{ path: `/${wanted}`, code: COMMON_FAULTS.REQUIRED.code, message: "is required" }]
      : []),
  ];
}
