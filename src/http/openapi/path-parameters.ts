import { type TSchema, type TUnsafe, Type } from "typebox";
import { EXAMPLE_IDS } from "../schemas.ts";

/** What each `:name` of a path means, so that it reads the same everywhere. */
const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly example: string }>> =
  {
    apiKeyId: { description: "The `id` of the API key.", example: EXAMPLE_IDS.key },
    awsAccountId: {
      description: "The `id` of the cloud account connection, or its `givenId`.",
      example: EXAMPLE_IDS.aws,
    },
    deliveryId: { description: "The `id` of the delivery.", example: EXAMPLE_IDS.whd },
    deploymentId: { description: "The `id` of the deployment.", example: EXAMPLE_IDS.depl },
    previewId: { description: "The `id` of the preview.", example: EXAMPLE_IDS.prev },
    domainGroupId: { description: "The `id` of the domain certificate group.", example: EXAMPLE_IDS.group },
    domainId: { description: "The `id` of the domain.", example: EXAMPLE_IDS.dom },
    environmentId: { description: "The `id` of the environment.", example: EXAMPLE_IDS.env },
    snapshotId: { description: "The `id` of the snapshot.", example: EXAMPLE_IDS.snap },
    executionId: { description: "The `id` of the execution.", example: EXAMPLE_IDS.exec },
    gitIntegrationId: { description: "The `id` of the git integration.", example: EXAMPLE_IDS.git },
    jobGivenId: { description: "The id of the job in the configuration.", example: "nightly" },
    invalidationId: { description: "The `id` of the invalidation.", example: EXAMPLE_IDS.inv },
    managedDomainId: { description: "The `id` of the domain.", example: EXAMPLE_IDS.dom },
    name: { description: "The name of the variable.", example: "DATABASE_PASSWORD" },
    previewKey: {
      description: "A name of your choice for the preview: lower-case letters, digits and `-`, at most 40.",
      example: "change-4711",
    },
    projectId: { description: "The `id` of the project.", example: EXAMPLE_IDS.proj },
    serviceId: { description: "The `id` of the service.", example: EXAMPLE_IDS.svc },
    notificationChannelId: { description: "The `id` of the notification channel.", example: EXAMPLE_IDS.nch },
    webhookEndpointId: { description: "The `id` of the webhook endpoint.", example: EXAMPLE_IDS.whe },
    sessionId: {
      description: "The `id` of the session; `current` for the one of the request.",
      example: EXAMPLE_IDS.ses,
    },
    shareLinkId: { description: "The `id` of the share link.", example: EXAMPLE_IDS.share },
    workloadTrustId: { description: "The `id` of the workload trust.", example: EXAMPLE_IDS.trust },
    userId: { description: "The `id` of the user.", example: EXAMPLE_IDS.user },
  };

/** The schema of a path's parameters. @throws when a parameter is not described above */
export function pathParametersOf(path: string): TSchema {
  const names = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name ?? "");
  return Type.Object(Object.fromEntries(names.map((name) => [name, parameter(name)])));
}

function parameter(name: string): TUnsafe<string> {
  const known = PATH_PARAMETERS[name];
  if (known === undefined) throw new Error(`Describe the path parameter ${name} in path-parameters.ts.`);
  return Type.Unsafe({ type: "string", description: known.description, examples: [known.example] });
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters of a path, such as `userId` of `/v1/users/:userId`. */
export type Params<Path extends string> = { readonly [Name in ParamNames<Path>]: string };
