/**
 * The configuration of a project as JSON Schema: the `config` of a `gui` project and the file of an `iac`
 * one. It is published for editors, and it is what `configuration.ts` checks with, so the two cannot differ.
 */
import {
  ENVIRONMENTS_PER_PROJECT_MAX,
  SERVICES_PER_ENVIRONMENT_MAX,
  VARIABLES_PER_SCOPE_MAX,
} from "../projects/limits.ts";
import { DEPLOY_TRIGGERS, SERVICE_TYPES, type ServiceType } from "../projects/project.ts";

const CONFIG_ID = {
  type: "string",
  minLength: 1,
  maxLength: 60,
  pattern: "^[a-zA-Z0-9][a-zA-Z0-9_-]*$",
  examples: ["web"],
};

const VARIABLES = {
  type: "object",
  title: "VariablesConfiguration",
  description:
    "By name: letters, digits and `_`, not beginning with a digit, at most 255 characters. A value is text of at most 32 KiB, or names where the value is. Never put a secret here; set it with the API as `parameterStore` or `secretsManager`.",
  examples: [{ LOG_LEVEL: "info" }],
  maxProperties: VARIABLES_PER_SCOPE_MAX,
  additionalProperties: { $ref: "#/definitions/variable" },
};

const VARIABLE = {
  title: "VariableConfiguration",
  description: "What an environment variable is set to: the value itself, or where the value is.",
  examples: ["info"],
  anyOf: [
    { type: "string", description: "The value itself, stored as plain text." },
    {
      type: "object",
      title: "VariableFromService",
      description: "A property of another service of the same environment.",
      additionalProperties: false,
      required: ["fromService"],
      properties: {
        fromService: {
          type: "object",
          title: "ConfiguredServiceProperty",
          description: "Which service, and which of its properties.",
          additionalProperties: false,
          required: ["id", "value"],
          properties: {
            id: { ...CONFIG_ID, description: "The `id` of the service in this configuration." },
            value: {
              type: "string",
              title: "ServiceProperty",
              description: "`url` or `host`, or `port` of a web service. A worker has none.",
              enum: ["url", "host", "port"],
            },
          },
        },
      },
    },
    {
      type: "object",
      title: "VariableFromParameterStore",
      description: "A parameter in Parameter Store that you manage.",
      additionalProperties: false,
      required: ["fromParameterStore"],
      properties: {
        fromParameterStore: {
          type: "string",
          description: "The parameter's path.",
          examples: ["/acme/production/database-url"],
        },
      },
    },
    {
      type: "object",
      title: "VariableFromSecretsManager",
      description: "A secret in Secrets Manager that you manage.",
      additionalProperties: false,
      required: ["fromSecretsManager"],
      properties: {
        fromSecretsManager: {
          type: "string",
          description: "The secret's name or ARN.",
          examples: ["acme/production/api-token"],
        },
      },
    },
  ],
};

const START_COMMAND = {
  type: "string",
  minLength: 1,
  maxLength: 4096,
  description: "The command that starts the process.",
  examples: ["node server.js"],
};

const BUILD_COMMAND = {
  type: "string",
  minLength: 1,
  maxLength: 4096,
  description: "The command that builds the commit, run at the root of the repository.",
  examples: ["npm ci && npm run build"],
};

const SIZE = {
  cpu: {
    type: "number",
    minimum: 0.25,
    maximum: 16,
    default: 0.25,
    description: "Virtual CPUs of an instance.",
  },
  memoryGb: {
    type: "number",
    minimum: 0.5,
    maximum: 120,
    default: 0.5,
    description: "Memory of an instance, in GiB.",
  },
  minInstances: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    default: 1,
    description: "How many instances run at least.",
  },
  maxInstances: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    description: "How many instances run at most, under load; `minInstances` when left out.",
    examples: [2],
  },
};

/** What each type of service has beside the fields that all have. */
const SETTINGS: Readonly<
  Record<
    ServiceType,
    { description: string; required: readonly string[]; properties: Record<string, object> }
  >
> = {
  static: {
    description: "Files of the repository, served as they are.",
    required: ["outputDirectory"],
    properties: {
      buildCommand: BUILD_COMMAND,
      outputDirectory: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        description: "The folder of the files, from the root of the repository; `.` for the root itself.",
        examples: ["public"],
      },
    },
  },
  web: {
    description: "A server that answers HTTP.",
    required: ["startCommand", "port"],
    properties: {
      buildCommand: BUILD_COMMAND,
      startCommand: START_COMMAND,
      port: {
        type: "integer",
        minimum: 1,
        maximum: 65_535,
        description: "Where the server listens.",
        examples: [3000],
      },
      ...SIZE,
      healthCheckPath: {
        type: "string",
        maxLength: 1024,
        pattern: "^/[!-~]*$",
        default: "/",
        description: "Answers 2xx or 3xx while the server is well.",
      },
    },
  },
  worker: {
    description: "A process that nobody calls.",
    required: ["startCommand"],
    properties: { buildCommand: BUILD_COMMAND, startCommand: START_COMMAND, ...SIZE },
  },
  external: {
    description: "A service deployed elsewhere, to give it custom domains.",
    required: ["hostname"],
    properties: {
      hostname: {
        type: "string",
        minLength: 1,
        maxLength: 260,
        description: "Where it answers HTTPS: a host name, with a port if it is not the usual one.",
        examples: ["shop.acme.example"],
      },
    },
  },
};

function serviceSchema(type: ServiceType): object {
  const { description, required, properties } = SETTINGS[type];
  return {
    type: "object",
    title: `${type.charAt(0).toUpperCase()}${type.slice(1)}ServiceConfiguration`,
    description,
    additionalProperties: false,
    required: ["id", "type", ...required],
    properties: {
      id: { ...CONFIG_ID, description: "Unique in the environment; other services name it by this." },
      name: {
        type: "string",
        minLength: 1,
        pattern: "^$|\\S",
        maxLength: 200,
        description: "Shown in lists; `id` when left out.",
        examples: ["Website"],
      },
      type: { const: type, description },
      ...properties,
      dependsOn: {
        type: "array",
        maxItems: SERVICES_PER_ENVIRONMENT_MAX,
        uniqueItems: true,
        items: CONFIG_ID,
        description: "Services of the environment that are released before this one.",
        examples: [[]],
      },
      envVariables: { $ref: "#/definitions/variables" },
    },
  };
}

const ENVIRONMENT = {
  type: "object",
  title: "EnvironmentConfiguration",
  description: "An environment: a branch of the repository, and the services that it is deployed as.",
  additionalProperties: false,
  required: ["id", "region", "source", "services"],
  properties: {
    id: { ...CONFIG_ID, description: "Unique in the project.", examples: ["production"] },
    name: {
      type: "string",
      minLength: 1,
      pattern: "^$|\\S",
      maxLength: 200,
      description: "Shown in lists; `id` when left out.",
      examples: ["Production"],
    },
    region: {
      type: "string",
      pattern: "^[a-z]{2,4}(-[a-z]{2,12}){1,2}-[1-9]$",
      description: "The AWS region, such as `us-west-2`.",
      examples: ["us-west-2"],
    },
    source: {
      type: "object",
      title: "SourceConfiguration",
      description: "What is deployed, and when.",
      additionalProperties: false,
      required: ["branch"],
      properties: {
        branch: {
          type: "string",
          minLength: 1,
          maxLength: 255,
          description: "The branch that is deployed.",
          examples: ["main"],
        },
        trigger: {
          title: "ConfiguredTrigger",
          enum: DEPLOY_TRIGGERS,
          default: "manual",
          description: "`manual`: when asked for through the API. `push`: when the branch moves.",
        },
      },
    },
    envVariables: { $ref: "#/definitions/variables" },
    services: {
      type: "array",
      minItems: 1,
      maxItems: SERVICES_PER_ENVIRONMENT_MAX,
      description: "The services of the environment.",
      items: {
        type: "object",
        title: "ServiceConfiguration",
        description: "A service; its `type` says which fields it has.",
        required: ["type"],
        discriminator: { propertyName: "type" },
        oneOf: SERVICE_TYPES.map((type) => serviceSchema(type)),
      },
    },
  },
};

/**
 * The titles are the schemas' names in the reference of the API, which shows this as the body's `config`.
 * JSON Schema draft 7, which every editor knows. `discriminator` (OpenAPI) is passed over by those that do not.
 */
export const CONFIGURATION_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "ProjectConfiguration",
  description: "The environments and services of a project.",
  type: "object",
  additionalProperties: false,
  required: ["environments"],
  properties: {
    $schema: {
      type: "string",
      maxLength: 2048,
      description: "For editors: the address of this schema.",
      examples: ["https://slipway.test/schema.json"],
    },
    envVariables: { $ref: "#/definitions/variables" },
    environments: {
      type: "array",
      minItems: 1,
      maxItems: ENVIRONMENTS_PER_PROJECT_MAX,
      description: "The environments of the project.",
      items: ENVIRONMENT,
    },
  },
  definitions: { variables: VARIABLES, variable: VARIABLE },
} as const;
