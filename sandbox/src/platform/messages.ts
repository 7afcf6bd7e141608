/** The messages between the platform's adapter and the sandbox's server; see `../protocol.ts`. */
import { Type, type Static, type TSchema } from "typebox";
import { BUILD_STATUSES, RELEASE_STATUSES } from "../../../src/cloud/platform.ts";

const closed = { additionalProperties: false };
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Token = Type.String({ minLength: 1, maxLength: 512 });
const ByToken = Type.Object({ token: Token }, closed);
const Service = Type.Object(
  {
    serviceId: Type.String({ minLength: 1, maxLength: 256 }),
    /** Not in records of earlier releases, nor where a service is removed. */
    environmentId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    region: Type.String(),
  },
  closed,
);
const Size = Type.Object(
  {
    cpu: Type.Number(),
    memoryGb: Type.Number(),
    minInstances: Type.Number(),
    maxInstances: Type.Number(),
  },
  closed,
);
const Command = nullable(Type.String({ minLength: 1 }));
const Workload = Type.Union([
  Type.Object(
    { type: Type.Literal("static"), buildCommand: Command, outputDirectory: Type.String() },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal("web"),
      buildCommand: Command,
      startCommand: Command,
      port: Type.Integer(),
      healthCheckPath: Type.String({ pattern: "^/" }),
      size: Size,
    },
    closed,
  ),
  Type.Object(
    { type: Type.Literal("worker"), buildCommand: Command, startCommand: Command, size: Size },
    closed,
  ),
]);
const VariableName = Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" });
const Variable = Type.Union([
  Type.Object({ name: VariableName, kind: Type.Literal("plainText"), value: Type.String() }, closed),
  Type.Object(
    {
      name: VariableName,
      kind: Type.Enum(["fromParameterStore", "fromSecretsManager"]),
      reference: Type.String(),
    },
    closed,
  ),
]);
const Failure = nullable(Type.Object({ code: Type.String(), message: Type.String() }, closed));

const Build = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...BUILD_STATUSES]),
    artifact: nullable(Type.String()),
    failure: Failure,
    /** Milliseconds since 1970, like all instants here. */
    startedAt: Type.Number(),
    endedAt: nullable(Type.Number()),
  },
  closed,
);
export type BuildMessage = Static<typeof Build>;

const Release = Type.Object(
  {
    token: Type.String(),
    status: Type.Enum([...RELEASE_STATUSES]),
    failure: Failure,
    url: nullable(Type.String()),
  },
  closed,
);
export type ReleaseMessage = Static<typeof Release>;

const Health = Type.Object({ isRunning: Type.Boolean(), problem: nullable(Type.String()) }, closed);
export type HealthMessage = Static<typeof Health>;

const LogInput = Type.Object({ token: Token, cursor: nullable(Type.String()) }, closed);
const LogPage = Type.Object(
  {
    lines: Type.Array(
      Type.Object(
        {
          at: Type.Number(),
          stream: Type.Enum(["build", "stdout", "stderr", "platform"]),
          text: Type.String(),
        },
        closed,
      ),
    ),
    next: Type.String(),
  },
  closed,
);
export type LogPageMessage = Static<typeof LogPage>;

const BuildInput = Type.Object(
  {
    token: Token,
    service: Service,
    workload: Workload,
    source: Type.Object(
      {
        repoUrl: Type.String(),
        commit: Type.String({ pattern: "^[0-9a-f]{40}$" }),
        branch: Type.String(),
      },
      closed,
    ),
    variables: Type.Array(Variable),
    timeLimitSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
  },
  closed,
);
export type BuildInput = Static<typeof BuildInput>;

const ReleaseInput = Type.Object(
  {
    token: Token,
    service: Service,
    workload: Workload,
    artifact: Type.String(),
    variables: Type.Array(Variable),
  },
  closed,
);
export type ReleaseInput = Static<typeof ReleaseInput>;

const Nothing = Type.Object({}, closed);

export const PLATFORM_OPERATIONS = {
  "builds.start": { input: BuildInput, output: Build },
  "builds.describe": { input: ByToken, output: Type.Object({ build: nullable(Build) }, closed) },
  "builds.cancel": { input: ByToken, output: Nothing },
  "builds.logs": { input: LogInput, output: LogPage },
  "releases.start": { input: ReleaseInput, output: Release },
  "releases.describe": { input: ByToken, output: Type.Object({ release: nullable(Release) }, closed) },
  "releases.cancel": { input: ByToken, output: Nothing },
  "releases.health": { input: ByToken, output: Type.Object({ health: nullable(Health) }, closed) },
  "releases.logs": { input: LogInput, output: LogPage },
  "services.remove": { input: Service, output: Nothing },
} as const;
