/** What becomes of the variables of the file, an environment or a service. Pure. */
import { escapePointer } from "../../lib/errors.ts";
import { isObject } from "../../lib/json/is-object.ts";
import type { StoreType } from "../../cloud/data-stores.ts";
import { propertiesOf } from "../projects/project.ts";
import { findNameFault, findValueFault } from "../variables/body.ts";
import type { Report } from "./classify.ts";
import {
  blocking,
  changed,
  ignored,
  type ImportCloud,
  type ImportedType,
  mapped,
  type SecretToMove,
  type Verdict,
  wrongForm,
} from "./flightcontrol-import.ts";
import { looksSecret } from "./looks-secret.ts";

export type Variables = Readonly<Record<string, unknown>>;

/** A data store that stays where it is: its values are read from secrets that the user makes. */
export type StoreTarget = {
  readonly kind: "store";
  readonly id: string;
  readonly type: StoreType;
  readonly secretOf: (value: string) => string;
};

/** The variable that has a value of a data store: of the service in the proposal, if services have such a value. */
export function variableOf({ id, type, secretOf }: StoreTarget, value: string): unknown {
  return propertiesOf(type).includes(value)
    ? { fromService: { id, value } }
    : { fromSecretsManager: secretOf(value) };
}

/** What a reference to a service may lead to. */
export type Target =
  | { readonly kind: "imported"; readonly id: string; readonly type: ImportedType }
  | StoreTarget
  | { readonly kind: "left" };

export type Scope = {
  readonly environment: string | null;
  /** The service whose variables they are. */
  readonly service: string | null;
  /** The ids of both in the proposal, which commands name. */
  readonly proposed: Pick<Scope, "environment" | "service">;
  /** Whether previews are made from the environment. */
  readonly isTemplate: boolean;
  /** By the ids of the file. */
  readonly targets: ReadonlyMap<string, Target>;
  /** For variables of the file, whose references are moved to the environments: what these say, each. */
  readonly environments: readonly Scope[] | null;
  readonly cloud: ImportCloud;
  readonly report: Report;
  readonly move: (secret: SecretToMove) => void;
};

type Decided = { readonly value: unknown; readonly verdict: Verdict };

/** @returns the variables of the proposal */
export function decideVariables(written: unknown, path: string, scope: Scope): Variables {
  if (written === undefined) return {};
  const place = { path, field: "envVariables" };
  if (!isObject(written)) {
    scope.report(place, wrongForm("an object"));
    return {};
  }
  const entries = Object.entries(written);
  if (entries.length === 0) scope.report(place, ignored("It is empty."));
  const kept = entries.flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    const { value: proposed, verdict } = decideVariable(name, value, scope);
    scope.report({ path: `${path}/${escapePointer(name)}`, field: `envVariables.${name}` }, verdict);
    return proposed === undefined ? [] : [[name, proposed]];
  });
  return Object.fromEntries(kept);
}

/** As the proposal has them: without the field if there are none. */
export function variablesOf(variables: Variables): { readonly envVariables?: Variables } {
  return Object.keys(variables).length === 0 ? {} : { envVariables: variables };
}

function decideVariable(name: string, value: unknown, scope: Scope): Decided {
  if (findNameFault(name) !== null)
    return without(
      blocking(
        "Names of variables have letters, digits and _, and do not begin with a digit.",
        "Rename the variable here and in the code.",
      ),
    );
  switch (typeof value) {
    case "string":
      return decideText(name, value, mapped(), scope);
    case "number":
    case "boolean":
      return decideText(name, String(value), changed("It is written as text."), scope);
    default:
  }
  if (!isObject(value) || Object.keys(value).length !== 1) return without(WRONG);
  const { fromParameterStore, fromSecretsManager, fromService } = value;
  if (fromParameterStore !== undefined)
    return decideReference(name, "fromParameterStore", fromParameterStore, scope);
  if (fromSecretsManager !== undefined)
    return decideReference(name, "fromSecretsManager", fromSecretsManager, scope);
  return fromService === undefined ? without(WRONG) : decideLink(name, fromService, scope);
}

const WRONG: Verdict = blocking(
  "It is neither a value nor one of fromParameterStore, fromSecretsManager and fromService.",
  "Set the variable with: slipway env set NAME.",
);

function without(verdict: Verdict): Decided {
  return { value: undefined, verdict };
}

function decideText(name: string, value: string, verdict: Verdict, scope: Scope): Decided {
  if (findValueFault("plainText", value) !== null)
    return without(blocking("It is longer than 32 KiB.", "Put it into a file of the repository."));
  if (!looksSecret(name, value)) return { value, verdict };
  return without(
    changed(
      "It looks like a secret, so its value is not copied.",
      `Before the first deployment: ${moveSecret(name, scope)}. If it is not a secret, add it to the proposal.`,
    ),
  );
}

/** @returns the command that sets it */
function moveSecret(name: string, { environment, service, proposed, isTemplate, move }: Scope): string {
  move({ environment, service, name });
  // A template has variables, and no services.
  const place = isTemplate ? " --in-previews" : proposed.service === null ? "" : ` -s ${proposed.service}`;
  return `slipway env set ${name} --store secrets-manager -e ${proposed.environment ?? "ENVIRONMENT"}${place} --from-file FILE --wait`;
}

function decideReference(
  name: string,
  kind: "fromParameterStore" | "fromSecretsManager",
  reference: unknown,
  scope: Scope,
): Decided {
  if (typeof reference !== "string" || findValueFault(kind, reference) !== null)
    return without(
      wrongForm(kind === "fromParameterStore" ? "the name of a parameter" : "the name of a secret"),
    );
  if (!scope.cloud.readsOtherSecrets)
    return without(
      changed(
        "This server reads no secrets of an AWS account, so the reference is left out.",
        `Before the first deployment, with the value that it has there: ${moveSecret(name, scope)}.`,
      ),
    );
  return {
    value: { [kind]: reference },
    verdict: {
      ...mapped(),
      action: `Tag the ${kind === "fromParameterStore" ? "parameter" : "secret"} in AWS: slipway:readable = true.`,
    },
  };
}

/** Flightcontrol's names of the properties of a service that answers requests. */
const PROPERTIES: ReadonlyMap<unknown, string> = new Map([
  ["origin", "url"],
  ["loadBalancerOrigin", "url"],
  ["host", "host"],
  ["loadBalancerHost", "host"],
  ["port", "port"],
]);

function decideLink(name: string, link: unknown, scope: Scope): Decided {
  const { id, value } = isObject(link) ? link : {};
  if (typeof id !== "string" || typeof value !== "string")
    return without(wrongForm("a service and one of its values"));
  if (scope.environments !== null) return without(judgeCommonLink(name, id, link, scope.environments));
  const target = scope.targets.get(id);
  if (target === undefined)
    return without(
      blocking("The environment has no service with this id.", "Correct the id, or remove the variable."),
    );
  if (target.kind === "left")
    return without(
      blocking(
        "The service is not imported, because Slipway has no services of its type.",
        "Set the variable to the address at which the service answers where it runs.",
      ),
    );
  if (target.kind === "store") {
    const secret = target.secretOf(value);
    const reason = "The data store stays where it is, and the value is read from a secret.";
    if (!scope.cloud.readsOtherSecrets)
      return propertiesOf(target.type).includes(value)
        ? { value: variableOf(target, value), verdict: changed(reason, `See the data store ${target.id}.`) }
        : without(hasNoValue(target.type));
    return {
      value: variableOf(target, value),
      verdict: changed(
        reason,
        `Store the value in Secrets Manager, in the environment's region and with the tag slipway:readable = true, under the name ${secret}.`,
      ),
    };
  }
  if (id === scope.service)
    return without(
      blocking(
        "A variable cannot refer to its own service.",
        `Slipway sets SLIPWAY_URL: read it in the code, or begin startCommand with ${name}="$SLIPWAY_URL".`,
      ),
    );
  const property = PROPERTIES.get(value);
  if (property === undefined || !propertiesOf(target.type).includes(property))
    return without(hasNoValue(target.type));
  const isSame = property === value && target.id === id;
  return {
    value: { fromService: { id: target.id, value: property } },
    verdict: isSame ? mapped() : changed(`Slipway's name of the value is ${property}.`),
  };
}

function hasNoValue(type: ImportedType | StoreType): Verdict {
  return blocking(
    `A ${type} service has no such value.`,
    `Use one of: ${propertiesOf(type).join(", ") || "none"}; or set the variable to a plain value.`,
  );
}

/** The first refusal counts, otherwise what has to be done. */
function judgeCommonLink(name: string, id: string, link: unknown, environments: readonly Scope[]): Verdict {
  const verdicts = environments
    .filter(({ targets }) => targets.has(id))
    .map((scope) => decideLink(name, link, scope).verdict);
  if (verdicts.length === 0)
    return blocking("No environment has a service with this id.", "Correct the id, or remove the variable.");
  const actions = verdicts.flatMap(({ action }) => action ?? []);
  return (
    verdicts.find(({ isBlocking }) => isBlocking) ??
    changed(
      "It is moved to the environments that have the service.",
      actions.length === 0 ? null : [...new Set(actions)].join(" "),
    )
  );
}
