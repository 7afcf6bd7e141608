import { type TUnsafe, Type } from "typebox";
import { type Link, NAME_PATTERN, VARIABLES_PER_REQUEST_MAX } from "./groups.ts";

/** An object of texts by name. */
function Texts(
  description: string,
  example: Readonly<Record<string, string>>,
): TUnsafe<Readonly<Record<string, string>>> {
  return Type.Unsafe({
    type: "object",
    additionalProperties: { type: "string" },
    description,
    examples: [example],
  });
}

export const LINK = {
  type: "object",
  title: "ServiceLink",
  description: "A property of another service of the environment.",
  required: ["id", "value"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
      description: "Id of another service of the environment.",
      examples: ["svc_01kahxv3q2c8w5k1r7d4m9t6hn"],
    },
    value: { type: "string", description: "Its property: `url`, `host` or `port`.", examples: ["url"] },
  },
};

/** The body of the requests that set variables. */
export const GROUPS = {
  plainText: Type.Optional(
    Texts("Stored by Slipway as plain text, at most 32 KiB each.", { LOG_LEVEL: "info" }),
  ),
  parameterStore: Type.Optional(
    Texts("Secrets, at most 4 KiB each. Slipway stores them in Parameter Store of the cloud account.", {
      SESSION_KEY: "a-long-random-text",
    }),
  ),
  secretsManager: Type.Optional(
    Texts("Secrets, at most 64 KiB each. Slipway stores them in Secrets Manager of the cloud account.", {
      DATABASE_PASSWORD: "another-long-random-text",
    }),
  ),
  fromParameterStore: Type.Optional(
    Texts("Paths of parameters that you manage.", { FEATURE_FLAGS: "/acme/production/feature-flags" }),
  ),
  fromSecretsManager: Type.Optional(
    Texts("Names or ARNs of secrets that you manage.", { API_TOKEN: "acme/production/api-token" }),
  ),
  fromService: Type.Optional(
    Type.Unsafe<Readonly<Record<string, Link>>>({
      type: "object",
      additionalProperties: LINK,
      description: "Values of other services of the environment.",
      examples: [{ API_URL: { id: "svc_01kahxv3q2c8w5k1r7d4m9t6hn", value: "url" } }],
    }),
  ),
};

export const REPLACE_VARIABLES = {
  title: "ReplaceEnvVariablesRequest",
  description: "Variables, grouped by how they are stored. A name may be in one group only.",
};

/** Variables to set, with names to delete: a whole change is one request. */
export const CHANGES = {
  ...GROUPS,
  delete: Type.Optional(
    Type.Array(Type.String({ pattern: NAME_PATTERN }), {
      maxItems: VARIABLES_PER_REQUEST_MAX,
      description:
        "Names of variables to delete in the same transaction. All of them must have been set with the API.",
      examples: [[]],
    }),
  ),
};

export const SET_VARIABLES = {
  title: "SetEnvVariablesRequest",
  description:
    "Variables, grouped by how they are stored, and names of others to delete. A name may be in one place only.",
};
