/**
 * Slipway's records of builds and releases in an account: small JSON documents in a bucket of the account. Callers
 * have only a token, and the provider knows a token for minutes (CodeBuild: five). So the records permanently say
 * which build or release a token created, and where. Writes are conditional.
 */
import {
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { member } from "../../../lib/json/is-object.ts";
import type { CloudAccount } from "../../cloud.ts";
import type { ObservedRelease, PlatformService, ReleaseRequest } from "../../platform.ts";
import { GLOBAL_REGION } from "../calls/apis.ts";
import { type Call, required } from "../calls/calls.ts";
import { cloudError, hasName, nullIfGone } from "../calls/errors.ts";
import { tokenDigest } from "../calls/tags.ts";
import type { Target } from "../domains/service-origin.ts";
import { recordsBucketOf } from "./stacks/names.ts";

export type Stored<T> = { readonly value: T; readonly etag: string };

export type ReleaseRecord = ReleaseRequest & {
  readonly requestedAtMs: number;
  readonly failure: ObservedRelease["failure"];
  /** The distributions point to it. It is live once all edges know. */
  readonly isPointed: boolean;
  readonly url: string | null;
  /** Its `preDeployCommand` has ended with success. */
  readonly isPrepared?: boolean;
};

/** The desired release (`wanted`) and the live one. This document is authoritative for all releases of a service. */
export type ServiceRecord = {
  readonly service: PlatformService;
  /** Digests of tokens. */
  readonly wanted: string | null;
  readonly live: string | null;
  /** Where its distributions point, or will point next. New distributions start with it. */
  readonly target: Target | null;
  /** The distribution that is shown as the address of a static service: its first one. */
  readonly domain: string | null;
};

export type Records = {
  /** The stored value. Only its region is checked. */
  read<T>(account: CloudAccount, key: string): Promise<Stored<T> | null>;
  /**
   * @param etag the ETag of the document to replace; null: there must be none yet
   * @throws CloudError `retryable` if another worker has written first
   */
  write<T>(account: CloudAccount, key: string, value: T, etag: string | null): Promise<Stored<T>>;
  list(account: CloudAccount, prefix: string): Promise<readonly string[]>;
  /** Succeeds for keys that do not exist. */
  delete(account: CloudAccount, keys: readonly string[]): Promise<void>;
  /** Stores a template that is too large for a call. @returns its address */
  putTemplate(account: CloudAccount, template: string): Promise<string>;
};

export const buildKey = (token: string) => `builds/${tokenDigest(token)}.json`;
export const executionKey = (token: string) => `executions/${tokenDigest(token)}.json`;
export const releaseKey = (token: string) => releaseKeyOf(tokenDigest(token));
/** @param digest of its token */
export const releaseKeyOf = (digest: string) => `releases/${digest}.json`;
export const servicesPrefix = "services/";
export const serviceKey = (serviceId: string) => `${servicesPrefix}${tokenDigest(serviceId)}.json`;
/** What the services of a network share (`balancers/places.ts`). */
export const networkKey = (networkId: string) => `networks/${tokenDigest(networkId)}.json`;
export const storeKey = (storeId: string) => `stores/${tokenDigest(storeId)}.json`;
export const snapshotKey = (token: string) => `snapshots/${tokenDigest(token)}.json`;
/** Records that a document belongs to a service, so that removing the service finds it. */
export const memberKey = (serviceId: string, key: string) => `${membersPrefix(serviceId)}${key}`;
export const membersPrefix = (serviceId: string) => `members/${tokenDigest(serviceId)}/`;

export function createRecords(call: Call): Records {
  async function put(
    account: CloudAccount,
    Key: string,
    Body: string,
    condition: { IfMatch?: string; IfNoneMatch?: string },
  ): Promise<string> {
    const api = "s3:PutObject";
    const Bucket = recordsBucketOf(account);
    const command = new PutObjectCommand({
      Bucket,
      Key,
      Body,
      ContentType: "application/json",
      ExpectedBucketOwner: account.accountId,
      ...condition,
    });
    try {
      const { ETag } = await call(account, api, command);
      return required(ETag, api);
    } catch (error) {
      if (!hasName(error, "NoSuchBucket")) throw error;
      await call(account, "s3:CreateBucket", new CreateBucketCommand({ Bucket }));
      const { ETag } = await call(account, api, command);
      return required(ETag, api);
    }
  }

  return {
    async read<T>(account: CloudAccount, key: string): Promise<Stored<T> | null> {
      const api = "s3:GetObject";
      const command = new GetObjectCommand({
        Bucket: recordsBucketOf(account),
        Key: key,
        ExpectedBucketOwner: account.accountId,
      });
      const found = await call(account, api, command, GLOBAL_REGION, {
        read: async ({ Body, ETag }) => ({
          text: await required(Body, api).transformToString(),
          etag: required(ETag, api),
        }),
      }).catch(nullIfGone);
      return found && { value: parse(found.text) as T, etag: found.etag };
    },

    async write<T>(account: CloudAccount, key: string, value: T, etag: string | null) {
      const condition = etag === null ? { IfNoneMatch: "*" } : { IfMatch: etag };
      try {
        return { value, etag: await put(account, key, JSON.stringify(value), condition) };
      } catch (error) {
        const isLost = hasName(error, "PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey");
        if (!isLost) throw error;
        const message = "Another worker has just changed Slipway's record of this.";
        throw cloudError(["retryable", "UNAVAILABLE"], "s3:PutObject", { message, cause: error });
      }
    },

    async list(account, prefix) {
      return await listKeys(call, account, {
        bucket: recordsBucketOf(account),
        prefix,
        region: GLOBAL_REGION,
      });
    },

    async delete(account, keys) {
      const place = { bucket: recordsBucketOf(account), region: GLOBAL_REGION };
      await deleteKeys(call, account, place, keys).catch(nullIfGone);
    },

    async putTemplate(account, template) {
      const key = `templates/${tokenDigest(template)}.json`;
      await put(account, key, template, {});
      return `https://${recordsBucketOf(account)}.s3.${GLOBAL_REGION}.amazonaws.com/${key}`;
    },
  };
}

type Place = { readonly bucket: string; readonly region: string };

/** The keys in a bucket below a prefix; empty if the bucket does not exist. */
export async function listKeys(
  call: Call,
  account: CloudAccount,
  place: Place & { readonly prefix: string; readonly limit?: number },
): Promise<readonly string[]> {
  const { bucket, prefix, region, limit = Number.POSITIVE_INFINITY } = place;
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      ContinuationToken: token,
      MaxKeys: Math.min(limit, 1_000),
      ExpectedBucketOwner: account.accountId,
    });
    const page = await call(account, "s3:ListBucket", command, region).catch(nullIfGone);
    if (page === null) return keys;
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key);
    token = required(page.KeyCount, "s3:ListBucket") > 0 ? page.NextContinuationToken : undefined;
  } while (token !== undefined && keys.length < limit);
  return keys;
}

/** The maximum number of keys in one delete call. */
const KEYS_AT_ONCE = 1_000;

/** Deletes everything in a bucket. A bucket that does not exist counts as empty. @throws CloudError */
export async function emptyBucket(call: Call, account: CloudAccount, place: Place): Promise<void> {
  await deleteKeys(call, account, place, await listKeys(call, account, { ...place, prefix: "" }));
}

async function deleteKeys(
  call: Call,
  account: CloudAccount,
  place: Place,
  keys: readonly string[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    const api = "s3:DeleteObject";
    const command = new DeleteObjectsCommand({
      Bucket: place.bucket,
      Delete: { Objects: keys.slice(from, from + KEYS_AT_ONCE).map((Key) => ({ Key })), Quiet: true },
      ExpectedBucketOwner: account.accountId,
    });
    const { Errors = [] } = await call(account, api, command, place.region);
    if (Errors.length === 0) continue;
    const message = `S3 did not delete ${Errors.length} of the files of ${place.bucket}: ${Errors[0]?.Code}.`;
    throw cloudError(["retryable", "UNAVAILABLE"], api, { message });
  }
}

/** The bucket is the customer's, who may have written anything. The region becomes part of a host name, so check it. */
function parse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const region = member(member(value, "service"), "region");
  if (typeof region !== "string" || !/^[a-z]{2}[a-z0-9-]{4,30}$/.test(region)) {
    const message = "Someone else changed Slipway's record in the account's bucket.";
    throw cloudError(["invalid", "INVALID_REQUEST"], "s3:GetObject", { message });
  }
  // A document that was otherwise tampered with can only harm its own account.
  return value;
}
