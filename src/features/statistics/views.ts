import { type TUnsafe, Type } from "typebox";
import type { Statistics } from "./statistics.ts";

const Count = (description: string, example = 0) => Type.Integer({ description, examples: [example] });
const Day = (description: string, example = "2026-11-20"): TUnsafe<string> =>
  Type.Unsafe({ type: "string", format: "date", description, examples: [example] });
const Seconds = (description: string, example: number): TUnsafe<number | null> =>
  Type.Unsafe({ type: ["number", "null"], description, examples: [example] });

const DOMAIN_COUNTS = {
  attached: Count("Domains that are served.", 118),
  inError: Count("Domains that could not be attached or detached.", 1),
  awaitingRecords: Count("Domains that wait for the customer's records.", 3),
  inProgress: Count("Domains that Slipway is working on.", 2),
};

export const StatisticsSchema = Type.Object(
  {
    domains: Type.Object(DOMAIN_COUNTS, {
      title: "DomainCounts",
      description: "How many domains there are.",
    }),
    domainDays: Type.Array(
      Type.Object(
        { day: Day("The day, in UTC."), ...DOMAIN_COUNTS },
        {
          title: "DomainDay",
          description: "How many domains there were when they were last counted on a day.",
        },
      ),
      {
        description:
          "Counted every hour. Days without domains are left out. Empty for one project, and for callers who do not see all projects.",
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
      { description: "Past weeks, and the next 400 days. Weeks without an expiry are left out." },
    ),
    deploymentDays: Type.Array(
      Type.Object(
        {
          day: Day("The day, in UTC."),
          succeeded: Count("Deployments that ended with `SUCCESS`.", 7),
          failed: Count("Deployments that ended with `ERROR` or `BUILD_ERROR`.", 1),
          stopped: Count("Deployments that were cancelled or superseded."),
          unended: Count("Deployments that wait or run."),
          medianSeconds: Seconds("The median time of successful deployments, from start to end.", 74.2),
          maxSeconds: Seconds("The longest time of a successful deployment.", 131.8),
        },
        { title: "DeploymentDay", description: "Deployments that were accepted on a day." },
      ),
      { description: "Days without deployments are left out." },
    ),
  },
  { title: "Statistics", description: "Counts of domains, certificates and deployments." },
);

export function viewStatistics({ domains, domainDays, certificateExpiry, deploymentDays }: Statistics) {
  return {
    domains,
    domainDays: [...domainDays],
    certificateExpiry: [...certificateExpiry],
    deploymentDays: [...deploymentDays],
  };
}
