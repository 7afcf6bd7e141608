import { type TObject, type TSchema, Type } from "typebox";
import { Id, Instant, Nullable, Text, viewAs, Words } from "../../http/schemas.ts";
import type { DeploymentLog, ServiceLog } from "./logs.ts";
import { DeploymentStatusSchema } from "./views.ts";

const CURSOR = "eyJ3ZWIiOiIxMiJ9";
export const NextCursor = Text(
  "Pass it as `cursor` to continue. It stays valid if there are no new lines yet.",
  CURSOR,
);

/** A server-sent event of a live log. Its `data` is JSON text. */
export const EventSchema = (title: string, description: string, oneOf: readonly TSchema[]) =>
  Type.Unsafe<unknown>({
    title,
    description: `${description} \`data\` is JSON.`,
    type: "object",
    required: ["event", "data"],
    discriminator: { propertyName: "event" },
    oneOf,
  });

/** A server-sent event of one line. @param data the schema of the line */
export const LineEvent = (title: string, data: TObject) =>
  Type.Object(
    {
      event: Type.Literal("line", { description: "A line was printed." }),
      id: Type.Optional(
        Text("A cursor: pass it as `Last-Event-ID` or `cursor` to continue after this line.", CURSOR),
      ),
      data,
    },
    { title, description: "A line of the log." },
  );

const LogStreamSchema = Words(["build", "stdout", "stderr", "platform"], {
  title: "LogStream",
  description: "Where the line is from: the build, the service's process, or the platform.",
});

const LogLineSchema = Type.Object(
  {
    at: Instant("When it was printed.", "2026-11-20T09:52:07.000Z"),
    serviceId: Id("svc", "The service that it is about."),
    service: Text("Its id in the configuration.", "web"),
    stream: LogStreamSchema,
    text: Text("The line, without its line break.", "added 132 packages in 4s"),
  },
  { title: "LogLine", description: "One line of a log." },
);

export const LogsSchema = Type.Object(
  {
    lines: Type.Array(LogLineSchema, { description: "The lines, in the order in which they were printed." }),
    nextCursor: NextCursor,
  },
  { title: "DeploymentLogs", description: "Lines of a deployment's log, and the cursor to continue from." },
);

export function viewLogs({ lines, next }: DeploymentLog) {
  return { lines: lines.map((line) => viewAs(LogLineSchema, line)), nextCursor: next };
}

const ProgressSchema = Type.Object(
  { status: DeploymentStatusSchema },
  { title: "DeploymentProgress", description: "The progress of the deployment." },
);

export const LogEventSchema = EventSchema("LogEvent", "A server-sent event of a live log.", [
  LineEvent("LogLineEvent", LogLineSchema),
  Type.Object(
    {
      event: Type.Literal("status", { description: "The deployment's status." }),
      data: ProgressSchema,
    },
    {
      title: "LogStatusEvent",
      description: "The deployment's status: sent first, and whenever it changes.",
    },
  ),
  Type.Object(
    { event: Type.Literal("end", { description: "The last event." }), data: ProgressSchema },
    { title: "LogEndEvent", description: "The deployment has ended, and its whole log was sent." },
  ),
]);

export const PrintedLineSchema = Type.Object(
  {
    at: Instant("When it was printed.", "2026-11-20T10:12:07.000Z"),
    stream: LogStreamSchema,
    text: Text("The line, without its line break.", "listening on 3000"),
  },
  { title: "ServiceLogLine", description: "One line that a service printed." },
);

export const ServiceLogsSchema = Type.Object(
  {
    deploymentId: Nullable(
      Id("depl", "The deployment whose release printed them; null before the first release."),
    ),
    lines: Type.Array(PrintedLineSchema, {
      description: "The lines, in the order in which they were printed.",
    }),
    nextCursor: NextCursor,
  },
  { title: "ServiceLogs", description: "Lines that a service printed, and the cursor to continue from." },
);

export function viewServiceLogs({ lines, deploymentId, next }: ServiceLog) {
  return {
    deploymentId,
    lines: lines.map((line) => viewAs(PrintedLineSchema, line)),
    nextCursor: next,
  };
}

export const ServiceLogEventSchema = EventSchema(
  "ServiceLogEvent",
  "A server-sent event of a service's log.",
  [
    LineEvent("ServiceLogLineEvent", PrintedLineSchema),
    Type.Object(
      {
        event: Type.Literal("release", { description: "Another release is live." }),
        data: Type.Object(
          { deploymentId: Id("depl", "The deployment whose release printed them.") },
          { title: "ServiceLogRelease", description: "The release that printed the lines that follow." },
        ),
      },
      {
        title: "ServiceLogReleaseEvent",
        description: "The live release: sent first, and when another one went live.",
      },
    ),
  ],
);
