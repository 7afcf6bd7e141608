/**
 * CloudFront's rules that moto lacks: ETags that move and are checked, a deploy lag, aliases that are on
 * one distribution only and need a certificate, and deletion only of a distribution that is
 * disabled and deployed.
 */
import { randomBytes } from "node:crypto";
import { type AwsAnswer, type AwsRequest, distributionIdOf, refusal } from "./request.ts";

const DEPLOY_LAG_MS = 40;
const MAX_ALIASES = 100;
const MAX_ORIGINS = 100;

type Distribution = {
  readonly accountId: string;
  etag: string;
  aliases: readonly string[];
  certificateArn: string | null;
  isEnabled: boolean;
  /** moto forgets it. */
  functionArn: string | null;
  /** As they came; moto forgets VPC origins. */
  originsXml: string;
  /** The services' origins. */
  origins: readonly Edge[];
  /** What edges may still use until the change is deployed. */
  before: readonly Edge[];
  changedAt: number;
};

/** Where an edge sends the requests of a distribution. */
export type Edge = {
  readonly serviceId: string;
  readonly host: string;
  readonly vpcOriginId: string | null;
  readonly headers: Readonly<Record<string, string>>;
};

export type DistributionRules = {
  isCertificateInUse(arn: string): boolean;
  isFunctionInUse(arn: string): boolean;
  /** The configurations that edges may use at this moment, of the services' distributions. */
  edges(accountId: string): readonly Edge[];
  /** The last configuration of each distribution. */
  list(accountId: string): readonly Pick<Distribution, "aliases" | "functionArn" | "origins" | "isEnabled">[];
  before(request: AwsRequest, accountId: string): AwsAnswer | null;
  after(request: AwsRequest, answer: AwsAnswer, accountId: string): AwsAnswer;
};

export function createDistributionRules(
  covers: (arn: string, accountId: string, aliases: readonly string[]) => boolean,
  isFunctionLive: (arn: string) => boolean,
): DistributionRules {
  const distributions = new Map<string, Distribution>();
  /** By distribution and caller reference, whose invalidation moto would make again. */
  const invalidations = new Map<string, AwsAnswer>();

  function find(request: AwsRequest, accountId: string): Distribution | undefined {
    const found = distributions.get(distributionIdOf(request));
    return found?.accountId === accountId ? found : undefined;
  }

  function checkUpdate(request: AwsRequest, present: Distribution): AwsAnswer | null {
    const { api } = request;
    const wanted = configIn(request.body);
    // The functions of static sites come with stacks, which this emulator only plays.
    const isOwn = wanted.functionArn?.includes(`function/slipway-${distributionIdOf(request)}-`) === true;
    if (isOwn && !isFunctionLive(wanted.functionArn ?? ""))
      return refusal(api, 400, "InvalidFunctionAssociation", "The function is not published.");
    if (wanted.originsXml.split("<Origin>").length - 1 > MAX_ORIGINS)
      return refusal(api, 400, "TooManyOrigins", "Too many origins.");
    if (wanted.aliases.length > MAX_ALIASES) {
      return refusal(api, 400, "TooManyDistributionCNAMEs", "Too many CNAMEs.");
    }
    if (wanted.aliases.length > 0) {
      const { certificateArn, aliases } = wanted;
      if (certificateArn === null || !covers(certificateArn, present.accountId, aliases)) {
        return refusal(api, 400, "InvalidViewerCertificate", "You must attach a trusted certificate.");
      }
      const isTaken = [...distributions].some(
        ([id, other]) =>
          id !== distributionIdOf(request) && other.aliases.some((alias) => aliases.includes(alias)),
      );
      if (isTaken) return refusal(api, 409, "CNAMEAlreadyExists", "One or more of the CNAMEs are in use.");
    }
    return null;
  }

  return {
    isCertificateInUse: (arn) =>
      [...distributions.values()].some(({ certificateArn }) => certificateArn === arn),

    isFunctionInUse: (arn) => [...distributions.values()].some(({ functionArn }) => functionArn === arn),

    edges: (accountId) =>
      [...distributions.values()]
        .filter((one) => one.accountId === accountId)
        .flatMap((one) => (isDeployed(one) ? one.origins : [...one.origins, ...one.before])),

    list: (accountId) => [...distributions.values()].filter((one) => one.accountId === accountId),

    before(request, accountId) {
      const { api } = request;
      if (api === "cloudfront:CreateInvalidation") return invalidations.get(invalidationOf(request)) ?? null;
      if (api !== "cloudfront:UpdateDistribution" && api !== "cloudfront:DeleteDistribution") return null;
      const present = find(request, accountId);
      // moto itself reports that there is none.
      if (present === undefined) return null;
      if (request.headers["if-match"] !== present.etag) {
        return refusal(api, 412, "PreconditionFailed", "The ETag has moved.");
      }
      if (api === "cloudfront:UpdateDistribution") return checkUpdate(request, present);
      if (present.isEnabled || Date.now() - present.changedAt < DEPLOY_LAG_MS) {
        return refusal(api, 409, "DistributionNotDisabled", "The distribution is not disabled.");
      }
      return null;
    },

    after(request, answer, accountId) {
      const { api } = request;
      if (answer.status >= 300) return answer;
      const text = answer.body.toString();
      if (api === "cloudfront:CreateDistribution") {
        const id = /<Id>([^<]+)<\/Id>/.exec(text)?.[1] ?? "";
        const config = configIn(request.body);
        distributions.set(id, {
          accountId,
          etag: newEtag(),
          changedAt: Date.now(),
          before: config.origins,
          ...config,
        });
        return overlay(answer, text, distributions.get(id));
      }
      if (api === "cloudfront:CreateInvalidation") invalidations.set(invalidationOf(request), answer);
      if (api.endsWith("Invalidation")) return answer;
      if (api === "cloudfront:ListDistributions") {
        const body = text.replaceAll(/<DistributionSummary>.*?<\/DistributionSummary>/gs, (summary) => {
          const known = distributions.get(/<Id>([^<]+)<\/Id>/.exec(summary)?.[1] ?? "");
          return known === undefined ? summary : withWhatMotoForgets(summary, known);
        });
        return { ...answer, body: Buffer.from(body) };
      }
      const present = find(request, accountId);
      if (present === undefined) return answer;
      if (api === "cloudfront:DeleteDistribution") distributions.delete(distributionIdOf(request));
      if (api === "cloudfront:UpdateDistribution") {
        const { origins: before } = present;
        Object.assign(present, configIn(request.body), { before, etag: newEtag(), changedAt: Date.now() });
      }
      return overlay(answer, text, present);
    },
  };
}

function invalidationOf(request: AwsRequest): string {
  const reference = /<CallerReference>([^<]+)</.exec(request.body.toString())?.[1] ?? "";
  return `${distributionIdOf(request)} ${reference}`;
}

function isDeployed({ changedAt }: Distribution): boolean {
  return Date.now() - changedAt >= DEPLOY_LAG_MS;
}

function overlay(answer: AwsAnswer, text: string, distribution: Distribution | undefined): AwsAnswer {
  if (distribution === undefined) return answer;
  const status = isDeployed(distribution) ? "Deployed" : "InProgress";
  return {
    status: answer.status,
    headers: { ...answer.headers, etag: distribution.etag },
    body: Buffer.from(
      withWhatMotoForgets(
        text.replace(/<Status>[^<]*<\/Status>/, `<Status>${status}</Status>`),
        distribution,
      ),
    ),
  };
}

function withWhatMotoForgets(from: string, { functionArn, originsXml }: Distribution): string {
  const text = from.replace(/<Origins>.*?<\/Origins>/s, () => originsXml);
  if (functionArn === null) return text;
  const association = `<FunctionAssociations><Quantity>1</Quantity><Items><FunctionAssociation><EventType>viewer-request</EventType><FunctionARN>${functionArn}</FunctionARN></FunctionAssociation></Items></FunctionAssociations>`;
  return text
    .replace(/<FunctionAssociations>.*?<\/FunctionAssociations>/s, "")
    .replace("<DefaultCacheBehavior>", `<DefaultCacheBehavior>${association}`);
}

function newEtag(): string {
  return `E${randomBytes(6).toString("hex").toUpperCase()}`;
}

function configIn(
  body: Buffer,
): Pick<Distribution, "aliases" | "certificateArn" | "isEnabled" | "functionArn" | "originsXml" | "origins"> {
  const xml = body.toString();
  const aliases = /<Aliases>(.*?)<\/Aliases>/s.exec(xml)?.[1] ?? "";
  return {
    aliases: [...aliases.matchAll(/<CNAME>([^<]+)<\/CNAME>/g)].map((match) => match[1] ?? ""),
    originsXml: /<Origins>.*?<\/Origins>/s.exec(xml)?.[0] ?? "",
    origins: originsIn(xml),
    functionArn: /<FunctionARN>([^<]+)</.exec(xml)?.[1] ?? null,
    certificateArn: /<ACMCertificateArn>([^<]+)</.exec(xml)?.[1] ?? null,
    isEnabled: /<DistributionConfig[^>]*>.*<Enabled>true<\/Enabled>/s.test(withoutNested(xml)),
  };
}

function originsIn(xml: string): readonly Edge[] {
  const origins = [...xml.matchAll(/<Origin>(.*?)<\/Origin>/gs)].map((match) => match[1] ?? "");
  return origins
    .filter((origin) => origin.includes("<Id>slipway-") && !origin.includes("<Id>slipway-previews<"))
    .map((own) => {
      const read = (tag: string) => new RegExp(`<${tag}>([^<]*)<`).exec(own)?.[1];
      const headers = own.matchAll(
        /<HeaderName>([^<]+)<\/HeaderName>\s*<HeaderValue>([^<]+)<\/HeaderValue>/g,
      );
      return {
        serviceId: (read("Id") ?? "").replace(/^slipway-/, ""),
        host: read("DomainName") ?? "",
        vpcOriginId: read("VpcOriginId") ?? null,
        headers: Object.fromEntries([...headers].map(([, name = "", value = ""]) => [name, value])),
      };
    });
}

/** Without the elements whose own `Enabled` is another thing. */
function withoutNested(xml: string): string {
  return ["Logging", "OriginShield", "TrustedSigners", "TrustedKeyGroups", "GrpcConfig"].reduce(
    (text, tag) => text.replace(new RegExp(`<${tag}>.*?</${tag}>`, "gs"), ""),
    xml,
  );
}
