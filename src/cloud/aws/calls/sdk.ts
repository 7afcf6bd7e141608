/** Creates the SDK's clients for this adapter. */
import { LRUCache } from "lru-cache";
import { ACMClient } from "@aws-sdk/client-acm";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudFrontClient } from "@aws-sdk/client-cloudfront";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { CodeBuildClient } from "@aws-sdk/client-codebuild";
import { ECRClient } from "@aws-sdk/client-ecr";
import { Route53Client } from "@aws-sdk/client-route-53";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SSMClient } from "@aws-sdk/client-ssm";
import { STSClient } from "@aws-sdk/client-sts";
import { GLOBAL_REGION, type Service } from "./apis.ts";

/** Short-lived credentials of a customer's role. Must not be logged. */
export type Session = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiration: Date;
};

/** A command of any of the SDK's clients. */
export type Command<Output> = {
  readonly resolveMiddleware: (...parts: never[]) => (input: never) => Promise<{ readonly output: Output }>;
};

/** A client, for the commands of its service only. */
export type Client = {
  send<Output>(command: Command<Output>, options: { readonly abortSignal: AbortSignal }): Promise<Output>;
};

export type Sdk = {
  /** Uses our own credentials, as the SDK's default chain finds them. */
  readonly own: STSClient;
  /** Uses the credentials of a session. */
  stsOf(session: Session): STSClient;
  clientOf(service: Service, region: string, session: Session): Promise<Client>;
};

type ClientConfig = {
  region: string;
  credentials: Session;
  requestHandler: STSClient["config"]["requestHandler"];
  maxAttempts: number;
  endpoint?: string;
};

const MAKE: Readonly<Record<Service, (config: ClientConfig) => Client | Promise<Client>>> = {
  acm: (config) => new ACMClient(config),
  cloudfront: (config) => new CloudFrontClient(config),
  ssm: (config) => new SSMClient(config),
  secretsmanager: (config) => new SecretsManagerClient(config),
  cloudformation: (config) => new CloudFormationClient(config),
  codebuild: (config) => new CodeBuildClient(config),
  ecr: (config) => new ECRClient(config),
  logs: (config) => new CloudWatchLogsClient(config),
  route53: (config) => new Route53Client(config),
  // An emulator has a single host for all buckets.
  s3: (config) => new S3Client({ ...config, forcePathStyle: config.endpoint !== undefined }),
  // Large and seldom needed, so it is loaded at the first call.
  ecs: async (config) => new (await import("@aws-sdk/client-ecs")).ECSClient(config),
  elasticache: async (config) => new (await import("@aws-sdk/client-elasticache")).ElastiCacheClient(config),
  iam: async (config) => new (await import("@aws-sdk/client-iam")).IAMClient(config),
  lambda: async (config) => new (await import("@aws-sdk/client-lambda")).LambdaClient(config),
  rds: async (config) => new (await import("@aws-sdk/client-rds")).RDSClient(config),
};

/** One client per session, service and region; the oldest are removed. */
const MAX_CLIENTS = 500;

/** @param options.endpoint null: `AWS_ENDPOINT_URL`, or AWS itself */
export function createSdk(options: { endpoint: string | null }): Sdk {
  const common = {
    // The call policy retries: the SDK mistakes ACM's quota error for throttling, and ignores `TooManyUpdates`.
    maxAttempts: 1,
    ...(options.endpoint === null ? {} : { endpoint: options.endpoint }),
  };
  const own = new STSClient({
    ...common,
    region: GLOBAL_REGION,
    requestHandler: {
      connectionTimeout: 3_000,
      httpsAgent: { maxSockets: 200 },
      httpAgent: { maxSockets: 200 },
    },
  });
  // All clients share its connections.
  const { requestHandler } = own.config;
  const clients = new LRUCache<string, Client>({ max: MAX_CLIENTS });

  return {
    own,
    stsOf: (credentials) => new STSClient({ ...common, region: GLOBAL_REGION, requestHandler, credentials }),
    async clientOf(service, region, session) {
      const key = `${session.accessKeyId}/${service}/${region}`;
      const known = clients.get(key);
      if (known !== undefined) return known;
      const client = await MAKE[service]({ ...common, region, requestHandler, credentials: session });
      clients.set(key, client);
      return client;
    },
  };
}
