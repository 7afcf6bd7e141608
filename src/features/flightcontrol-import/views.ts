import { Type } from "typebox";
import { Flag, Nullable, Text, viewAs, Words } from "../../http/schemas.ts";
import { ALIASES, FINDING_CLASSES, type ImportedFile } from "./flightcontrol-import.ts";

const FindingSchema = Type.Object(
  {
    path: Text(
      "A JSON Pointer in the file. The finding is about everything below it. A default of Flightcontrol that matters is not in the file.",
      "/environments/0/services/0/memory",
    ),
    environment: Nullable(
      Text("The id of the environment in the file; null for the file itself.", "production"),
    ),
    service: Nullable(Text("The id of the service in the file; null outside of services.", "web")),
    field: Text("The field, with dots; empty for the whole service or environment.", "memory"),
    class: Words(FINDING_CLASSES, {
      title: "ImportFindingClass",
      description:
        "`mapped`: the proposal has it as it is. `mappedWithChange`: the proposal has it in another form. `ignoredSafely`: Slipway behaves so without it. `unsupported`: the proposal does not have it.",
      examples: ["mappedWithChange"],
    }),
    isBlocking: Flag("Whether the services would not work as before until a person acts.", false),
    reason: Text("Why, in sentences.", "It is in MB; memoryGb is 0.5."),
    action: Nullable(Text("What to do, in sentences.", null)),
  },
  { title: "ImportFinding", description: "What becomes of a field." },
);

export const FlightcontrolImportSchema = Type.Object(
  {
    proposal: Nullable(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: "object",
        additionalProperties: true,
        description:
          "A configuration, as `config` of a project or slipway.json has it; null if nothing can be imported.",
        examples: [
          {
            environments: [
              {
                id: "production",
                region: "us-west-2",
                source: { branch: "main", trigger: "push" },
                services: [{ id: "web", type: "static", outputDirectory: "dist" }],
              },
            ],
          },
        ],
      }),
    ),
    isBlocked: Flag("Whether a finding is blocking.", false),
    findings: Type.Array(FindingSchema, {
      description: "In the order of the file. Each field of the file is covered by exactly one.",
    }),
    secrets: Type.Array(
      Type.Object(
        {
          environment: Nullable(
            Text("The id of the environment in the file; null for all environments.", "production"),
          ),
          service: Nullable(
            Text("The id of the service in the file; null for all services of the environment.", "web"),
          ),
          name: Text("The variable.", "SESSION_SECRET"),
        },
        { title: "SecretToMove", description: "A plain value that looks like a secret." },
      ),
      {
        description:
          "Plain values that look like secrets. They are not in the proposal: set them as managed values.",
      },
    ),
    aliases: Type.Array(
      Type.Object(
        {
          name: Text("The variable that Flightcontrol sets.", "FC_URL"),
          replacement: Nullable(Text("The variable that Slipway sets; null if none.", "SLIPWAY_URL")),
          says: Text(
            "What to do if the code reads it.",
            'Read SLIPWAY_URL in the code, or begin the start command with FC_URL="$SLIPWAY_URL".',
          ),
        },
        { title: "VariableAlias", description: "A variable that Flightcontrol sets in services." },
      ),
      { description: "Variables of Flightcontrol that code may read. Commands have the replacements." },
    ),
  },
  { title: "FlightcontrolImport", description: "What becomes of a flightcontrol.json." },
);

export function viewImport({ proposal, findings, secrets }: ImportedFile) {
  return viewAs(FlightcontrolImportSchema, {
    proposal,
    isBlocked: findings.some(({ isBlocking }) => isBlocking),
    findings,
    secrets,
    aliases: ALIASES,
  });
}
