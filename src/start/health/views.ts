import { Type } from "typebox";
import { Instant, Nullable, Text, Words } from "../../http/schemas.ts";
import { CHECK_CODES, CHECK_STATUSES, type Health } from "./health.ts";

const CheckSchema = Type.Object(
  {
    code: Words(CHECK_CODES, {
      title: "CheckCode",
      description: "What was checked. Codes do not change; later releases may have more.",
      examples: ["CLOCK"],
    }),
    status: Words(CHECK_STATUSES, {
      title: "CheckStatus",
      description: "`skipped`: this process cannot look at it.",
      examples: ["ok"],
    }),
    says: Text("What was found, for people.", "This machine's clock and the database's differ by 0 s."),
    fix: Nullable(Text("What the operator can do; null if nothing has to be done.", null)),
  },
  { title: "HealthCheck", description: "The result of one check." },
);

export const HealthSchema = Type.Object(
  {
    status: Words(["ok", "warning", "failed"] as const, {
      title: "HealthStatus",
      description: "The worst of all checks.",
      examples: ["ok"],
    }),
    checkedAt: Instant("When it was checked."),
    release: Text("The version of the process that answers.", "0.2.0"),
    checks: Type.Array(CheckSchema, { description: "One result for each check." }),
  },
  { title: "InstallationHealth", description: "The health of the installation, without names and ids." },
);

export function viewHealth({ status, checkedAt, release, checks }: Health) {
  return { status, checkedAt: checkedAt.toISOString(), release, checks: [...checks] };
}
