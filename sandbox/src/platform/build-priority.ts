import { writeFileSync } from "node:fs";

/**
 * The niceness of everything that a build runs, so that many builds at once do not slow the services that run here. Where
 * all processors are busy, a build still gets a third of the weight of a service.
 */
export const BUILD_PRIORITY = 5;

// Where no cgroup does, Linux shares the processors between sessions first (`sched_autogroup`): the priority of a process
// counts only within its session, and a new session has the usual one. Without CAP_SYS_ADMIN, a session's priority cannot be
// changed within a tenth of a second after that of any other.

/** Lines of a shell: lowers it and its session, the latter at the second attempt if it must. */
export const LOWER_PRIORITY = `lower() { echo ${BUILD_PRIORITY} > /proc/self/autogroup; }
{
  PATH=/usr/bin:/bin renice -n ${BUILD_PRIORITY} -p $$
  [ ! -e /proc/self/autogroup ] || lower || { PATH=/usr/bin:/bin sleep 0.1; lower; }
} >/dev/null 2>&1
unset -f lower`;

/** @param leader the process that leads the session */
export function lowerSession(leader: number): void {
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(BUILD_PRIORITY));
  } catch {
    // Another system, or another session changed just now.
  }
}
