/**
 * The one call of IAM that the adapter makes. The SDK's own client of IAM is 13 MB for it, so the call is
 * described here and the client of STS sends it: both speak AWS's Query protocol, and differ in version,
 * address and the name in the signature.
 * https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
 */
import { GetCallerIdentityCommand, STSClient, type STSClientConfig } from "@aws-sdk/client-sts";
import { GLOBAL_REGION } from "./apis.ts";
import { FLAG, NUMBER, shapesOf, TEXT, TEXTS } from "./shapes.ts";

/** A question to IAM: may this role do these, to this thing, in a request with these condition keys? */
export type Simulation = {
  readonly roleArn: string;
  readonly actions: readonly string[];
  readonly resource: string;
  readonly context: Readonly<Record<string, string>>;
};

/** What IAM says of one action. */
export type Evaluation = {
  readonly EvalActionName?: string;
  readonly EvalDecision?: string;
  /** Keys that a policy asks for and that the question did not tell. */
  readonly MissingContextValues?: readonly string[];
  readonly OrganizationsDecisionDetail?: { readonly AllowedByOrganizations?: boolean };
};

const NAMESPACE = "com.amazonaws.iam";

const { structure, listOf, operation } = shapesOf(NAMESPACE);

const REQUEST = structure("SimulatePrincipalPolicyRequest", {
  PolicySourceArn: TEXT,
  ActionNames: TEXTS,
  ResourceArns: TEXTS,
  ContextEntries: listOf(
    "ContextEntryListType",
    structure("ContextEntry", { ContextKeyName: TEXT, ContextKeyValues: TEXTS, ContextKeyType: TEXT }),
  ),
  MaxItems: NUMBER,
});
const RESPONSE = structure("SimulatePolicyResponse", {
  EvaluationResults: listOf(
    "EvaluationResultsListType",
    structure("EvaluationResult", {
      EvalActionName: TEXT,
      EvalDecision: TEXT,
      MissingContextValues: TEXTS,
      OrganizationsDecisionDetail: structure("OrganizationsDecisionDetail", { AllowedByOrganizations: FLAG }),
    }),
  ),
});
const OPERATION = operation("SimulatePrincipalPolicy", REQUEST, RESPONSE);

class SimulatePrincipalPolicyCommand extends GetCallerIdentityCommand {
  override resolveMiddlewareWithContext(
    ...[stack, config, options, command]: Parameters<GetCallerIdentityCommand["resolveMiddlewareWithContext"]>
  ): ReturnType<GetCallerIdentityCommand["resolveMiddlewareWithContext"]> {
    const smithyContext = { ...command.smithyContext, operation: OPERATION[2], operationSchema: OPERATION };
    return super.resolveMiddlewareWithContext(stack, config, options, { ...command, smithyContext });
  }
}

/** @param config as for any client of the SDK; `AWS_ENDPOINT_URL_IAM` is read like those of other services */
export function makeIamClient(config: STSClientConfig): STSClient {
  const iam = {
    serviceId: "IAM",
    protocolSettings: {
      defaultNamespace: NAMESPACE,
      xmlNamespace: "https://iam.amazonaws.com/doc/2010-05-08/",
      version: "2010-05-08",
    },
    endpointProvider: ({ Endpoint }: { readonly Endpoint?: string | undefined }) => ({
      url: new URL(Endpoint ?? "https://iam.amazonaws.com"),
      headers: {},
      properties: {
        authSchemes: [{ name: "sigv4", signingName: "iam", signingRegion: GLOBAL_REGION, properties: {} }],
      },
    }),
  };
  return new STSClient({ ...config, ...iam });
}

/** Undefined where the answer was none. */
export async function simulate(
  iam: STSClient,
  { roleArn, actions, resource, context }: Simulation,
  options: { abortSignal: AbortSignal },
): Promise<readonly Evaluation[] | undefined> {
  const command = new SimulatePrincipalPolicyCommand({
    PolicySourceArn: roleArn,
    ActionNames: actions,
    ResourceArns: [resource],
    ContextEntries: Object.entries(context).map(([name, value]) => ({
      ContextKeyName: name,
      ContextKeyValues: [value],
      ContextKeyType: "string",
    })),
    MaxItems: 1_000,
  });
  const answer: object = await iam.send(command, options);
  return (answer as { readonly EvaluationResults?: readonly Evaluation[] }).EvaluationResults;
}
