/**
 * The messages between the sandbox's server and its adapter: each call is one POST `/cloud/<operation>`.
 * Both sides check with these schemas, so that a malformed message is found where it arrives.
 */
import { Type, type Static, type TSchema } from "typebox";
import { CERTIFICATE_STATUSES } from "../../src/cloud/cloud.ts";
import { BUILD_STATUSES, RELEASE_STATUSES } from "../../src/cloud/platform.ts";

const closed = { additionalProperties: false };
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const RepositoryOrigin = Type.Object(
  {
    kind: Type.Literal("repository"),
    repoUrl: Type.String(),
    branch: Type.String(),
    directory: Type.String(),
    serviceId: Type.Optional(Type.String()),
  },
  closed,
);
const Origin = Type.Union([
  RepositoryOrigin,
  Type.Object({ kind: Type.Literal("host"), hostname: Type.String() }, closed),
  Type.Object({ kind: Type.Literal("none"), serviceId: Type.Optional(Type.String()) }, closed),
]);

const Certificate = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...CERTIFICATE_STATUSES]),
    failureReason: nullable(Type.String()),
    domains: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          validated: Type.Boolean(),
          failed: Type.Boolean(),
          record: nullable(
            Type.Object({ name: Type.String(), type: Type.Literal("CNAME"), value: Type.String() }, closed),
          ),
        },
        closed,
      ),
    ),
    /** Milliseconds since 1970, like all instants here. */
    requestedAt: Type.Number(),
    issuedAt: nullable(Type.Number()),
    expiresAt: nullable(Type.Number()),
    renewalStatus: nullable(Type.String()),
  },
  closed,
);
export type CertificateMessage = Static<typeof Certificate>;

const Distribution = Type.Object(
  {
    id: Type.String(),
    domainName: Type.String(),
    aliases: Type.Array(Type.String()),
    certificateId: nullable(Type.String()),
    enabled: Type.Boolean(),
    redirectsKey: nullable(Type.String()),
    changedAt: Type.Number(),
    deployed: Type.Boolean(),
    etag: Type.String(),
  },
  closed,
);
export type DistributionMessage = Static<typeof Distribution>;

const Traffic = Type.Object(
  {
    from: Type.Number(),
    until: Type.Number(),
    minutes: Type.Array(
      Type.Object(
        {
          at: Type.Number(),
          requests: Type.Integer(),
          clientErrors: Type.Integer(),
          serverErrors: Type.Integer(),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type TrafficMessage = Static<typeof Traffic>;

const Id = Type.Object({ id: Type.String() }, closed);
const Write = Type.Object(
  {
    region: Type.String(),
    name: Type.String(),
    value: Type.String(),
    token: Type.String({ minLength: 1 }),
  },
  closed,
);
const Where = Type.Object({ region: Type.String(), name: Type.String() }, closed);
const Reference = Type.Object({ reference: Type.String() }, closed);
const Nothing = Type.Object({}, closed);

const ZoneRecords = Type.Object(
  {
    id: Type.String(),
    records: Type.Array(
      Type.Object({ type: Type.Enum(["CNAME", "ALIAS"]), name: Type.String(), value: Type.String() }, closed),
      { minItems: 1, maxItems: 1_000 },
    ),
  },
  closed,
);

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

const PLATFORM_OPERATIONS = {
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

export const OPERATIONS = {
  "identity.verify": { input: Nothing, output: Type.Object({ accountId: Type.String() }, closed) },
  "certificates.request": {
    input: Type.Object(
      { names: Type.Array(Type.String(), { minItems: 1 }), token: Type.String({ minLength: 1 }) },
      closed,
    ),
    output: Id,
  },
  "certificates.describe": {
    input: Id,
    output: Type.Object({ certificate: nullable(Certificate) }, closed),
  },
  "certificates.list": {
    input: Nothing,
    output: Type.Object(
      {
        certificates: Type.Array(
          Type.Object({ id: Type.String(), names: Type.Array(Type.String()) }, closed),
        ),
      },
      closed,
    ),
  },
  "certificates.delete": {
    input: Id,
    output: Type.Object({ result: Type.Enum(["deleted", "in-use"]) }, closed),
  },
  "distributions.create": {
    input: Type.Object({ token: Type.String({ minLength: 1 }), origin: Origin }, closed),
    output: Distribution,
  },
  "distributions.describe": {
    input: Id,
    output: Type.Object({ distribution: nullable(Distribution) }, closed),
  },
  "distributions.update": {
    input: Type.Object(
      {
        id: Type.String(),
        aliases: Type.Array(Type.String()),
        certificateId: nullable(Type.String()),
        enabled: Type.Boolean(),
        origin: Type.Optional(RepositoryOrigin),
        redirects: Type.Optional(Type.Record(Type.String(), Type.String())),
        etag: Type.String(),
      },
      closed,
    ),
    output: Distribution,
  },
  "distributions.delete": {
    input: Type.Object({ id: Type.String(), etag: Type.String() }, closed),
    output: Type.Object({ result: Type.Enum(["deleted", "not-ready"]) }, closed),
  },
  "distributions.traffic": {
    input: Type.Object({ ids: Type.Array(Type.String()), since: Type.Number() }, closed),
    output: Traffic,
  },
  "parameters.put": { input: Write, output: Reference },
  "parameters.delete": { input: Where, output: Nothing },
  "secrets.put": { input: Write, output: Reference },
  "secrets.delete": { input: Where, output: Nothing },
  "zones.find": {
    input: Type.Object({ name: Type.String() }, closed),
    output: Type.Object(
      {
        zones: Type.Array(Type.Object({ id: Type.String(), nameServers: Type.Array(Type.String()) }, closed)),
      },
      closed,
    ),
  },
  "zones.look": {
    input: Type.Object({ id: Type.String(), names: Type.Array(Type.String()) }, closed),
    output: Type.Object(
      {
        found: Type.Array(
          Type.Array(Type.Object({ type: Type.String(), values: Type.Array(Type.String()) }, closed)),
        ),
      },
      closed,
    ),
  },
  "zones.create": { input: ZoneRecords, output: Nothing },
  "zones.delete": { input: ZoneRecords, output: Nothing },
  ...PLATFORM_OPERATIONS,
} as const;

export type Operation = keyof typeof OPERATIONS;
export type InputOf<O extends Operation> = Static<(typeof OPERATIONS)[O]["input"]>;
export type OutputOf<O extends Operation> = Static<(typeof OPERATIONS)[O]["output"]>;

export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly Operation[];

export function isOperation(name: string): name is Operation {
  return Object.hasOwn(OPERATIONS, name);
}

/** The envelope of a call. `externalId` is null if the role is assumed without one. */
export const Call = Type.Object(
  { roleArn: Type.String(), externalId: nullable(Type.String()), input: Type.Unknown() },
  closed,
);

/** The body of a refused call. */
export const Refused = Type.Object({
  kind: Type.Enum(["retryable", "denied", "gone", "limit", "invalid"]),
  code: Type.String(),
  message: Type.String(),
  /** The rate that the call exceeded, which AWS documents; calls of one `bucket` share it. */
  rate: Type.Optional(
    Type.Object({
      bucket: Type.String(),
      perSecond: Type.Number({ exclusiveMinimum: 0 }),
      burst: Type.Number({ minimum: 1 }),
    }),
  ),
});
