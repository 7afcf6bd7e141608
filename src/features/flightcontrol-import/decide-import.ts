/** From the text of a `flightcontrol.json` to a proposed `slipway.json`, and what becomes of each field. Pure. */
import { classify, rulesOf } from "./classify.ts";
import { chooseIds } from "./choose-ids.ts";
import { decideEnvironment, type Reporter, targetsOf } from "./decide-environment.ts";
import { decideVariables, type Scope, variablesOf } from "./decide-variables.ts";
import {
  type Finding,
  ignored,
  type ImportCloud,
  type ImportedFile,
  type SecretToMove,
} from "./flightcontrol-import.ts";
import { readFlightcontrolFile } from "./read-flightcontrol-file.ts";

const RULES = rulesOf<null>({
  $schema: () => ignored("It names Flightcontrol's schema. Slipway's is at /schema.json of your server."),
});

/** The branch of a template, if no environment has one. */
const USUAL_BRANCH = "main";

/**
 * @param cloud to which the services are to move
 * @throws AppError `IMPORT_FILE_INVALID` with all faults
 */
export function decideImport(text: string, cloud: ImportCloud): ImportedFile {
  const { raw, environments } = readFlightcontrolFile(text);
  const findings: Finding[] = [];
  const secrets: SecretToMove[] = [];
  const report: Reporter = (environment, service) => (place, verdict) =>
    void findings.push({ ...place, environment, service, ...verdict });
  const move = (secret: SecretToMove): void => void secrets.push(secret);
  classify(raw, "", RULES, null, report(null, null), ["envVariables", "environments"]);
  const scope: Scope = {
    environment: null,
    service: null,
    proposed: { environment: null, service: null },
    isTemplate: false,
    targets: new Map(),
    environments: null,
    cloud,
    report: report(null, null),
    move,
  };
  const ids = chooseIds(environments);
  const idOf = ({ id }: { readonly id: string }): string => ids.get(id) ?? id;
  const common = decideVariables(raw["envVariables"], "/envVariables", {
    ...scope,
    environments: environments.map((one) => ({
      ...scope,
      targets: targetsOf(one, idOf(one), raw["envVariables"]),
    })),
  });
  const branches = environments.flatMap(({ source }) =>
    source["pr"] === true ? [] : [String(source["branch"])],
  );
  const proposed = environments.flatMap(
    (environment) =>
      decideEnvironment(environment, {
        id: idOf(environment),
        usualBranch: branches[0] ?? USUAL_BRANCH,
        common: raw["envVariables"],
        cloud,
        report,
        move,
      }) ?? [],
  );
  const proposal = proposed.length === 0 ? null : { ...variablesOf(common), environments: proposed };
  return { proposal, findings, secrets };
}
