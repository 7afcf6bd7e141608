/**
 * What each type of service is configured with. The schema of a configuration, the TypeScript types and the check of
 * stored rows are all made from these declarations.
 */
import { type Static, type TProperties, Type } from "typebox";
import { Check } from "typebox/value";
import { STORE_SIZES } from "../../cloud/data-stores.ts";
import {
  AUTOSCALING_DEFAULT,
  HEALTH_CHECK_DEFAULTS,
  LOG_RETENTION_DAYS,
  LOG_RETENTION_DEFAULT,
} from "../../cloud/platform.ts";
import { ONE_LINE } from "../../lib/shown-text.ts";
import { SERVICES_PER_ENVIRONMENT_MAX } from "./limits.ts";

const CONFIG_ID = "^[a-zA-Z0-9][a-zA-Z0-9_-]*$";
export const IS_CONFIG_ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,59}$/;

/** An id that a configuration gives. */
export function ConfigId(options: { readonly description?: string; readonly examples?: string[] } = {}) {
  return Type.String({
    minLength: 1,
    maxLength: 60,
    pattern: CONFIG_ID,
    examples: ["web"],
    ...options,
  });
}

/** A folder or file path of a repository, without `.` and `..`, that needs no quotes in a shell. */
const FOLDER = "^(?!(?:.*/)?\\.{1,2}(?:/|$))[\\w@.+-]+(?:/[\\w@.+-]+)*$";

const FOLDER_OR_ROOT = `^\\.$|${FOLDER}`;

const OF_REPOSITORY = {
  basePath: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: FOLDER,
      description:
        "The folder of the repository where the commands run and `outputDirectory` is, for a repository with several services; the root by default.",
      examples: ["apps/web"],
    }),
  ),
  watchPaths: Type.Optional(
    Type.Immutable(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        minItems: 1,
        maxItems: 50,
        description:
          "A push builds the service only if it changes one of these files since the commit that the service runs; by default, each push does. `*` and `**` stand for any text, as in file names.",
        examples: [["apps/web/**", "package-lock.json"]],
      }),
    ),
  ),
};

/** As Docker writes it: a registry, a path, and a tag or a digest or both. Registry and path are not checked further. */
const IMAGE_NAME =
  "^(?:[a-zA-Z0-9-]+(?:(?:\\.[a-zA-Z0-9-]+)+|(?=:))(?::[0-9]{1,5})?/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$";

const IMAGE = {
  image: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: IMAGE_NAME,
      description:
        "A container image that runs instead of a build of the repository, with its own command unless there is a `startCommand`. It is public, or in ECR of the account. Each release runs the digest that a tag (default `latest`) had when it was deployed. On AWS only.",
      examples: ["ghcr.io/acme/api:1.4"],
    }),
  ),
};

const BUILD_COMMANDS = {
  installCommand: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description:
        "A command that runs in `basePath` before `buildCommand`, such as an installation of packages.",
      examples: ["npm ci"],
    }),
  ),
  buildCommand: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: "The build command, run in `basePath`.",
      examples: ["npm ci && npm run build"],
    }),
  ),
};

/** In characters; of a list, with a character between two words. */
export const COMMAND_LENGTH_MAX = 4096;
export const COMMAND_WORDS_MAX = 256;

function Command(description: string, example: string) {
  return Type.Union(
    [
      Type.String({
        minLength: 1,
        maxLength: COMMAND_LENGTH_MAX,
        description: "A line for a shell.",
        examples: [example],
      }),
      Type.Immutable(
        Type.Array(Type.String({ maxLength: COMMAND_LENGTH_MAX, examples: ["node"] }), {
          minItems: 1,
          maxItems: COMMAND_WORDS_MAX,
          description: "A program and its arguments, which are passed on as they are, without a shell.",
          examples: [example.split(" ")],
        }),
      ),
    ],
    {
      description: `${description} A line for a shell, or a list of a program and its arguments, which are passed on as they are.`,
      examples: [example],
    },
  );
}

const RUN_COMMANDS = {
  startCommand: Type.Optional(
    Command("The command that starts the service; only with `image`, it may be left out.", "node server.js"),
  ),
  preDeployCommand: Type.Optional(
    Command(
      "A command that runs once in `basePath` of the new release, with its variables, before it replaces the running one. If it fails or takes more than 30 minutes, the release fails. On AWS, the image needs `sh`.",
      "npm run migrate",
    ),
  ),
  postDeployCommand: Type.Optional(
    Command(
      "A command that runs once in `basePath` of the new release, with its variables, after it went live. If it fails or takes more than 60 minutes, the deployment says so, and the release stays live. On AWS, the image needs `sh`.",
      "npm run warm-up",
    ),
  ),
};

const SIZE = {
  cpu: Type.Number({
    minimum: 0.25,
    maximum: 16,
    default: 0.25,
    description: "Virtual CPUs of an instance.",
  }),
  memoryGb: Type.Number({
    minimum: 0.5,
    maximum: 120,
    default: 0.5,
    description: "Memory of an instance, in GiB.",
  }),
  minInstances: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 1,
    description: "The minimum number of instances.",
  }),
  maxInstances: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: "The maximum number of instances under load; `minInstances` by default.",
    examples: [2],
  }),
};

const DOCKERFILE = {
  dockerfilePath: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: FOLDER,
      description:
        "The Dockerfile that builds the service, relative to `basePath`; by default `Dockerfile`, if there is one. On AWS only: other clouds build no Dockerfiles.",
      examples: ["docker/web.Dockerfile"],
    }),
  ),
  dockerContext: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: FOLDER_OR_ROOT,
      description:
        "The folder whose files the build of the Dockerfile sees, relative to the root of the repository; `.` for the root. By default, `basePath`. The Dockerfile may be outside of it. On AWS only.",
      examples: ["."],
    }),
  ),
};

const BUILT = { ...IMAGE, ...OF_REPOSITORY, ...DOCKERFILE, ...BUILD_COMMANDS };

const LOG_RETENTION = {
  logRetentionDays: Type.Optional(
    Type.Integer({
      title: "LogRetentionDays",
      enum: LOG_RETENTION_DAYS,
      default: LOG_RETENTION_DEFAULT,
      description:
        "For how many days the output of instances is kept; on AWS only. Elsewhere, logs are kept by size.",
    }),
  ),
};

const THRESHOLDS = {
  cpuThreshold: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: "The average CPU usage of the instances, in percent.",
      examples: [60],
    }),
  ),
  memoryThreshold: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: "The average memory usage of the instances, in percent.",
      examples: [75],
    }),
  ),
};

const REQUESTS_PER_TARGET = {
  requestsPerTarget: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: "Requests a minute to each instance.",
      examples: [1_000],
    }),
  ),
};

function autoscalingOf<T extends TProperties>(thresholds: T, title: string) {
  return Type.Optional(
    Type.Object(thresholds, {
      title,
      additionalProperties: false,
      minProperties: 1,
      description: `When instances are added, up to \`maxInstances\`: when one of these values is exceeded. They are removed, down to \`minInstances\`, when all allow it. By default, \`cpuThreshold\` is ${AUTOSCALING_DEFAULT.cpuThreshold}. On AWS only.`,
    }),
  );
}

const DEPENDS_ON = {
  dependsOn: Type.Immutable(
    Type.Array(ConfigId(), {
      maxItems: SERVICES_PER_ENVIRONMENT_MAX,
      uniqueItems: true,
      description: "Services of the environment that are released before this one.",
      examples: [[]],
    }),
  ),
};

const REFERENCES = [
  Type.Object(
    {
      fromParameterStore: Type.String({
        description: "The parameter's path.",
        examples: ["/acme/production/database-password"],
      }),
    },
    {
      title: "ValueFromParameterStore",
      description: "A parameter in Parameter Store that you manage.",
      additionalProperties: false,
    },
  ),
  Type.Object(
    {
      fromSecretsManager: Type.String({
        description: "The secret's name or ARN; an ARN may end with `:KEY::` of a JSON secret.",
        examples: ["acme/production/database-password"],
      }),
    },
    {
      title: "ValueFromSecretsManager",
      description: "A secret in Secrets Manager that you manage.",
      additionalProperties: false,
    },
  ),
] as const;

const REFERENCE_EXAMPLE = { fromSecretsManager: "acme/production/database-password" };

/** Never the value itself. */
function SecretValue(title: string, description: string) {
  return Type.Optional(Type.Union([...REFERENCES], { title, description, examples: [REFERENCE_EXAMPLE] }));
}

function TextValue(title: string, description: string, example: string) {
  const text = Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: ONE_LINE,
    description: "The value itself.",
  });
  return Type.Optional(Type.Union([text, ...REFERENCES], { title, description, examples: [example] }));
}

const STORE_PORT = Type.Optional(
  Type.Union(
    [
      Type.Integer({ minimum: 1, maximum: 65_535, description: "The port itself.", examples: [5432] }),
      ...REFERENCES,
    ],
    {
      title: "DataStorePort",
      description: "The port; by default, 5432 of PostgreSQL, 3306 of MySQL, and 6379 of Redis.",
      examples: [5432],
    },
  ),
);

const STORE_HOST = TextValue(
  "DataStoreHost",
  "The host name or IP address at which services of the environment reach the data store.",
  "db.acme.example",
);

function Existing<T extends TProperties>(title: string, values: T) {
  return {
    existing: Type.Optional(
      Type.Object(values, {
        title,
        description:
          "Where an existing data store is. Slipway never changes or deletes it. Each value is text, or a reference to a value in the cloud account; secrets are always references. Without it, Slipway creates the data store, if the cloud allows that.",
        additionalProperties: false,
      }),
    ),
    deletionProtection: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Whether Slipway refuses to delete a data store that it created. Apply `false` before its removal, which deletes its data after a last snapshot. Not in a template of previews, whose data stores are deleted with them.",
      }),
    ),
  };
}

/** @param versions major versions */
function Created(engine: string, versions: string[]) {
  return {
    version: Type.Optional(
      Type.Enum(versions, {
        title: `${engine}Version`,
        description:
          "The major version of a data store that Slipway creates; by default, the platform chooses it. It cannot change after the data store is created.",
        examples: [versions.at(-1)],
      }),
    ),
    size: Type.Optional(
      Type.Enum([...STORE_SIZES], {
        title: `${engine}Size`,
        description:
          "The memory of a data store that Slipway creates: 1, 2, 4, 8 or 16 GiB; `micro` by default. On AWS only.",
        examples: ["small"],
      }),
    ),
    snapshot: Type.Optional(
      Type.String({
        pattern: "^snap_[0-9a-z]{26}$",
        description:
          "The snapshot from which Slipway creates the data store, of the same type, cloud account and region. It has an effect only when the data store is created, and may be removed afterwards. By default, the data store is empty.",
        examples: ["snap_01kahza1r6v0y4c8g2j5m9p3s7"],
      }),
    ),
  };
}

const CREATED_DATABASE = {
  storageGb: Type.Optional(
    Type.Integer({
      minimum: 20,
      maximum: 16_384,
      description:
        "The storage of a data store that Slipway creates, in GiB. It cannot decrease. On AWS only.",
      examples: [20],
    }),
  ),
  backupRetentionDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 35,
      description:
        "For how many days daily backups of a data store that Slipway creates are kept. On AWS only.",
      examples: [7],
    }),
  ),
};

function database(title: string) {
  return Existing(title, {
    host: STORE_HOST,
    port: STORE_PORT,
    dbName: TextValue("DatabaseName", "The database's name.", "shop"),
    username: TextValue("DatabaseUsername", "The name of the user as which services sign in.", "shop"),
    password: SecretValue("DatabasePassword", "Where the user's password is."),
    dbConnectionString: SecretValue(
      "DatabaseConnectionString",
      "Where the whole connection string is; by default, it is put together from the other values. AWS cannot put together one with a password.",
    ),
  });
}
/** Of a service. */
export const JOBS_MAX = 100;
export const SCHEDULE_LENGTH_MAX = 255;
export const JOB_DEFAULTS = {
  timezone: "UTC",
  timeoutMinutes: 60,
  retries: 0,
  overlap: "forbid",
  missed: "skip",
} as const;
export const JOB_OVERLAPS = ["forbid", "queue", "replace"] as const;
export const JOB_MISSED = ["skip", "runOnce"] as const;

const JOB = Type.Object(
  {
    command: Type.String({
      minLength: 1,
      maxLength: COMMAND_LENGTH_MAX,
      description: "A line for a shell, run in `basePath` of the live release, with the service's variables.",
      examples: ["node nightly.js"],
    }),
    schedule: Type.String({
      minLength: 1,
      maxLength: SCHEDULE_LENGTH_MAX,
      description:
        "When it starts, in the five fields of cron: minute, hour, day, month, weekday (0 is Sunday). Numbers, `*`, lists, ranges and steps; no names.",
      examples: ["30 3 * * 1-5"],
    }),
    timezone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        default: JOB_DEFAULTS.timezone,
        description:
          "The time zone of the schedule. A start in an hour that is skipped happens once, at the next minute that exists; one in an hour that occurs twice happens once. With `*` as the hour, it follows elapsed time.",
        examples: ["Europe/Berlin"],
      }),
    ),
    timeoutMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_440,
        default: JOB_DEFAULTS.timeoutMinutes,
        description: "The number of minutes after which the command is stopped, and has failed.",
      }),
    ),
    retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5,
        default: JOB_DEFAULTS.retries,
        description:
          "How often a scheduled start is repeated if it fails: after 30 seconds, and then each time after twice the time.",
      }),
    ),
    overlap: Type.Optional(
      Type.Enum([...JOB_OVERLAPS], {
        title: "JobOverlap",
        default: JOB_DEFAULTS.overlap,
        description:
          "What happens if the job still runs at its next start. `forbid`: that start is skipped. `queue`: it waits until the job has ended; at most one start waits. `replace`: the running job is cancelled first.",
      }),
    ),
    missed: Type.Optional(
      Type.Enum([...JOB_MISSED], {
        title: "JobMissed",
        default: JOB_DEFAULTS.missed,
        description:
          "What happens to starts that were due while Slipway did not run. `skip`: they are recorded as missed. `runOnce`: the last of them runs later.",
      }),
    ),
  },
  {
    title: "JobConfiguration",
    additionalProperties: false,
    description: "A command that runs on a schedule.",
  },
);

/** Its defaults are `JOB_DEFAULTS`. */
export type JobSettings = Readonly<Static<typeof JOB>>;

/** Those of AWS's load balancers; a longer grace period would reach the limit of a release. */
export const HEALTH_CHECK_LIMITS = {
  healthCheckIntervalSeconds: { minimum: 5, maximum: 300 },
  healthCheckTimeoutSeconds: { minimum: 2, maximum: 120 },
  healthCheckGracePeriodSeconds: { minimum: 10, maximum: 1_800 },
} as const;

const SERVER = {
  written: {
    ...BUILT,
    ...RUN_COMMANDS,
    port: Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: "The port where the server listens.",
      examples: [3000],
    }),
    healthCheckIntervalSeconds: Type.Optional(
      Type.Integer({
        ...HEALTH_CHECK_LIMITS.healthCheckIntervalSeconds,
        description: `Seconds from one health check to the next; on AWS ${HEALTH_CHECK_DEFAULTS.intervalSeconds} by default, elsewhere at most 1.`,
        examples: [30],
      }),
    ),
    healthCheckTimeoutSeconds: Type.Optional(
      Type.Integer({
        ...HEALTH_CHECK_LIMITS.healthCheckTimeoutSeconds,
        default: HEALTH_CHECK_DEFAULTS.timeoutSeconds,
        description:
          "Seconds within which the server must answer a health check; less than `healthCheckIntervalSeconds`.",
      }),
    ),
    healthCheckGracePeriodSeconds: Type.Optional(
      Type.Integer({
        ...HEALTH_CHECK_LIMITS.healthCheckGracePeriodSeconds,
        default: HEALTH_CHECK_DEFAULTS.gracePeriodSeconds,
        description: "Seconds that a server may take to become healthy after its start.",
      }),
    ),
    ...LOG_RETENTION,
    autoscaling: autoscalingOf({ ...THRESHOLDS, ...REQUESTS_PER_TARGET }, "Autoscaling"),
  },
  filledIn: {
    ...SIZE,
    healthCheckPath: Type.String({
      maxLength: 1024,
      pattern: "^/[!-~]*$",
      default: "/",
      description: "A path that answers 2xx or 3xx while the server is healthy.",
    }),
    ...DEPENDS_ON,
  },
};

/**
 * By type: the fields as they are written, and the fields that a configuration may leave out and a service always has
 * (`filledIn`).
 */
export const SERVICE_FIELDS = {
  static: {
    description: "Files that are served as they are.",
    written: {
      ...OF_REPOSITORY,
      ...BUILD_COMMANDS,
      outputDirectory: Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "The folder with the files, relative to `basePath`; `.` for that folder itself.",
        examples: ["public"],
      }),
      singlePageApp: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            "Whether the files are a single-page app: each address whose last part has no dot is answered with `index.html` and 200, except below `/.well-known/`.",
        }),
      ),
    },
    filledIn: DEPENDS_ON,
  },
  web: { description: "A server that answers HTTP.", ...SERVER },
  "web-private": {
    description: "A server without a public address, for other services of its environment.",
    ...SERVER,
  },
  worker: {
    description: "A background process that takes no requests.",
    written: {
      ...BUILT,
      ...RUN_COMMANDS,
      ...LOG_RETENTION,
      autoscaling: autoscalingOf(THRESHOLDS, "WorkerAutoscaling"),
    },
    filledIn: { ...SIZE, ...DEPENDS_ON },
  },
  scheduler: {
    description: "Commands that run on schedules, in the files of one build.",
    written: {
      ...BUILT,
      ...LOG_RETENTION,
      jobs: Type.Unsafe<Readonly<Record<string, JobSettings>>>({
        type: "object",
        minProperties: 1,
        maxProperties: JOBS_MAX,
        additionalProperties: JOB,
        title: "JobsConfiguration",
        description: `The jobs by their ids: letters, digits, \`_\` and \`-\`, at most 60 characters. At most ${JOBS_MAX}.`,
        examples: [{ nightly: { command: "node nightly.js", schedule: "0 3 * * *" } }],
      }),
    },
    filledIn: { cpu: SIZE.cpu, memoryGb: SIZE.memoryGb, ...DEPENDS_ON },
  },
  external: {
    description: "A service that runs elsewhere and gets custom domains from Slipway.",
    written: {
      hostname: Type.String({
        minLength: 1,
        maxLength: 260,
        description: "The host name where it answers HTTPS, with a port if it is not 443.",
        examples: ["shop.acme.example"],
      }),
    },
    filledIn: DEPENDS_ON,
  },
  postgres: {
    description: "A PostgreSQL database.",
    written: {
      ...database("ExistingPostgres"),
      ...Created("Postgres", ["14", "15", "16", "17", "18"]),
      ...CREATED_DATABASE,
    },
    filledIn: DEPENDS_ON,
  },
  mysql: {
    description: "A MySQL or MariaDB database.",
    written: { ...database("ExistingMysql"), ...Created("Mysql", ["8.0", "8.4"]), ...CREATED_DATABASE },
    filledIn: DEPENDS_ON,
  },
  redis: {
    description: "A Redis or Valkey cache.",
    written: {
      ...Existing("ExistingRedis", {
        host: STORE_HOST,
        port: STORE_PORT,
        tls: Type.Optional(
          Type.Boolean({
            default: false,
            description: "Whether connections use TLS: the connection string begins with `rediss://`.",
          }),
        ),
        authToken: SecretValue("RedisAuthToken", "Where the password of the cache is."),
        connectionString: SecretValue(
          "RedisConnectionString",
          "Where the whole connection string is; by default, it is put together from the other values. AWS cannot put together one with a password.",
        ),
      }),
      ...Created("Redis", ["7", "8"]),
    },
    filledIn: DEPENDS_ON,
  },
  bucket: {
    description: "An S3 bucket.",
    written: Existing("ExistingBucket", {
      bucketName: TextValue("BucketName", "The name of the bucket.", "acme-shop-uploads"),
    }),
    filledIn: DEPENDS_ON,
  },
};

function settingsSchema<W extends TProperties, F extends TProperties>(fields: {
  readonly written: W;
  readonly filledIn: F;
}) {
  return Type.Object({ ...fields.written, ...fields.filledIn });
}

const SETTINGS = {
  static: settingsSchema(SERVICE_FIELDS.static),
  web: settingsSchema(SERVICE_FIELDS.web),
  "web-private": settingsSchema(SERVICE_FIELDS["web-private"]),
  worker: settingsSchema(SERVICE_FIELDS.worker),
  scheduler: settingsSchema(SERVICE_FIELDS.scheduler),
  external: settingsSchema(SERVICE_FIELDS.external),
  postgres: settingsSchema(SERVICE_FIELDS.postgres),
  mysql: settingsSchema(SERVICE_FIELDS.mysql),
  redis: settingsSchema(SERVICE_FIELDS.redis),
  bucket: settingsSchema(SERVICE_FIELDS.bucket),
  previews: settingsSchema({ written: {}, filledIn: DEPENDS_ON }),
};

/** A type of service with the settings that belong to it. */
export type TypedSettings = {
  [T in keyof typeof SETTINGS]: {
    readonly type: T;
    readonly settings: Readonly<Static<(typeof SETTINGS)[T]>>;
  };
}[keyof typeof SETTINGS];

/** Whether the settings are those of the type. A limit that becomes stricter needs a migration of the stored rows. Pure. */
export function isTypedSettings<
  T extends { readonly type: keyof typeof SETTINGS; readonly settings: unknown },
>(value: T): value is T & TypedSettings {
  return Check(SETTINGS[value.type], value.settings);
}
