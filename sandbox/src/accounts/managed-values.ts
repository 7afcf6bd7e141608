/** The common part of AWS's Parameter Store and Secrets Manager: named values with versions, by account and region. */
import { createHash, randomBytes } from "node:crypto";
import { Refusal } from "../refusal.ts";
import type { Collection } from "../state.ts";

export type ManagedValue = {
  readonly accountId: string;
  readonly region: string;
  readonly name: string;
  /** A parameter's path or a secret's ARN. */
  readonly reference: string;
  /** False for a value that the customer made by hand: it lacks Slipway's tag. */
  readonly isOurs: boolean;
  readonly versionCount: number;
  readonly value: string;
  /** The last versions, oldest first. The digest distinguishes a repeated write from a token that is used twice. */
  readonly versions: readonly { readonly token: string; readonly digest: string }[];
};

type ManagedValueWrite = {
  readonly region: string;
  readonly name: string;
  readonly value: string;
  readonly token: string;
};

export type ManagedValues = {
  /** Writes one version for each token. */
  put(accountId: string, write: ManagedValueWrite): { reference: string };
  delete(accountId: string, region: string, name: string): void;
  list(accountId: string): readonly ManagedValue[];
  /**
   * The value that a reference names. A parameter's path names it only within a region; a secret's ARN contains the
   * region.
   */
  resolve(accountId: string, region: string, reference: string): ManagedValue | null;
  /** A value that the customer made by hand. */
  plant(accountId: string, region: string, name: string, value: string): void;
};

/** AWS keeps about a hundred versions of either kind. */
const KEPT_VERSIONS = 100;

export type ManagedValueRules = {
  /** @throws Refusal when the service would not take this write */
  check(write: Omit<ManagedValueWrite, "token">): void;
  makeReference(accountId: string, region: string, name: string): string;
  readonly quota: number;
};

export function createManagedValues(
  store: Collection<ManagedValue>,
  rules: ManagedValueRules,
): ManagedValues {
  const keyOf = (accountId: string, region: string, name: string) => `${accountId}/${region}/${name}`;
  const counts = new Map<string, number>();
  const countOf = (accountId: string, region: string) => counts.get(`${accountId}/${region}`) ?? 0;
  const addToCount = (accountId: string, region: string, by: number) =>
    counts.set(`${accountId}/${region}`, countOf(accountId, region) + by);
  for (const value of store.values()) addToCount(value.accountId, value.region, 1);

  function create(accountId: string, write: ManagedValueWrite, isOurs: boolean): ManagedValue {
    const { region, name, value, token } = write;
    const created: ManagedValue = {
      accountId,
      region,
      name,
      reference: rules.makeReference(accountId, region, name),
      isOurs,
      versionCount: 1,
      value,
      versions: [{ token, digest: digestOf(value) }],
    };
    store.put(keyOf(accountId, region, name), created);
    addToCount(accountId, region, 1);
    return created;
  }

  return {
    put(accountId, write) {
      rules.check(write);
      const key = keyOf(accountId, write.region, write.name);
      const present = store.get(key);
      if (present === undefined) {
        if (countOf(accountId, write.region) >= rules.quota) {
          throw new Refusal(
            "limit",
            "TOO_MANY_PARAMETERS",
            "The account's quota of names in this region is used up.",
          );
        }
        return { reference: create(accountId, write, true).reference };
      }
      if (!present.isOurs) {
        throw new Refusal(
          "invalid",
          "NOT_OURS",
          "The name is already used by something that Slipway did not create.",
        );
      }
      const digest = digestOf(write.value);
      const repeated = present.versions.find((version) => version.token === write.token);
      if (repeated !== undefined) {
        if (repeated.digest === digest) return { reference: present.reference };
        throw new Refusal("invalid", "INVALID_REQUEST", "The token was used before with another value.");
      }
      store.put(key, {
        ...present,
        value: write.value,
        versionCount: present.versionCount + 1,
        versions: [...present.versions, { token: write.token, digest }].slice(-KEPT_VERSIONS),
      });
      return { reference: present.reference };
    },

    delete(accountId, region, name) {
      const key = keyOf(accountId, region, name);
      const present = store.get(key);
      if (present === undefined) return;
      if (!present.isOurs) {
        throw new Refusal("invalid", "NOT_OURS", "Slipway did not create this, so it does not delete it.");
      }
      store.delete(key);
      addToCount(accountId, region, -1);
    },

    list: (accountId) => [...store.values()].filter((value) => value.accountId === accountId),
    resolve(accountId, region, reference) {
      for (const value of store.values()) {
        const isNamed = value.accountId === accountId && value.reference === reference;
        if (isNamed && (value.region === region || reference.startsWith("arn:"))) return value;
      }
      return null;
    },
    plant(accountId, region, name, value) {
      create(accountId, { region, name, value, token: randomBytes(16).toString("hex") }, false);
    },
  };
}

function digestOf(value: string): string {
  return createHash("sha256").update(value).digest("base64");
}

const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

/** @throws Refusal */
export function checkRegion(region: string): void {
  if (!REGION.test(region)) {
    throw new Refusal("invalid", "INVALID_REQUEST", "The region must have a form such as us-west-2.");
  }
}
