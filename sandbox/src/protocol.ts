/**
 * The messages between the sandbox's server and its adapter: each call is one POST `/cloud/<operation>`.
 * Both sides check with these schemas, so that a malformed message is found where it arrives.
 */
import { Type, type Static, type TProperties, type TSchema } from "typebox";
import { CERTIFICATE_STATUSES } from "../../src/cloud/cloud.ts";
import { STORE_SIZES } from "../../src/cloud/data-stores.ts";
import {
  BUILD_STATUSES,
  EXECUTION_STATUSES,
  RELEASE_STATUSES,
  SNAPSHOT_STATUSES,
  STORE_STATUSES,
} from "../../src/cloud/platform.ts";

/** An object without other properties. */
export const closed = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const RepositoryOrigin = closed({
  kind: Type.Literal("repository"),
  repoUrl: Type.String(),
  branch: Type.String(),
  directory: Type.String(),
  serviceId: Type.Optional(Type.String()),
});
const Origin = Type.Union([
  RepositoryOrigin,
  closed({ kind: Type.Literal("host"), hostname: Type.String() }),
  closed({ kind: Type.Literal("none"), serviceId: Type.Optional(Type.String()) }),
  closed({ kind: Type.Literal("previews"), environmentId: Type.String() }),
]);
const Route = Type.Union([closed({ serviceId: Type.String() }), closed({ hostname: Type.String() })]);

const Certificate = closed({
  id: Type.String(),
  status: Type.Enum([...CERTIFICATE_STATUSES]),
  failureReason: nullable(Type.String()),
  domains: Type.Array(
    closed({
      name: Type.String(),
      validated: Type.Boolean(),
      failed: Type.Boolean(),
      record: nullable(closed({ name: Type.String(), type: Type.Literal("CNAME"), value: Type.String() })),
    }),
  ),
  /** Milliseconds since 1970, like all instants here. */
  requestedAt: Type.Number(),
  issuedAt: nullable(Type.Number()),
  expiresAt: nullable(Type.Number()),
  renewalStatus: nullable(Type.String()),
});
export type CertificateMessage = Static<typeof Certificate>;

const PreviewAccess = closed({
  gate: nullable(
    closed({
      key: Type.String({ minLength: 1 }),
      signInUrl: Type.String(),
      bypassHash: nullable(Type.String()),
    }),
  ),
});

const Distribution = closed({
  id: Type.String(),
  domainName: Type.String(),
  aliases: Type.Array(Type.String()),
  certificateId: nullable(Type.String()),
  enabled: Type.Boolean(),
  redirectsKey: nullable(Type.String()),
  accessKey: nullable(Type.String()),
  routesKey: nullable(Type.String()),
  changedAt: Type.Number(),
  deployed: Type.Boolean(),
  etag: Type.String(),
});
export type DistributionMessage = Static<typeof Distribution>;

const Traffic = closed({
  from: Type.Number(),
  until: Type.Number(),
  minutes: Type.Array(
    closed({
      at: Type.Number(),
      requests: Type.Integer(),
      clientErrors: Type.Integer(),
      serverErrors: Type.Integer(),
    }),
  ),
});
export type TrafficMessage = Static<typeof Traffic>;

const Id = closed({ id: Type.String() });
const Write = closed({
  region: Type.String(),
  name: Type.String(),
  value: Type.String(),
  token: Type.String({ minLength: 1 }),
});
const Where = closed({ region: Type.String(), name: Type.String() });
const Reference = closed({ reference: Type.String() });
const Nothing = closed({});

const ZoneRecords = closed({
  id: Type.String(),
  records: Type.Array(
    closed({ type: Type.Enum(["CNAME", "ALIAS"]), name: Type.String(), value: Type.String() }),
    { minItems: 1, maxItems: 1_000 },
  ),
});

const Token = Type.String({ minLength: 1, maxLength: 512 });
const ByToken = closed({ token: Token });
const Service = closed({
  serviceId: Type.String({ minLength: 1, maxLength: 256 }),
  /** Not in records of earlier releases, nor where a service is removed. */
  environmentId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  /** Of a preview that may read this template's values for previews. */
  templateId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  region: Type.String(),
});
const Size = closed({
  cpu: Type.Number(),
  memoryGb: Type.Number(),
  minInstances: Type.Number(),
  maxInstances: Type.Number(),
});
const Command = nullable(Type.String({ minLength: 1 }));
const OptionalCommand = Type.Optional(Type.String({ minLength: 1 }));
/** The folder where executions begin. The other commands enter it themselves. */
const BasePath = Type.Optional(Type.String({ minLength: 1 }));
const Built = { basePath: BasePath, installCommand: OptionalCommand, buildCommand: Command, size: Size };
const Running = { ...Built, startCommand: Command, preDeployCommand: OptionalCommand };
const Workload = Type.Union([
  closed({
    type: Type.Literal("static"),
    installCommand: OptionalCommand,
    buildCommand: Command,
    outputDirectory: Type.String(),
    singlePageApp: Type.Optional(Type.Boolean()),
  }),
  closed({
    type: Type.Literal("web"),
    ...Running,
    port: Type.Integer(),
    healthCheckPath: Type.String({ pattern: "^/" }),
    isPrivate: Type.Optional(Type.Boolean()),
    healthCheckIntervalSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
    healthCheckTimeoutSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
    healthCheckGracePeriodSeconds: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  closed({
    type: Type.Literal("worker"),
    ...Running,
  }),
  closed({ type: Type.Literal("scheduler"), ...Built }),
]);
const VariableName = Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]*$" });
const ValueReference = closed({
  kind: Type.Enum(["fromParameterStore", "fromSecretsManager"]),
  reference: Type.String(),
});
const Variable = Type.Union([
  closed({ name: VariableName, kind: Type.Literal("plainText"), value: Type.String() }),
  closed({
    name: VariableName,
    kind: Type.Enum(["fromParameterStore", "fromSecretsManager"]),
    reference: Type.String(),
  }),
  closed({
    name: VariableName,
    kind: Type.Literal("joined"),
    parts: Type.Array(Type.Union([Type.String(), ValueReference]), { maxItems: 32 }),
  }),
]);
const Failure = nullable(closed({ code: Type.String(), message: Type.String() }));

const Build = closed({
  id: Type.String(),
  status: Type.Enum([...BUILD_STATUSES]),
  artifact: nullable(Type.String()),
  failure: Failure,
  /** Milliseconds since 1970, like all instants here. */
  startedAt: Type.Number(),
  endedAt: nullable(Type.Number()),
  /** As of `ObservedBuild`. */
  needsCredentials: Type.Optional(Type.Boolean()),
});
export type BuildMessage = Static<typeof Build>;

const Release = closed({
  token: Type.String(),
  status: Type.Enum([...RELEASE_STATUSES]),
  failure: Failure,
  url: nullable(Type.String()),
});
export type ReleaseMessage = Static<typeof Release>;

const Execution = closed({
  token: Token,
  status: Type.Enum([...EXECUTION_STATUSES]),
  exitCode: nullable(Type.Integer()),
  failure: Failure,
  startedAt: nullable(Type.Number()),
  endedAt: nullable(Type.Number()),
});
export type ExecutionMessage = Static<typeof Execution>;

const Health = closed({
  isRunning: Type.Boolean(),
  isAsleep: Type.Boolean(),
  problem: nullable(Type.String()),
});
export type HealthMessage = Static<typeof Health>;

const Version = Type.Optional(Type.String({ pattern: "^[0-9.]+$" }));
const StoreSize = Type.Optional(Type.Enum([...STORE_SIZES]));
const DataStore = Type.Union([
  closed({
    type: Type.Enum(["postgres", "mysql"]),
    version: Version,
    size: StoreSize,
    storageGb: Type.Optional(Type.Integer()),
    backupRetentionDays: Type.Optional(Type.Integer()),
    deletionProtection: Type.Boolean(),
  }),
  closed({
    type: Type.Literal("redis"),
    version: Version,
    size: StoreSize,
    deletionProtection: Type.Boolean(),
  }),
  closed({ type: Type.Literal("bucket"), deletionProtection: Type.Boolean() }),
]);
const StoreInput = closed({
  service: Service,
  store: DataStore,
  snapshot: nullable(closed({ serviceId: Type.String({ minLength: 1 }), token: Token })),
});
export type StoreInput = Static<typeof StoreInput>;
const StoreValue = Type.Union([
  closed({ kind: Type.Literal("plainText"), value: Type.String() }),
  ValueReference,
  closed({
    kind: Type.Literal("joined"),
    parts: Type.Array(Type.Union([Type.String(), ValueReference]), { maxItems: 32 }),
  }),
]);
const Store = closed({
  status: Type.Enum([...STORE_STATUSES]),
  failure: Failure,
  waitingFor: nullable(Type.String()),
  version: nullable(Type.String()),
  values: Type.Record(Type.String(), StoreValue),
});
export type StoreMessage = Static<typeof Store>;
const Snapshot = closed({
  token: Token,
  status: Type.Enum([...SNAPSHOT_STATUSES]),
  failure: Failure,
  sizeBytes: nullable(Type.Number()),
});
export type SnapshotMessage = Static<typeof Snapshot>;
const OfStore = closed({ service: Service, token: Token });

const EnvironmentId = Type.String({ minLength: 1, maxLength: 256 });
const Activity = closed({
  environmentId: EnvironmentId,
  usedAt: Type.Number(),
  asleepSince: nullable(Type.Number()),
});
export type ActivityMessage = Static<typeof Activity>;

const LogInput = closed({ token: Token, cursor: nullable(Type.String()) });
const LogPage = closed({
  lines: Type.Array(
    closed({
      at: Type.Number(),
      stream: Type.Enum(["build", "stdout", "stderr", "platform"]),
      text: Type.String(),
    }),
  ),
  next: Type.String(),
});
export type LogPageMessage = Static<typeof LogPage>;

const BUILD_INPUT = {
  token: Token,
  service: Service,
  workload: Workload,
  source: closed({
    repoUrl: Type.String(),
    commit: Type.String({ pattern: "^[0-9a-f]{40}$" }),
    branch: Type.String(),
  }),
  variables: Type.Array(Variable),
  timeLimitSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
};
const BuildInput = closed(BUILD_INPUT);
/** The part of a request that is stored: all but its credentials. */
export type BuildInput = Static<typeof BuildInput>;

/** How git logs in at the host of the source. */
const Credentials = closed({ username: Type.String(), token: Type.String({ minLength: 1 }) });
const StartBuildInput = closed({ ...BUILD_INPUT, credentials: Type.Optional(Credentials) });

const ReleaseInput = closed({
  token: Token,
  service: Service,
  workload: Workload,
  artifact: Type.String(),
  variables: Type.Array(Variable),
});
export type ReleaseInput = Static<typeof ReleaseInput>;

const ExecutionInput = closed({
  token: Token,
  service: Service,
  release: Token,
  command: Type.String({ minLength: 1 }),
  size: Type.Pick(Size, ["cpu", "memoryGb"], { additionalProperties: false }),
  timeLimitSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
});
export type ExecutionInput = Static<typeof ExecutionInput>;

const PLATFORM_OPERATIONS = {
  "builds.start": { input: StartBuildInput, output: Build },
  "builds.describe": { input: ByToken, output: closed({ build: nullable(Build) }) },
  "builds.cancel": { input: ByToken, output: Nothing },
  "builds.logs": { input: LogInput, output: LogPage },
  "releases.start": { input: ReleaseInput, output: Release },
  "releases.describe": { input: ByToken, output: closed({ release: nullable(Release) }) },
  "releases.cancel": { input: ByToken, output: Nothing },
  "releases.health": { input: ByToken, output: closed({ health: nullable(Health) }) },
  "releases.logs": { input: LogInput, output: LogPage },
  "executions.start": { input: ExecutionInput, output: Execution },
  "executions.describe": { input: ByToken, output: closed({ execution: nullable(Execution) }) },
  "executions.cancel": { input: ByToken, output: Nothing },
  "executions.logs": { input: LogInput, output: LogPage },
  "services.remove": { input: Service, output: Nothing },
  "stores.ensure": { input: StoreInput, output: Store },
  "stores.describe": { input: closed({ service: Service }), output: closed({ store: nullable(Store) }) },
  "stores.down": {
    input: closed({
      serviceIds: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 10_000 }),
    }),
    output: closed({
      down: Type.Array(closed({ serviceId: Type.String(), code: Type.String(), message: Type.String() })),
    }),
  },
  "stores.remove": {
    input: closed({ service: Service, snapshot: nullable(Token) }),
    output: closed({ store: nullable(Store) }),
  },
  "snapshots.create": { input: OfStore, output: Snapshot },
  "snapshots.describe": { input: OfStore, output: closed({ snapshot: nullable(Snapshot) }) },
  "snapshots.remove": { input: OfStore, output: Nothing },
  "environments.activity": {
    input: closed({ environmentIds: Type.Array(EnvironmentId, { maxItems: 10_000 }) }),
    output: closed({ activities: Type.Array(Activity) }),
  },
  "environments.sleep": {
    input: closed({ environmentId: EnvironmentId, usedAt: Type.Number() }),
    output: closed({ activity: nullable(Activity) }),
  },
} as const;

export const OPERATIONS = {
  "identity.verify": { input: Nothing, output: closed({ accountId: Type.String() }) },
  "certificates.request": {
    input: closed({
      names: Type.Array(Type.String(), { minItems: 1 }),
      token: Type.String({ minLength: 1 }),
    }),
    output: Id,
  },
  "certificates.describe": {
    input: Id,
    output: closed({ certificate: nullable(Certificate) }),
  },
  "certificates.list": {
    input: Nothing,
    output: closed({
      certificates: Type.Array(closed({ id: Type.String(), names: Type.Array(Type.String()) })),
    }),
  },
  "certificates.delete": {
    input: Id,
    output: closed({ result: Type.Enum(["deleted", "in-use"]) }),
  },
  "distributions.create": {
    input: closed({
      token: Type.String({ minLength: 1 }),
      origin: Origin,
      access: Type.Optional(PreviewAccess),
    }),
    output: Distribution,
  },
  "distributions.describe": {
    input: Id,
    output: closed({ distribution: nullable(Distribution) }),
  },
  "distributions.update": {
    input: closed({
      id: Type.String(),
      aliases: Type.Array(Type.String()),
      certificateId: nullable(Type.String()),
      enabled: Type.Boolean(),
      origin: Type.Optional(RepositoryOrigin),
      redirects: Type.Optional(Type.Record(Type.String(), Type.String())),
      access: Type.Optional(PreviewAccess),
      routes: Type.Optional(Type.Record(Type.String(), Route)),
      etag: Type.String(),
    }),
    output: Distribution,
  },
  "distributions.delete": {
    input: closed({ id: Type.String(), etag: Type.String() }),
    output: closed({ result: Type.Enum(["deleted", "not-ready"]) }),
  },
  "distributions.traffic": {
    input: closed({ ids: Type.Array(Type.String()), since: Type.Number() }),
    output: Traffic,
  },
  "parameters.put": { input: Write, output: Reference },
  "parameters.delete": { input: Where, output: Nothing },
  "secrets.put": { input: Write, output: Reference },
  "secrets.delete": { input: Where, output: Nothing },
  "zones.find": {
    input: closed({ name: Type.String() }),
    output: closed({
      zones: Type.Array(closed({ id: Type.String(), nameServers: Type.Array(Type.String()) })),
    }),
  },
  "zones.look": {
    input: closed({ id: Type.String(), names: Type.Array(Type.String()) }),
    output: closed({
      found: Type.Array(Type.Array(closed({ type: Type.String(), values: Type.Array(Type.String()) }))),
    }),
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
export const Call = closed({
  roleArn: Type.String(),
  externalId: nullable(Type.String()),
  input: Type.Unknown(),
});

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
