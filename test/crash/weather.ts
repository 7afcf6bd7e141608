/** What the cloud does to its callers in a storm, and how often it was called. */
import type { CloudWatcher } from "./deaths/cloud-proxy.ts";

export type Weather = CloudWatcher & {
  /** Connections whose calls are never answered. */
  readonly dead: Set<string>;
  /** Calls since `forget`, of the given operations; for one connection, or for all. */
  count(isCounted: (operation: string) => boolean, connectionId?: string): number;
  forget(): void;
};

export function createWeather(): Weather {
  const dead = new Set<string>();
  let calls: { operation: string; connectionId: string }[] = [];
  return {
    dead,
    onCall({ connectionId, operation }) {
      calls.push({ operation, connectionId });
      // Never resolved: the caller's own time limit has to end it.
      return dead.has(connectionId) ? new Promise(() => undefined) : "pass";
    },
    onAnswer: () => "pass",
    count: (isCounted, connectionId) =>
      calls.filter(
        (call) =>
          isCounted(call.operation) && (connectionId === undefined || call.connectionId === connectionId),
      ).length,
    forget() {
      calls = [];
    },
  };
}
