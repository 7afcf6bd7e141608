/** Values as AWS's Parameter Store and Secrets Manager keep them: named, with versions, by account and region. */
import { randomBytes } from "node:crypto";
import { invalid, Refusal } from "../refusal.ts";
import type { Collection, SandboxState } from "../state.ts";
import type { SandboxTuning } from "../tuning.ts";
import type { Vault } from "../vault.ts";
import type { ValueKeeper } from "./value-keeper.ts";

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
  put(accountId: string, write: ManagedValueWrite): Promise<{ reference: string }>;
  delete(accountId: string, region: string, name: string): Promise<void>;
  list(accountId: string): Promise<readonly ManagedValue[]>;
  /**
   * The value that a reference names. A parameter's path names it only within a region; a secret's ARN contains the
   * region.
   */
  resolve(accountId: string, region: string, reference: string): Promise<ManagedValue | null>;
  /** A value that the customer made by hand. */
  plant(accountId: string, region: string, name: string, value: string): Promise<void>;
};

/** AWS keeps about a hundred versions of either kind. */
const KEPT_VERSIONS = 100;

type ManagedValueRules = {
  readonly kind: "parameter" | "secret";
  /** @throws Refusal when the service would not take this write */
  check(write: Omit<ManagedValueWrite, "token">): void;
  makeReference(accountId: string, region: string, name: string): string;
  readonly quota: number;
};

/** Seals texts, and knows equal ones. */
export type ValueStore = { readonly vault: Pick<Vault, "digest">; readonly keeper: ValueKeeper };

/** @param store documents with what the keeper returned in place of the values */
function createManagedValues(
  store: Collection<ManagedValue>,
  { vault, keeper }: ValueStore,
  rules: ManagedValueRules,
): ManagedValues {
  const keyOf = (accountId: string, region: string, name: string) => `${accountId}/${region}/${name}`;
  const placeOf = ({ accountId, region, name }: Pick<ManagedValue, "accountId" | "region" | "name">) =>
    `${rules.kind} ${keyOf(accountId, region, name)}`;
  const open = async (kept: ManagedValue): Promise<ManagedValue> => ({
    ...kept,
    value: await keeper.read(placeOf(kept), kept.value),
  });
  /** The last change of each value that has one under way: the keeper answers later. */
  const changing = new Map<string, Promise<unknown>>();
  async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (changing.get(key) ?? Promise.resolve()).then(work, work);
    changing.set(key, mine);
    try {
      return await mine;
    } finally {
      if (changing.get(key) === mine) changing.delete(key);
    }
  }
  const counts = new Map<string, number>();
  const countOf = (accountId: string, region: string) => counts.get(`${accountId}/${region}`) ?? 0;
  const addToCount = (accountId: string, region: string, by: number) =>
    counts.set(`${accountId}/${region}`, countOf(accountId, region) + by);
  for (const value of store.values()) addToCount(value.accountId, value.region, 1);

  async function create(accountId: string, write: ManagedValueWrite, isOurs: boolean): Promise<ManagedValue> {
    const { region, name, value, token } = write;
    const created: ManagedValue = {
      accountId,
      region,
      name,
      reference: rules.makeReference(accountId, region, name),
      isOurs,
      versionCount: 1,
      value: await keeper.write(placeOf({ accountId, region, name }), value, null),
      versions: [{ token, digest: vault.digest(value) }],
    };
    store.put(keyOf(accountId, region, name), created);
    addToCount(accountId, region, 1);
    return created;
  }

  async function put(accountId: string, write: ManagedValueWrite): Promise<{ reference: string }> {
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
      return { reference: (await create(accountId, write, true)).reference };
    }
    if (!present.isOurs) {
      throw new Refusal(
        "invalid",
        "NOT_OURS",
        "The name is already used by something that Slipway did not create.",
      );
    }
    const digest = vault.digest(write.value);
    const repeated = present.versions.find((version) => version.token === write.token);
    if (repeated !== undefined) {
      if (repeated.digest === digest) return { reference: present.reference };
      throw invalid("The token was used before with another value.");
    }
    store.put(key, {
      ...present,
      value: await keeper.write(placeOf(present), write.value, present.value),
      versionCount: present.versionCount + 1,
      versions: [...present.versions, { token: write.token, digest }].slice(-KEPT_VERSIONS),
    });
    return { reference: present.reference };
  }

  async function remove(accountId: string, region: string, name: string): Promise<void> {
    const key = keyOf(accountId, region, name);
    const present = store.get(key);
    if (present === undefined) return;
    if (!present.isOurs) {
      throw new Refusal("invalid", "NOT_OURS", "Slipway did not create this, so it does not delete it.");
    }
    await keeper.remove(placeOf(present), present.value);
    store.delete(key);
    addToCount(accountId, region, -1);
  }

  return {
    async put(accountId, write) {
      rules.check(write);
      return await inTurn(keyOf(accountId, write.region, write.name), () => put(accountId, write));
    },
    delete: (accountId, region, name) =>
      inTurn(keyOf(accountId, region, name), () => remove(accountId, region, name)),
    list: (accountId) =>
      Promise.all([...store.values()].filter((value) => value.accountId === accountId).map(open)),
    async resolve(accountId, region, reference) {
      for (const value of store.values()) {
        const isNamed = value.accountId === accountId && value.reference === reference;
        if (isNamed && (value.region === region || reference.startsWith("arn:"))) return await open(value);
      }
      return null;
    },
    async plant(accountId, region, name, value) {
      await create(accountId, { region, name, value, token: randomBytes(16).toString("hex") }, false);
    },
  };
}

const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

/** @throws Refusal */
function checkRegion(region: string): void {
  if (!REGION.test(region)) {
    throw invalid("The region must have a form such as us-west-2.");
  }
}

const tooLarge = (message: string) => new Refusal("invalid", "VALUE_TOO_LARGE", message);

/** The standard tier's limit (AWS Systems Manager quotas). */
const PARAMETER_MAX_BYTES = 4_096;
/** The limit counts the ARN before the name too. */
const MAX_ARN_LENGTH = 1_011;
const MAX_LEVELS = 15;

/** SecureStrings as AWS Systems Manager Parameter Store keeps them. */
export function createParameters(
  state: SandboxState,
  values: ValueStore,
  tuning: SandboxTuning,
): ManagedValues {
  return createManagedValues(state.collection<ManagedValue>("parameters"), values, {
    kind: "parameter",
    quota: tuning.parametersQuota,
    makeReference: (_accountId, _region, name) => name,
    check({ region, name, value }) {
      checkRegion(region);
      const problem = findNameProblem(region, name);
      if (problem !== null) throw invalid(problem);
      if (value === "") throw invalid("A parameter cannot be empty.");
      if (Buffer.byteLength(value) > PARAMETER_MAX_BYTES) {
        throw tooLarge(`A parameter may have at most ${PARAMETER_MAX_BYTES} bytes.`);
      }
    },
  });
}

function findNameProblem(region: string, name: string): string | null {
  if (!/^(?:\/[a-zA-Z0-9_.-]+)+$/.test(name)) {
    return "A parameter's name is a path of letters, digits and _.- between slashes.";
  }
  if (/^\/(?:aws|ssm)/i.test(name)) return "A parameter's name may not begin with aws or ssm.";
  if (name.split("/").length - 1 > MAX_LEVELS)
    return `A parameter's name may have at most ${MAX_LEVELS} levels.`;
  const arnPrefixLength = `arn:aws:ssm:${region}:000000000000:parameter`.length;
  return arnPrefixLength + name.length > MAX_ARN_LENGTH ? "The parameter's name is too long." : null;
}

const SECRET_MAX_BYTES = 65_536;

/** Secrets as AWS Secrets Manager keeps them; the token is its ClientRequestToken. */
export function createSecrets(state: SandboxState, values: ValueStore): ManagedValues {
  return createManagedValues(state.collection<ManagedValue>("secrets"), values, {
    kind: "secret",
    quota: 500_000,
    makeReference: (accountId, region, name) =>
      `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${randomBytes(3).toString("hex")}`,
    check({ region, name, value }) {
      checkRegion(region);
      if (!/^[a-zA-Z0-9/_+=.@-]{1,512}$/.test(name)) {
        throw invalid("A secret's name has 1 to 512 letters, digits and /_+=.@-.");
      }
      // AWS warns of this: such a name looks like a secret's ARN, which ends with a hyphen and six characters.
      if (/-[a-zA-Z0-9]{6}$/.test(name)) {
        throw invalid("A secret's name must not end in a hyphen and six characters.");
      }
      if (Buffer.byteLength(value) > SECRET_MAX_BYTES) {
        throw tooLarge(`A secret may have at most ${SECRET_MAX_BYTES} bytes.`);
      }
    },
  });
}
