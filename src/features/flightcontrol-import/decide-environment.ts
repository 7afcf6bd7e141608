/** What becomes of an environment with its services. Pure. */
import { isObject } from "../../lib/json/is-object.ts";
import {
  findConnectionStrings,
  findReferences,
  isStoreType,
  judgeStore,
  proposeStore,
  type References,
  storeOf,
} from "./data-stores.ts";
import { classify, type Report, rulesOf } from "./classify.ts";
import { decideService, importedTypeOf, type Proposed, settingsOf } from "./decide-service.ts";
import { chooseIds } from "./choose-ids.ts";
import { proposeJobs } from "./decide-jobs.ts";
import { decideSource } from "./decide-source.ts";
import { decideVariables, type Scope, type Target, type Variables, variablesOf } from "./decide-variables.ts";
import {
  type ImportCloud,
  blocking,
  changed,
  ignored,
  isServer,
  mapped,
  missing,
  type SecretToMove,
  type Verdict,
} from "./flightcontrol-import.ts";
import type { WrittenEnvironment, WrittenService } from "./read-flightcontrol-file.ts";
import { CONTAINER_RULES, judgeName, nameOf, SCHEDULER_RULES, STATIC_RULES } from "./service-rules.ts";

/** Other types of services that Slipway does not have: whether the application is incomplete without, and what to do. */
const LEFT: Readonly<Record<string, Verdict>> = {
  scheduler: missing("It has no jobs."),
  "lambda-function": blocking(
    "Slipway has no functions.",
    "Write it as a web service, or leave it where it is.",
  ),
  "network-server": blocking("Slipway's services answer HTTP only.", "Leave it where it is."),
  "private-network-server": blocking("Slipway's services answer HTTP only.", "Leave it where it is."),
};

const RULES = rulesOf<{ readonly id: string }>({
  id: (value, { id }) =>
    value === id ? mapped() : changed(`Ids have letters, digits, _ and -: it is ${id}.`),
  name: judgeName,
  region: mapped,
  "vpc.id": () =>
    blocking(
      "Slipway makes a network for each environment, and uses no existing one.",
      "Peer the networks, if the services need what is in this one.",
    ),
  "vpc.cidr": () => missing("Slipway chooses the addresses of its network."),
  "vpc.private": (value) =>
    value === false
      ? ignored("It is the default.")
      : missing("Instances have addresses of their own, and accept no connections from outside."),
});

/** Where a finding is, besides its path and field. */
export type Reporter = (environment: string | null, service: string | null) => Report;

export function decideEnvironment(
  environment: WrittenEnvironment,
  given: {
    readonly id: string;
    readonly usualBranch: string;
    /** The variables of the file, as it has them. */
    readonly common: unknown;
    readonly cloud: ImportCloud;
    readonly report: Reporter;
    readonly move: (secret: SecretToMove) => void;
  },
): Readonly<Record<string, unknown>> | null {
  const { raw, path, services, region } = environment;
  const { id, common } = given;
  const report = given.report(environment.id, null);
  const ids = idsOf(environment, common);
  if (!services.some((service) => importedTypeOf(service) !== null)) {
    report(
      { path, field: "" },
      blocking(
        services.length === 0 ? "It has no services." : "None of its services can be imported.",
        "Leave the environment where it is.",
      ),
    );
    return null;
  }
  const targets = targetsOf(environment, id, common);
  const references = findReferences(environment, common);

  classify(raw, path, RULES, { id }, report, ["source", "services", "envVariables"]);
  const source = decideSource(environment, given.usualBranch, report);
  const scope: Scope = {
    environment: environment.id,
    service: null,
    proposed: { environment: id, service: null },
    isTemplate: environment.source["pr"] === true,
    targets,
    environments: null,
    cloud: given.cloud,
    report,
    move: given.move,
  };
  const own = decideVariables(raw["envVariables"], `${path}/envVariables`, scope);
  const proposals = services.flatMap((service) => {
    const say = given.report(environment.id, service.id);
    const target = targets.get(service.id);
    if (target?.kind === "store") {
      const needed = references.get(service.id) ?? [];
      say({ path: service.path, field: "" }, judgeStore(id, needed, target, given.cloud));
      return needed.length === 0 ? [] : [proposeStore(service, target, needed)];
    }
    if (ids.has(service.id))
      return [
        proposeService(service, decideService(service, { environment: id, ids, cloud: given.cloud }), {
          ...scope,
          service: service.id,
          proposed: { environment: id, service: ids.get(service.id) ?? service.id },
          report: say,
        }),
      ];
    say({ path: service.path, field: "" }, judgeLeft(service, references));
    return [];
  });
  const name = nameOf(raw["name"]);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    region,
    source,
    ...variablesOf({
      ...linksOf(common, raw["envVariables"], scope),
      ...findConnectionStrings(environment, common, (store) => {
        const target = targets.get(store);
        return target?.kind === "store" ? target : null;
      }),
      ...own,
    }),
    services: proposals,
  };
}

function proposeService(service: WrittenService, proposed: Proposed, scope: Scope) {
  const { raw, path } = service;
  const { id, type, build } = proposed;
  const rules = type === "static" ? STATIC_RULES : type === "scheduler" ? SCHEDULER_RULES : CONTAINER_RULES;
  classify(raw, path, rules, proposed, scope.report, [
    "envVariables",
    ...(type === "scheduler" ? ["jobs"] : []),
  ]);
  for (const [field, verdict] of build.verdicts)
    if (raw[field] === undefined && isWorthSaying(field, verdict))
      scope.report({ path: `${path}/${field}`, field }, verdict);
  if (isServer(type) && raw["port"] === undefined)
    scope.report(
      { path: `${path}/port`, field: "port" },
      changed(`Flightcontrol's default is written: ${proposed.port}.`),
    );
  const name = nameOf(raw["name"]);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    type,
    ...settingsOf(raw, proposed),
    ...(type === "scheduler" ? { jobs: proposeJobs(raw, `${path}/jobs`, scope.report) } : {}),
    ...variablesOf(decideVariables(raw["envVariables"], `${path}/envVariables`, scope)),
  };
}

const FILLED_IN: ReadonlySet<string> = new Set([
  "installCommand",
  "buildCommand",
  "startCommand",
  "outputDirectory",
]);

/** A field that the file does not have, but the proposal, or that prevents the import. */
function isWorthSaying(field: string, verdict: Verdict): boolean {
  return verdict.isBlocking
    ? field === "buildType" || field === "startCommand"
    : verdict.class === "mappedWithChange" && FILLED_IN.has(field);
}

/** What references to its services lead to, by their ids in the file. @param environmentId in the proposal */
export function targetsOf(
  environment: WrittenEnvironment,
  environmentId: string,
  common: unknown,
): ReadonlyMap<string, Target> {
  const ids = idsOf(environment, common);
  return new Map(
    environment.services.map((service): [string, Target] => {
      const { id, type } = service;
      const imported = importedTypeOf(service);
      if (imported !== null) return [id, { kind: "imported", id: ids.get(id) ?? id, type: imported }];
      return [id, isStoreType(type) ? storeOf(environmentId, service, ids.get(id) ?? id) : { kind: "left" }];
    }),
  );
}

/** Of the services that the proposal has: a data store is only part of it if something refers to it. */
function idsOf(environment: WrittenEnvironment, common: unknown): ReadonlyMap<string, string> {
  const references = findReferences(environment, common);
  return chooseIds(
    environment.services.filter(
      (service) =>
        importedTypeOf(service) !== null || (isStoreType(service.type) && references.has(service.id)),
    ),
  );
}

function judgeLeft({ id, type }: WrittenService, references: References): Verdict {
  const names = [...new Set(references.get(id)?.map(({ name }) => name))];
  const verdict =
    (Object.hasOwn(LEFT, type) ? LEFT[type] : undefined) ??
    blocking("Flightcontrol's schema has no services of this type.", "Correct the type.");
  return names.length === 0 || verdict.isBlocking
    ? verdict
    : {
        ...verdict,
        isBlocking: true,
        action: `${verdict.action ?? ""} Variables refer to it: ${names.join(", ")}.`,
      };
}

/** The references of the file's own variables that lead to services of the environment, which may replace them. */
function linksOf(common: unknown, own: unknown, scope: Scope): Variables {
  if (!isObject(common)) return {};
  const links = Object.entries(common).filter(([name, value]) => {
    const link = isObject(value) ? value["fromService"] : undefined;
    const isReplaced = isObject(own) && Object.hasOwn(own, name);
    return !isReplaced && isObject(link) && typeof link["id"] === "string" && scope.targets.has(link["id"]);
  });
  return decideVariables(Object.fromEntries(links), "", { ...scope, report: () => undefined });
}
