import { Type } from "typebox";
import { Id, Nullable, Text, Words } from "../../http/schemas.ts";
import { countFates, FATES, type ImportPlan } from "./decide-import.ts";

const LineSchema = Type.Object(
  {
    line: Type.Integer({ description: "Its number, from 1.", examples: [1] }),
    name: Text(
      "The name as it is stored; for a line without a name, its text (at most 300 characters).",
      "www.example.com",
    ),
    fate: Words(FATES, {
      title: "ImportFate",
      description:
        "`accepted`: a new domain. `duplicate`: an earlier line or the service already has it. `invalid`: it is not a valid domain name. `taken`: another service of the organization has it, or it is being deleted. `quota`: no group has room for it. `skipped`: a heading, a comment, or the rest of a quoted cell.",
      examples: ["accepted"],
    }),
    code: Nullable(Text("Why it is not accepted, for programs.", null)),
    message: Nullable(Text("Why it is not accepted.", null)),
    domainCertificateGroupId: Nullable(
      Id("group", "The group of the service that has it; null in a dry run if the group does not exist yet."),
    ),
    domainCertificateGroupName: Nullable(
      Text(
        "The name of that group. A new group is named after its first domain, or the text of its column, so lines with the same group name share it.",
        "www.example.com",
      ),
    ),
  },
  { title: "ImportedLine", description: "The result of a line." },
);

const count = (description: string, example: number) => Type.Integer({ description, examples: [example] });

export const ImportSchema = Type.Object(
  {
    dryRun: Type.Boolean({
      description: "Whether it was a dry run, which changes nothing.",
      examples: [false],
    }),
    counts: Type.Object(
      {
        accepted: count("Lines with a new domain.", 1),
        duplicate: count("Lines with a name that already exists.", 0),
        invalid: count("Lines without a valid domain name.", 0),
        taken: count("Lines with a name that another service has, or that is being deleted.", 0),
        quota: count("Lines with a name for which no group has room.", 0),
        skipped: count("Headings, comments and the rest of quoted cells.", 0),
      },
      { title: "ImportCounts", description: "The number of lines with each result." },
    ),
    createdGroups: count(
      "The number of groups, each with its own distribution, that are created for them.",
      1,
    ),
    lines: Type.Array(LineSchema, {
      description: "Every line that is not blank, in the order of the request.",
    }),
  },
  { title: "DomainImport", description: "The result of each line of an import." },
);

export function viewImport({ fates, groups }: ImportPlan, dryRun: boolean) {
  return {
    dryRun,
    counts: countFates(fates),
    createdGroups: groups.filter(({ id }) => id === null).length,
    lines: fates.map(({ line, name, fate, code, message, groupId, groupName }) => ({
      line,
      name,
      fate,
      code,
      message,
      domainCertificateGroupId: groupId,
      domainCertificateGroupName: groupName,
    })),
  };
}
