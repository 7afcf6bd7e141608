import { type TUnsafe, Type } from "typebox";
import type { Statistics } from "./statistics.ts";

const Count = (description: string, example = 0) => Type.Integer({ description, examples: [example] });
const Day = (description: string, example = "2026-11-20"): TUnsafe<string> =>
  Type.Unsafe({ type: "string", format: "date", description, examples: [example] });
const Seconds = (description: string, example: number): TUnsafe<number | null> =>
  Type.Unsafe({ type: ["number", "null"], description, examples: [example] });

const DOMAIN_COUNTS = {
  attached: Count("Served.", 118),
  inError: Count("Could not be attached or detached.", 1),
  awaitingRecords: Count("Waiting for the customer's records.", 3),
  inProgress: Count("Being worked on.", 2),
};

export const StatisticsSchema = Type.Object(
  {
    domains: Type.Object(DOMAIN_COUNTS, {
      title: "DomainCounts",
      description: "How many domains there are.",
    }),
    domainDays: Type.Array(
      Type.Object(
        { day: Day("In UTC."), ...DOMAIN_COUNTS },
        {
          title: "DomainDay",
          description: "How many domains there were when they were last counted on a day.",
        },
      ),
      {
        description:
          "Counted every hour; days without domains are missing. Empty for one project, and for who sees some alone.",
      },
    ),
    certificateExpiry: Type.Array(
      Type.Object(
        {
          week: Day("The Monday that begins the week, in UTC.", "2027-01-11"),
          count: Count("How many certificates expire in it, if they are not renewed before.", 4),
        },
        { title: "ExpiryWeek", description: "Certificates by their expiry." },
      ),
      { description: "Past weeks, and the next 400 days; weeks without any are missing." },
    ),
    deploymentDays: Type.Array(
      Type.Object(
        {
          day: Day("In UTC."),
          succeeded: Count("That ended with `SUCCESS`.", 7),
          failed: Count("That ended with `ERROR` or `BUILD_ERROR`.", 1),
          stopped: Count("That were cancelled or superseded."),
          unended: Count("That wait or run."),
          medianSeconds: Seconds("The median of the successful ones, from start to end.", 74.2),
          maxSeconds: Seconds("The longest of them.", 131.8),
        },
        { title: "DeploymentDay", description: "Deployments that were accepted on a day." },
      ),
      { description: "Days without any are missing." },
    ),
  },
  { title: "Statistics", description: "Numbers for pictures." },
);

export function viewStatistics({ domains, domainDays, certificateExpiry, deploymentDays }: Statistics) {
  return {
    domains,
    domainDays: [...domainDays],
    certificateExpiry: [...certificateExpiry],
    deploymentDays: [...deploymentDays],
  };
}
