/** Where a variable's value is kept: the words of the API, and those of the command line. */
import type { EnvVariable } from "../../../../sdk/src/index.ts";

const STORES: Readonly<Record<EnvVariable["kind"], string>> = {
  plainText: "plain",
  parameterStore: "parameter-store",
  secretsManager: "secrets-manager",
  fromParameterStore: "parameter",
  fromSecretsManager: "secret",
  fromService: "service",
};

/** The groups that values can be written to. */
export type WrittenKind = "plainText" | "parameterStore" | "secretsManager";
const WRITTEN: readonly WrittenKind[] = ["plainText", "parameterStore", "secretsManager"];

/** The choices of `--store`. */
export const WRITTEN_STORES = WRITTEN.map((kind) => STORES[kind]);

export const storeOf = (kind: EnvVariable["kind"]): string => STORES[kind] ?? kind;

/** @param store a choice of `--store` */
export function kindOf(store: string): WrittenKind {
  const kind = WRITTEN.find((one) => STORES[one] === store);
  if (kind === undefined) throw new Error(`There is no store ${store}.`);
  return kind;
}

export const isWritten = (kind: EnvVariable["kind"]): kind is WrittenKind =>
  WRITTEN.some((one) => one === kind);

/** What a list shows as the value. A managed one can never be read. */
export function shownValue({ kind, value, reference, fromService }: Shown): string {
  if (fromService !== null) return `${fromService.value} of ${fromService.id}`;
  if (value !== null) return JSON.stringify(value).slice(1, -1);
  return reference ?? (isWritten(kind) && kind !== "plainText" ? "(managed)" : "-");
}

type Shown = Pick<EnvVariable, "kind" | "value" | "reference" | "fromService">;

/** Set with the API; those of the configuration are changed there. */
export const isOwn = ({ source }: Pick<EnvVariable, "source">): boolean => source === "api";
