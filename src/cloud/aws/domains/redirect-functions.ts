/**
 * Redirects and a preview's access, as a CloudFront function. Each state of them has a function of its own, whose name
 * says which. It is published before the distribution is updated to use it, and deleted when the distribution no longer
 * does. So they change in one update with everything else, and CloudFront says when they are everywhere.
 */
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  DescribeFunctionCommand,
  type DistributionConfig,
  type FunctionAssociation,
  GetDistributionConfigCommand,
  GetFunctionCommand,
  ListFunctionsCommand,
  PublishFunctionCommand,
} from "@aws-sdk/client-cloudfront";
import { CloudError, type CloudAccount } from "../../cloud.ts";
import { accessKeyOf, type PreviewAccess } from "../../preview-access.ts";
import { REDIRECTS_MAX_BYTES, type Redirects, redirectsKeyOf, writeRedirects } from "../../redirects.ts";
import { type Call, required } from "../calls/calls.ts";
import { cloudError, hasName, nullIfGone } from "../calls/errors.ts";
import {
  functionNameOf,
  functionPrefixOf,
  hasAccess,
  keysIn,
  nameIn,
  readViewerFunction,
  type ViewerFunction,
  writeIndexFunction,
  writeViewerFunction,
} from "./viewer-functions.ts";

export const FUNCTION_MAX_BYTES = 10_240;

/** The function for requests of visitors that a distribution has; null without one. */
export function viewerFunctionOf(
  config: Pick<DistributionConfig, "DefaultCacheBehavior"> | undefined,
): string | null {
  const items = config?.DefaultCacheBehavior?.FunctionAssociations?.Items ?? [];
  return items.find(({ EventType }) => EventType === "viewer-request")?.FunctionARN ?? null;
}

/**
 * The configuration with another function for requests of visitors, or without one; all others stay. A function of a
 * preview's access also changes the answers. Pure.
 */
export function withViewerFunction(config: DistributionConfig, arn: string | null): DistributionConfig {
  const { DefaultCacheBehavior: behavior } = config;
  if (behavior === undefined) return config;
  const present = viewerFunctionOf(config);
  const others = (behavior.FunctionAssociations?.Items ?? []).filter(
    ({ EventType, FunctionARN }) =>
      EventType !== "viewer-request" &&
      (EventType !== "viewer-response" || FunctionARN !== present || present === null || !hasAccess(present)),
  );
  const items = [...others, ...associationsOf(arn)];
  const FunctionAssociations = { Quantity: items.length, ...(items.length > 0 ? { Items: items } : {}) };
  return { ...config, DefaultCacheBehavior: { ...behavior, FunctionAssociations } };
}

/** Where a function runs. Pure. */
export function associationsOf(arn: string | null): FunctionAssociation[] {
  if (arn === null) return [];
  const events = hasAccess(arn)
    ? (["viewer-request", "viewer-response"] as const)
    : (["viewer-request"] as const);
  return events.map((EventType) => ({ EventType, FunctionARN: arn }));
}

/** A part that is left out stays as it is. */
export type ViewerState = { readonly redirects?: Redirects; readonly access?: PreviewAccess };

/**
 * The configuration with these redirects and this access, whose function is there now.
 * @throws CloudError `limit` `TOO_MANY_REDIRECTS`; `invalid` `REDIRECTS_REFUSED` if the customer has a function of their own
 */
export async function withViewerState(
  call: Call,
  account: CloudAccount,
  distributionId: string,
  config: DistributionConfig,
  desired: ViewerState,
): Promise<DistributionConfig> {
  const present = viewerFunctionOf(config);
  const keys = keysIn(distributionId, present);
  const redirectsKey = desired.redirects === undefined ? null : redirectsKeyOf(desired.redirects);
  const accessKey = desired.access === undefined ? null : accessKeyOf(desired.access);
  const isSame =
    (desired.redirects === undefined || redirectsKey === (keys?.redirects ?? null)) &&
    (desired.access === undefined || accessKey === keys?.access);
  if (isSame) return config;
  const api = "cloudfront:UpdateDistribution";
  const isOwn = keys !== null;
  // The function of a static site is named by Slipway, too.
  const isIndex = !isOwn && present !== null && nameIn(present).startsWith("slipway-");
  const edgeLambdas = config.DefaultCacheBehavior?.LambdaFunctionAssociations?.Items ?? [];
  const hasLambda = edgeLambdas.some(({ EventType }) => EventType === "viewer-request");
  if (hasLambda || (present !== null && !isOwn && !isIndex)) {
    if (redirectsKey === null && accessKey === null) return config;
    throw cloudError(["invalid", "REDIRECTS_REFUSED"], api);
  }
  const before = isOwn && present !== null ? await readFunction(call, account, nameIn(present)) : null;
  const indexArn = isIndex ? present : (before?.indexArn ?? null);
  const isApp = isIndex ? await isAppFunction(call, account, present) : (before?.isApp ?? false);
  const { redirects = before?.redirects ?? {}, access = before?.access ?? null } = desired;
  if (redirectsKeyOf(redirects) === null && access === null) return withViewerFunction(config, indexArn);
  if (Buffer.byteLength(writeRedirects(redirects)) > REDIRECTS_MAX_BYTES)
    throw cloudError(["limit", "TOO_MANY_REDIRECTS"], api);
  const arn = await ensureFunction(call, account, distributionId, { redirects, access, indexArn, isApp });
  return withViewerFunction(config, arn);
}

/**
 * The function that a distribution is to have when its origin changes: redirects and access stay.
 * @param indexArn the function of the static site that it is to serve; null if it serves none
 */
export async function viewerFunctionFor(
  call: Call,
  account: CloudAccount,
  distributionId: string,
  config: DistributionConfig,
  indexArn: string | null,
): Promise<string | null> {
  const present = viewerFunctionOf(config);
  if (present === null || keysIn(distributionId, present) === null) return indexArn;
  const before = await readFunction(call, account, nameIn(present));
  const isApp = indexArn !== null && (await isAppFunction(call, account, indexArn));
  if (before.indexArn === indexArn && before.isApp === isApp) return present;
  return await ensureFunction(call, account, distributionId, { ...before, indexArn, isApp });
}

/** Deletes the functions of a distribution, except the function that it uses. */
export async function forgetFunctions(
  call: Call,
  account: CloudAccount,
  distributionId: string,
): Promise<void> {
  const prefix = functionPrefixOf(distributionId);
  const names: string[] = [];
  let Marker: string | undefined;
  do {
    const api = "cloudfront:ListFunctions";
    const command = new ListFunctionsCommand({ Stage: "DEVELOPMENT", Marker });
    const { FunctionList } = await call(account, api, command);
    const { Items = [], NextMarker } = required(FunctionList, api);
    names.push(...Items.flatMap(({ Name }) => (Name?.startsWith(prefix) === true ? [Name] : [])));
    Marker = NextMarker === "" ? undefined : NextMarker;
  } while (Marker !== undefined);
  if (names.length === 0) return;
  const used = await usedFunction(call, account, distributionId);
  let inUse: unknown = null;
  for (const name of names) {
    if (name === used) continue;
    await deleteFunction(call, account, name).catch((error: unknown) => {
      if (!isRetryable(error)) throw error;
      inUse = error;
    });
  }
  if (inUse !== null) throw inUse;
}

/**
 * The same after a change of a function, without waiting for edges that still use the one before: a later change, or the
 * next rest, deletes that.
 */
export async function forgetFormerFunctions(
  call: Call,
  account: CloudAccount,
  distributionId: string,
): Promise<void> {
  try {
    await forgetFunctions(call, account, distributionId);
  } catch (error) {
    if (!isRetryable(error)) throw error;
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof CloudError && error.kind === "retryable";
}

async function usedFunction(call: Call, account: CloudAccount, id: string): Promise<string | null> {
  const command = new GetDistributionConfigCommand({ Id: id });
  const api = "cloudfront:GetDistributionConfig";
  const answer = await call(account, api, command).catch(nullIfGone);
  const arn = viewerFunctionOf(answer?.DistributionConfig);
  return arn === null ? null : nameIn(arn);
}

async function deleteFunction(call: Call, account: CloudAccount, Name: string): Promise<void> {
  try {
    const IfMatch = await etagOf(call, account, Name);
    const command = new DeleteFunctionCommand({ Name, IfMatch });
    await call(account, "cloudfront:DeleteFunction", command);
  } catch (error) {
    // The edges have not all let go of it.
    if (hasName(error, "FunctionInUse"))
      throw cloudError(["retryable", "UNAVAILABLE"], "cloudfront:DeleteFunction", { cause: error });
    nullIfGone(error);
  }
}

async function readFunction(call: Call, account: CloudAccount, name: string): Promise<ViewerFunction> {
  return readViewerFunction(await readCode(call, account, name));
}

export async function readCode(call: Call, account: CloudAccount, Name: string): Promise<string> {
  const api = "cloudfront:GetFunction";
  const command = new GetFunctionCommand({ Name, Stage: "LIVE" });
  const { FunctionCode } = await call(account, api, command);
  return Buffer.from(required(FunctionCode, api)).toString();
}

/** Whether the function of a static site, which comes with the service's stack, is that of a single-page app. */
export async function isAppFunction(call: Call, account: CloudAccount, arn: string): Promise<boolean> {
  return (await readCode(call, account, nameIn(arn)).catch(nullIfGone)) === writeIndexFunction(true);
}

async function ensureFunction(
  call: Call,
  account: CloudAccount,
  distributionId: string,
  desired: ViewerFunction,
): Promise<string> {
  const code = writeViewerFunction(desired);
  if (Buffer.byteLength(code) > FUNCTION_MAX_BYTES)
    throw cloudError(["limit", "TOO_MANY_REDIRECTS"], "cloudfront:CreateFunction");
  return await publishFunction(call, account, functionNameOf(distributionId, desired), code);
}

/**
 * @param Name says the code
 * @returns the ARN of the function, which is published
 */
export async function publishFunction(
  call: Call,
  account: CloudAccount,
  Name: string,
  code: string,
): Promise<string> {
  const api = "cloudfront:CreateFunction";
  const command = new CreateFunctionCommand({
    Name,
    FunctionConfig: {
      Comment: "Redirects or access of a distribution of Slipway's",
      Runtime: "cloudfront-js-2.0",
    },
    FunctionCode: Buffer.from(code),
  });
  const made = await call(account, api, command).catch((error: unknown) => {
    if (hasName(error, "FunctionAlreadyExists")) return null;
    throw error;
  });
  const IfMatch = made === null ? await etagOf(call, account, Name) : required(made.ETag, api);
  const publishApi = "cloudfront:PublishFunction";
  const publish = new PublishFunctionCommand({ Name, IfMatch });
  const answer = await call(account, publishApi, publish);
  return required(answer.FunctionSummary?.FunctionMetadata?.FunctionARN, publishApi);
}

async function etagOf(call: Call, account: CloudAccount, Name: string): Promise<string> {
  const api = "cloudfront:DescribeFunction";
  const command = new DescribeFunctionCommand({ Name, Stage: "DEVELOPMENT" });
  const { ETag } = await call(account, api, command);
  return required(ETag, api);
}
