/** Checks a release before anything is changed for it, so that it fails at once with a reason. */
import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { DescribeParametersCommand } from "@aws-sdk/client-ssm";
import { CloudError, type CloudAccount } from "../../../cloud.ts";
import type {
  ReleaseRequest,
  ObservedRelease,
  RuntimeVariable,
  ValueReference,
  WorkloadSize,
} from "../../../platform.ts";
import { type Call, required } from "../../calls/calls.ts";
import { findImage, hasFiles } from "../artifacts.ts";
import { fargateSize } from "./templates/fargate-size.ts";
import { isRegistryImage, namesOf } from "./names.ts";

type Failure = NonNullable<ObservedRelease["failure"]>;

/** CloudFormation would resolve such a text instead of passing it on. */
const DYNAMIC_REFERENCE = "{{resolve:";

/** The failure for the first managed variable that cannot be resolved; null if there is none. */
export async function findLostVariable(
  call: Call,
  account: CloudAccount,
  region: string,
  variables: readonly RuntimeVariable[],
): Promise<Failure | null> {
  for (const variable of variables) {
    if (variable.kind === "plainText") continue;
    // Configurations and links with one are refused; a database may have been in use with another cloud.
    if (variable.kind === "joined") {
      const message = `The variable ${variable.name} is put together from references, which AWS cannot do. Refer to a secret that has the whole connection string.`;
      return { code: "VARIABLE_NOT_ALLOWED", message };
    }
    if (await leadsSomewhere(call, account, region, variable)) continue;
    const message = `The variable ${variable.name} refers to ${variable.reference}, which the account does not have in ${region}.`;
    return { code: "VARIABLE_NOT_FOUND", message };
  }
  return null;
}

export function findWrongSize(size: Pick<WorkloadSize, "cpu" | "memoryGb">): Failure | null {
  if (fargateSize(size) !== null) return null;
  const message = `Fargate has no instances of ${size.cpu} vCPU with ${size.memoryGb} GiB.`;
  return { code: "SIZE_NOT_AVAILABLE", message };
}

/** Why the release is impossible; null if nothing prevents it. */
export async function findObstacle(
  call: Call,
  account: CloudAccount,
  request: ReleaseRequest,
): Promise<Failure | null> {
  const { workload, variables, service } = request;
  const wrongSize = workload.type === "static" ? null : findWrongSize(workload.size);
  if (wrongSize !== null) return wrongSize;
  if (!(await hasArtifact(call, account, request))) {
    const message = "The build's artifact no longer exists. Deploy the commit again.";
    return { code: "ARTIFACT_NOT_FOUND", message };
  }
  // A static site has no variables.
  if (workload.type === "static") return null;
  const trick = variables.find((one) => one.kind === "plainText" && one.value.includes(DYNAMIC_REFERENCE));
  if (trick !== undefined) {
    const message = `The value of the variable ${trick.name} contains ${DYNAMIC_REFERENCE}, which CloudFormation would replace.`;
    return { code: "VARIABLE_NOT_ALLOWED", message };
  }
  return await findLostVariable(call, account, service.region, variables);
}

async function hasArtifact(call: Call, account: CloudAccount, request: ReleaseRequest): Promise<boolean> {
  const { workload, artifact, service } = request;
  const names = namesOf(account, service);
  if (workload.type === "static") {
    return await hasFiles(call, account, { bucket: names.files, region: service.region }, artifact);
  }
  // ECS finds out whether it still exists.
  if (isRegistryImage(artifact)) return true;
  if (!/^sha256:[0-9a-f]{64}$/.test(artifact)) return false;
  const imageDigest = artifact;
  return (await findImage(call, account, service.region, names.project, { imageDigest })) !== null;
}

async function leadsSomewhere(
  call: Call,
  account: CloudAccount,
  region: string,
  { kind, reference }: ValueReference,
): Promise<boolean> {
  return await (kind === "fromSecretsManager"
    ? hasSecret(call, account, region, reference)
    : hasParameter(call, account, region, reference));
}

async function hasSecret(
  call: Call,
  account: CloudAccount,
  region: string,
  SecretId: string,
): Promise<boolean> {
  const command = new DescribeSecretCommand({ SecretId });
  const answer = await call(account, "secretsmanager:DescribeSecret", command, region).catch(
    (error: unknown) => {
      if (error instanceof CloudError && (error.kind === "gone" || error.kind === "invalid")) return null;
      throw error;
    },
  );
  return answer !== null && answer.DeletedDate === undefined;
}

async function hasParameter(
  call: Call,
  account: CloudAccount,
  region: string,
  reference: string,
): Promise<boolean> {
  const api = "ssm:DescribeParameters";
  // The name of `arn:…:parameter/a/b` is `/a/b`; that of `arn:…:parameter/a` may be `a` as well.
  const path = reference.startsWith("arn:")
    ? reference.slice(reference.indexOf(":parameter/") + 10)
    : reference;
  const Values = path.lastIndexOf("/") === 0 ? [path, path.slice(1)] : [path];
  const command = new DescribeParametersCommand({ ParameterFilters: [{ Key: "Name", Values }] });
  const answer = await call(account, api, command, region);
  return required(answer.Parameters, api).length > 0;
}
