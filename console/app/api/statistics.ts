import { read, useLater } from "./query.ts";

/** The days that numbers and pictures show: all of them share one read. */
export const STATISTICS_DAYS = 30;

/** The statistics of a project. @param projectId undefined: of all projects */
export function useStatistics(projectId: string | undefined) {
  const query = projectId === undefined ? { days: STATISTICS_DAYS } : { days: STATISTICS_DAYS, projectId };
  return useLater(read("overview", "getStatistics", query));
}
