import { type TObject, Type } from "typebox";
import { Id, Instant, Nullable, Text, Words } from "../../../http/schemas.ts";
import { DeploymentStatusSchema } from "../run-views.ts";
import type { ServiceLog } from "./service-logs.ts";
import type { DeploymentLog } from "./read-logs.ts";

const CURSOR = "eyJ3ZWIiOiIxMiJ9";
const NextCursor = Text(
  "Pass it as `cursor` to read on. It stays valid when there is nothing new yet.",
  CURSOR,
);

/** A server-sent event of one line. @param data the schema of the line */
const LineEvent = (title: string, data: TObject) =>
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
    lines: Type.Array(LogLineSchema, { description: "In the order in which they were printed." }),
    nextCursor: NextCursor,
  },
  { title: "DeploymentLogs", description: "Lines of a deployment's log, and the cursor to read on." },
);

const ProgressSchema = Type.Object(
  { status: DeploymentStatusSchema },
  { title: "DeploymentProgress", description: "The progress of the deployment." },
);

/** One server-sent event of a live log. Its `data` is JSON text. */
export const LogEventSchema = Type.Unsafe<unknown>({
  title: "LogEvent",
  description: "A server-sent event of a live log. `data` is JSON.",
  type: "object",
  required: ["event", "data"],
  discriminator: { propertyName: "event" },
  oneOf: [
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
      {
        event: Type.Literal("end", { description: "The last event." }),
        data: ProgressSchema,
      },
      { title: "LogEndEvent", description: "The deployment has ended, and its whole log was sent." },
    ),
  ],
});

const PrintedLineSchema = Type.Object(
  {
    at: Instant("When it was printed.", "2026-11-20T10:12:07.000Z"),
    stream: LogStreamSchema,
    text: Text("The line, without its line break.", "listening on 3000"),
  },
  { title: "ServiceLogLine", description: "One line that a service printed." },
);

const DEPLOYMENT_ID = Id("depl", "The deployment whose release printed them.");

export const ServiceLogsSchema = Type.Object(
  {
    deploymentId: Nullable(
      Id("depl", "The deployment whose release printed them; null before the first release."),
    ),
    lines: Type.Array(PrintedLineSchema, { description: "In the order in which they were printed." }),
    nextCursor: NextCursor,
  },
  { title: "ServiceLogs", description: "Lines that a service printed, and the cursor to read on." },
);

/** One server-sent event of a service's log. */
export const ServiceLogEventSchema = Type.Unsafe<unknown>({
  title: "ServiceLogEvent",
  description: "A server-sent event of a service's log. `data` is JSON.",
  type: "object",
  required: ["event", "data"],
  discriminator: { propertyName: "event" },
  oneOf: [
    LineEvent("ServiceLogLineEvent", PrintedLineSchema),
    Type.Object(
      {
        event: Type.Literal("release", { description: "Another release is live." }),
        data: Type.Object(
          { deploymentId: DEPLOYMENT_ID },
          { title: "ServiceLogRelease", description: "Whose lines follow." },
        ),
      },
      {
        title: "ServiceLogReleaseEvent",
        description: "The live release: sent first, and when another one went live.",
      },
    ),
  ],
});

export function viewServiceLogs({ lines, deploymentId, next }: ServiceLog) {
  return {
    deploymentId,
    lines: lines.map((line) => ({ ...line, at: line.at.toISOString() })),
    nextCursor: next,
  };
}

export function viewLogs({ lines, next }: DeploymentLog) {
  return { lines: lines.map((line) => ({ ...line, at: line.at.toISOString() })), nextCursor: next };
}
