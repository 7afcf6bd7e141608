import { read, useLater } from "./query.ts";

/** The days that numbers and pictures show: all of them share one read. */
export const STATISTICS_DAYS = 30;

/** The statistics of a project; without one, of all projects. */
export function readStatistics(projectId?: string) {
  const query = projectId === undefined ? { days: STATISTICS_DAYS } : { days: STATISTICS_DAYS, projectId };
  return read("overview", "getStatistics", query);
}

/** @param projectId undefined: of all projects */
export function useStatistics(projectId: string | undefined) {
  return useLater(readStatistics(projectId));
}
