/**
 * What the customer does and sees in its own account: moto, past all rules and faults. Without the SDK, so
 * that what the adapter wrote is looked at with other eyes.
 */
import { VERSIONS } from "./platform/store-rules.ts";

type Where = { readonly region: string; readonly name: string };
type Managed = { readonly value: string; readonly versionCount: number };

export type Customer = {
  putParameter(where: Where, value: string): Promise<void>;
  putSecret(where: Where, value: string): Promise<void>;
  /** To a new repository of ECR. @returns the digest */
  pushImage(where: Where, tag: string): Promise<string>;
  parameter(where: Where): Promise<Managed | null>;
  /** Null also while it is scheduled for deletion. */
  secret(where: Where): Promise<Managed | null>;
  scheduleSecretDeletion(where: Where): Promise<void>;
  /** @returns its id */
  createZone(zone: { readonly name: string; readonly isPrivate?: boolean }): Promise<string>;
  setZoneRecords(
    zoneId: string,
    records: readonly { readonly name: string; readonly type: "TXT"; readonly value: string }[],
  ): Promise<void>;
  /** With their paths. */
  roleNames(): Promise<readonly string[]>;
  certificateArns(): Promise<readonly string[]>;
  distributionIds(): Promise<readonly string[]>;
  /** ARNs of the resources of a region with the tag of an environment, sorted. */
  ofEnvironment(environmentId: string, region: string): Promise<readonly string[]>;
  /** Host and path of each. */
  distributionOrigins(): Promise<readonly string[]>;
};

const GLOBAL = "us-east-1";
const TARGETS = {
  acm: "CertificateManager",
  ssm: "AmazonSSM",
  secretsmanager: "secretsmanager",
  ecr: "AmazonEC2ContainerRegistry_V20150921",
  tagging: "ResourceGroupsTaggingAPI_20170126",
} as const;

const authorization = (accessKeyId: string, region: string, service: string) =>
  `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=none`;

/** Anyone may assume any role at moto, which is how one chooses an account there. */
async function accessKeyOf(motoUrl: string, roleArn: string): Promise<string> {
  const assumed = await fetch(motoUrl, {
    method: "POST",
    headers: { authorization: authorization("test", GLOBAL, "sts") },
    body: new URLSearchParams({
      Action: "AssumeRole",
      Version: "2011-06-15",
      RoleArn: roleArn,
      RoleSessionName: "customer",
    }),
  });
  return /<AccessKeyId>([^<]+)</.exec(await assumed.text())?.[1] ?? "";
}

/** Sends calls of AWS's query protocol to moto, in the account of a role. @returns the text of the answer */
export async function ofMoto(motoUrl: string, roleArn: string, region: string) {
  const accessKeyId = await accessKeyOf(motoUrl, roleArn);
  return async (
    service: keyof typeof VERSIONS,
    Action: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const response = await fetch(motoUrl, {
      method: "POST",
      headers: { authorization: authorization(accessKeyId, region, service) },
      body: new URLSearchParams({ Action, Version: VERSIONS[service], ...fields }),
    });
    return await response.text();
  };
}

export async function customerOf(motoUrl: string, roleArn: string): Promise<Customer> {
  const accessKeyId = await accessKeyOf(motoUrl, roleArn);

  /** Null if the requested resource does not exist. */
  async function ask(
    service: keyof typeof TARGETS,
    operation: string,
    region: string,
    input: object,
    missing?: string,
  ): Promise<Answer | null> {
    const response = await fetch(motoUrl, {
      method: "POST",
      headers: {
        authorization: authorization(accessKeyId, region, service),
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": `${TARGETS[service]}.${operation}`,
      },
      body: JSON.stringify(input),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text === "" ? "{}" : text) as Answer;
    if (missing !== undefined && text.includes(missing)) return null;
    throw new Error(`${operation}: ${response.status} ${text}`);
  }

  async function listDistributions(): Promise<string> {
    const response = await fetch(`${motoUrl}/2020-05-31/distribution`, {
      headers: {
        authorization: authorization(accessKeyId, GLOBAL, "cloudfront"),
        host: "cloudfront.amazonaws.com",
      },
    });
    return await response.text();
  }

  async function askRoute53(path: string, body: string): Promise<string> {
    const headers = { authorization: authorization(accessKeyId, GLOBAL, "route53") };
    const response = await fetch(`${motoUrl}/2013-04-01/hostedzone${path}`, {
      method: "POST",
      headers,
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  }

  return {
    async createZone({ name, isPrivate = false }) {
      const vpc = isPrivate ? "<VPC><VPCId>vpc-1</VPCId><VPCRegion>us-east-1</VPCRegion></VPC>" : "";
      const config = `<HostedZoneConfig><PrivateZone>${isPrivate}</PrivateZone></HostedZoneConfig>`;
      const request = `<Name>${name}</Name>${vpc}<CallerReference>${crypto.randomUUID()}</CallerReference>${config}`;
      const text = await askRoute53("", `<CreateHostedZoneRequest>${request}</CreateHostedZoneRequest>`);
      return /<Id>\/hostedzone\/([^<]+)</.exec(text)?.[1] ?? "";
    },
    async setZoneRecords(zoneId, records) {
      const changes = records.map(
        ({ name, type, value }) =>
          `<Change><Action>CREATE</Action><ResourceRecordSet><Name>${name}</Name><Type>${type}</Type><TTL>60</TTL><ResourceRecords><ResourceRecord><Value>"${value}"</Value></ResourceRecord></ResourceRecords></ResourceRecordSet></Change>`,
      );
      const batch = `<ChangeBatch><Changes>${changes.join("")}</Changes></ChangeBatch>`;
      await askRoute53(
        `/${zoneId}/rrset/`,
        `<ChangeResourceRecordSetsRequest>${batch}</ChangeResourceRecordSetsRequest>`,
      );
    },
    async putParameter({ region, name }, value) {
      await ask("ssm", "PutParameter", region, { Name: name, Value: value, Type: "SecureString" });
    },
    async pushImage({ region, name: repositoryName }, imageTag) {
      await ask("ecr", "CreateRepository", region, { repositoryName });
      const digest = `sha256:${"0".repeat(64)}`;
      const type = "application/vnd.docker.distribution.manifest.v2+json";
      const config = { mediaType: "application/vnd.docker.container.image.v1+json", size: 1, digest };
      const layer = { mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip", size: 1, digest };
      const imageManifest = JSON.stringify({ schemaVersion: 2, mediaType: type, config, layers: [layer] });
      const answer = await ask("ecr", "PutImage", region, { repositoryName, imageTag, imageManifest });
      return (answer as unknown as { image: { imageId: { imageDigest: string } } }).image.imageId.imageDigest;
    },
    async putSecret({ region, name }, value) {
      const ClientRequestToken = crypto.randomUUID();
      await ask("secretsmanager", "CreateSecret", region, {
        Name: name,
        SecretString: value,
        ClientRequestToken,
      });
    },
    async parameter({ region, name }) {
      const input = { Name: name, WithDecryption: true };
      const found = await ask("ssm", "GetParameter", region, input, "ParameterNotFound");
      if (found === null) return null;
      return { value: found.Parameter?.Value ?? "", versionCount: found.Parameter?.Version ?? 0 };
    },
    async secret({ region, name }) {
      const input = { SecretId: name };
      const described = await ask("secretsmanager", "DescribeSecret", region, input, "ResourceNotFound");
      if (described === null || (described.DeletedDate ?? null) !== null) return null;
      const read = await ask("secretsmanager", "GetSecretValue", region, input);
      const listed = await ask("secretsmanager", "ListSecretVersionIds", region, {
        ...input,
        IncludeDeprecated: true,
      });
      return { value: read?.SecretString ?? "", versionCount: listed?.Versions?.length ?? 0 };
    },
    async scheduleSecretDeletion({ region, name }) {
      await ask("secretsmanager", "DeleteSecret", region, { SecretId: name, RecoveryWindowInDays: 7 });
    },
    async roleNames() {
      const response = await fetch(motoUrl, {
        method: "POST",
        headers: { authorization: authorization(accessKeyId, GLOBAL, "iam") },
        body: new URLSearchParams({ Action: "ListRoles", Version: "2010-05-08" }),
      });
      const roles = (await response.text()).matchAll(/:role(\/[^<]+)<\/Arn>/g);
      return [...roles].map(([, name = ""]) => name);
    },
    async certificateArns() {
      const listed = await ask("acm", "ListCertificates", GLOBAL, {});
      return (listed?.CertificateSummaryList ?? []).map(({ CertificateArn }) => CertificateArn);
    },
    async ofEnvironment(environmentId, region) {
      const TagFilters = [{ Key: "slipway:environment", Values: [environmentId] }];
      const found = await ask("tagging", "GetResources", region, { TagFilters });
      return (found?.ResourceTagMappingList ?? []).map(({ ResourceARN }) => ResourceARN).toSorted();
    },
    async distributionOrigins() {
      const xml = await listDistributions();
      const origins = xml.matchAll(/<Origin>(.*?)<\/Origin>/gs);
      const read = (origin: string, tag: string) => new RegExp(`<${tag}>([^<]*)<`).exec(origin)?.[1] ?? "";
      return [...origins].map(([, origin = ""]) => read(origin, "DomainName") + read(origin, "OriginPath"));
    },
    async distributionIds() {
      const xml = await listDistributions();
      return [...xml.matchAll(/<DistributionSummary>.*?<Id>([^<]+)<\/Id>/gs)].map((match) => match[1] ?? "");
    },
  };
}

type Answer = {
  readonly Parameter?: { readonly Value: string; readonly Version: number };
  readonly SecretString?: string;
  readonly DeletedDate?: number | null;
  readonly Versions?: readonly unknown[];
  readonly CertificateSummaryList?: readonly { readonly CertificateArn: string }[];
  readonly ResourceTagMappingList?: readonly { readonly ResourceARN: string }[];
};
