/**
 * The configuration of a project as JSON Schema: the `config` of a `gui` project and the file of an `iac`
 * one. It is published for editors, and it is what `configuration.ts` checks with, so the two cannot differ. The types
 * of what was written follow from it.
 */
import { ONE_LINE } from "../../lib/shown-text.ts";
import { type Static, type TProperties, Type } from "typebox";
import {
  ENVIRONMENTS_PER_PROJECT_MAX,
  PREVIEWS_MAX,
  SERVICES_PER_ENVIRONMENT_MAX,
  VARIABLES_PER_SCOPE_MAX,
} from "../projects/limits.ts";
import {
  type CONFIGURED_SERVICE_TYPES,
  DEPLOY_TRIGGERS,
  PREVIEW_AUDIENCES,
  REPORTS,
  SERVICE_PROPERTIES,
} from "../projects/project.ts";
import { ConfigId, SERVICE_FIELDS } from "../projects/service-settings.ts";

/** An object that refuses unknown fields by name. */
function Part<T extends TProperties>(properties: T, options: { title: string; description: string }) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

const PROPERTIES = [...new Set(Object.values(SERVICE_PROPERTIES).flat())];

const PREVIEW_VALUE = Type.String({
  description: "The value in previews instead, stored as plain text.",
  examples: ["test-token"],
});

const VARIABLE = Type.Union(
  [
    Type.String({ description: "The value itself, stored as plain text." }),
    Part(
      {
        value: Type.String({ description: "The value itself, stored as plain text.", examples: ["info"] }),
        previewValue: PREVIEW_VALUE,
      },
      {
        title: "VariableWithPreviewValue",
        description: "A value, and another one in previews.",
      },
    ),
    Part(
      {
        fromService: Part(
          {
            id: ConfigId({ description: "The `id` of the service in this configuration." }),
            value: Type.Enum(PROPERTIES, {
              type: "string",
              title: "ServiceProperty",
              description:
                "`url` or `host`, or `port` of a `web` or `web-private` service. Workers and schedulers have none. Of a database `dbConnectionString`, `username`, `password`, `dbName`, `host` or `port`; of a cache `connectionString`, `host`, `port` or `authToken`; of a bucket `bucketName`.",
            }),
          },
          {
            title: "ConfiguredServiceProperty",
            description: "A property of a service.",
          },
        ),
      },
      {
        title: "VariableFromService",
        description: "A property of another service of the same environment.",
      },
    ),
    Part(
      {
        fromParameterStore: Type.String({
          description: "The parameter's path.",
          examples: ["/acme/production/database-url"],
        }),
        previewValue: Type.Optional(PREVIEW_VALUE),
      },
      {
        title: "VariableFromParameterStore",
        description: "A parameter in Parameter Store that you manage.",
      },
    ),
    Part(
      {
        fromSecretsManager: Type.String({
          description: "The secret's name or ARN.",
          examples: ["acme/production/api-token"],
        }),
        previewValue: Type.Optional(PREVIEW_VALUE),
      },
      {
        title: "VariableFromSecretsManager",
        description: "A secret in Secrets Manager that you manage.",
      },
    ),
  ],
  {
    title: "VariableConfiguration",
    description: "The value of an environment variable, or where to read it.",
    examples: ["info"],
  },
);

const VARIABLES = Type.Unsafe<{ readonly [name: string]: Static<typeof VARIABLE> }>({
  type: "object",
  title: "VariablesConfiguration",
  description:
    "By name: letters, digits and `_`, not beginning with a digit, at most 255 characters. A value is text of at most 32 KiB, or says where to read it. Never put a secret here; set it with the API as `parameterStore` or `secretsManager`.",
  examples: [{ LOG_LEVEL: "info" }],
  maxProperties: VARIABLES_PER_SCOPE_MAX,
  additionalProperties: { $ref: "#/definitions/variable" },
});

const ENV_VARIABLES = Type.Optional(
  Type.Unsafe<Static<typeof VARIABLES>>({ $ref: "#/definitions/variables" }),
);

function Name(example: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      pattern: ONE_LINE,
      maxLength: 200,
      description: "Display name; `id` by default.",
      examples: [example],
    }),
  );
}

function Patterns(description: string, example: string) {
  return Type.Array(Type.String({ minLength: 1, pattern: ONE_LINE, maxLength: 255 }), {
    minItems: 1,
    maxItems: 20,
    description,
    examples: [[example]],
  });
}

function serviceSchema<
  const T extends (typeof CONFIGURED_SERVICE_TYPES)[number],
  W extends TProperties,
  F extends TProperties,
>(type: T, fields: { readonly description: string; readonly written: W; readonly filledIn: F }) {
  const { description, written, filledIn } = fields;
  return Part(
    {
      id: ConfigId({ description: "Unique in the environment. Other services refer to it by this id." }),
      name: Name("Website"),
      type: Type.Unsafe<T>({ const: type, description }),
      ...written,
      ...Type.Partial(Type.Object(filledIn)).properties,
      envVariables: ENV_VARIABLES,
    },
    {
      title: `${type.replaceAll(/(?:^|-)./g, (start) => start.replace("-", "").toUpperCase())}ServiceConfiguration`,
      description,
    },
  );
}

const SERVICES = [
  serviceSchema("static", SERVICE_FIELDS.static),
  serviceSchema("web", SERVICE_FIELDS.web),
  serviceSchema("web-private", SERVICE_FIELDS["web-private"]),
  serviceSchema("worker", SERVICE_FIELDS.worker),
  serviceSchema("scheduler", SERVICE_FIELDS.scheduler),
  serviceSchema("external", SERVICE_FIELDS.external),
  serviceSchema("postgres", SERVICE_FIELDS.postgres),
  serviceSchema("mysql", SERVICE_FIELDS.mysql),
  serviceSchema("redis", SERVICE_FIELDS.redis),
  serviceSchema("bucket", SERVICE_FIELDS.bucket),
];

/** A union by `type`. */
const SERVICE = Type.Unsafe<Static<(typeof SERVICES)[number]>>({
  type: "object",
  title: "ServiceConfiguration",
  description: "A service. Its `type` determines its fields.",
  required: ["type"],
  discriminator: { propertyName: "type" },
  oneOf: SERVICES,
});

const ENVIRONMENT = Part(
  {
    id: ConfigId({ description: "Unique in the project.", examples: ["production"] }),
    name: Name("Production"),
    region: Type.String({
      pattern: "^[a-z]{2,4}(-[a-z]{2,12}){1,2}-[1-9]$",
      description: "The AWS region, such as `us-west-2`.",
      examples: ["us-west-2"],
    }),
    source: Part(
      {
        branch: Type.String({
          minLength: 1,
          pattern: ONE_LINE,
          maxLength: 255,
          description: "The branch that is deployed.",
          examples: ["main"],
        }),
        trigger: Type.Optional(
          Type.Enum(DEPLOY_TRIGGERS, {
            title: "ConfiguredTrigger",
            default: "manual",
            description: "`manual`: deployed by an API request. `push`: deployed when the branch moves.",
          }),
        ),
        report: Type.Optional(
          Type.Enum(REPORTS, {
            title: "ConfiguredReport",
            default: "comment",
            description:
              "Feedback at the git host. `comment`: the status of each deployed commit and, for previews, deployments and one comment in the pull request. `deployment`: the same without the comment. `none`: nothing.",
          }),
        ),
        pr: Type.Optional(
          Type.Boolean({
            default: false,
            description:
              "The environment is a template: each pull request gets an environment with its services, a preview. The template itself is not deployed.",
          }),
        ),
        filter: Type.Optional(
          Part(
            {
              labels: Type.Optional(Patterns("The pull request has one of these labels.", "preview")),
              toBranches: Type.Optional(
                Patterns(
                  "The pull request is to be merged into one of these branches; by default, into `branch`.",
                  "main",
                ),
              ),
              fromBranches: Type.Optional(
                Patterns("The branch of the pull request is one of these.", "feature/*"),
              ),
              watchPaths: Type.Optional(
                Patterns(
                  "The pull request changes one of these files. With `trigger: push`: a push builds a service only if it changes one of them since the commit that the service runs.",
                  "web/**",
                ),
              ),
            },
            {
              title: "PreviewFilter",
              description:
                "The pull requests that get a preview, or with `watchPaths` only, the pushes that are deployed. All given lists must match; `*` and `**` stand for any text, as in file names.",
            },
          ),
        ),
        previews: Type.Optional(
          Part(
            {
              max: Type.Optional(
                Type.Integer({
                  minimum: 1,
                  maximum: PREVIEWS_MAX,
                  default: 10,
                  description: "The maximum number of previews at the same time. Others wait.",
                }),
              ),
              lifetimeDays: Type.Optional(
                Type.Integer({
                  minimum: 1,
                  maximum: 90,
                  default: 14,
                  description: "A preview is deleted this many days after its last commit.",
                }),
              ),
              sleepAfterMinutes: Type.Optional(
                Type.Integer({
                  minimum: 5,
                  maximum: 10_080,
                  description:
                    "The processes of a preview are stopped when its web services got no request for this many minutes. The next request starts them again, and is answered by them. By default, they are never stopped.",
                  examples: [30],
                }),
              ),
              access: Type.Optional(
                Type.Enum([...PREVIEW_AUDIENCES], {
                  title: "PreviewAudience",
                  default: "protected",
                  description:
                    "The visitors of previews. `protected`: users of Slipway who see the project, and tests with the bypass secret. `public`: everyone who has the address.",
                }),
              ),
              domain: Type.Optional(
                Type.String({
                  minLength: 1,
                  maxLength: 253,
                  description:
                    "Each HTTP service of a preview gets the name `<service>-<key>.<domain>`, such as `site-pr-12.preview.example.com`. All previews of the template share one distribution and one certificate for `*.<domain>`. By default, each service has a distribution and a name of its own.",
                  examples: ["preview.example.com"],
                }),
              ),
            },
            {
              title: "PreviewLimits",
              description:
                "How many previews there are, for how long, with which names, and who may open them.",
            },
          ),
        ),
      },
      { title: "SourceConfiguration", description: "The branch that is deployed, and when." },
    ),
    envVariables: ENV_VARIABLES,
    services: Type.Array(SERVICE, {
      minItems: 1,
      maxItems: SERVICES_PER_ENVIRONMENT_MAX,
      description: "The services of the environment.",
    }),
  },
  {
    title: "EnvironmentConfiguration",
    description: "An environment: a branch of the repository and the services that are deployed from it.",
  },
);

const CONFIGURATION = Part(
  {
    $schema: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: "The address of this schema, for editors.",
        examples: ["https://slipway.test/schema.json"],
      }),
    ),
    envVariables: ENV_VARIABLES,
    environments: Type.Array(ENVIRONMENT, {
      minItems: 1,
      maxItems: ENVIRONMENTS_PER_PROJECT_MAX,
      description: "The environments of the project.",
    }),
  },
  { title: "ProjectConfiguration", description: "The environments and services of a project." },
);

/** A configuration that the schema accepts, as it was written. */
export type RawConfiguration = Static<typeof CONFIGURATION>;
export type RawService = Static<typeof SERVICE>;
export type RawVariables = Static<typeof VARIABLES>;
export type RawValue = Static<typeof VARIABLE>;

/**
 * The titles are the schemas' names in the reference of the API, which shows this as the body's `config`.
 * JSON Schema draft 7, which every editor knows. Editors that do not know `discriminator` (OpenAPI) ignore it.
 */
export const CONFIGURATION_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  ...CONFIGURATION,
  definitions: { variables: VARIABLES, variable: VARIABLE },
};
