import type { WorkloadTrust } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";

/** The deletion of a workload trust, with its question. */
export function deleteTrust({ id, name }: Pick<WorkloadTrust, "id" | "name">) {
  return {
    refreshes: ["workloadTrusts"] as const,
    work: () => slipway.workloadTrusts.delete(id),
    question: {
      title: `Delete the trust ${name}?`,
      consequences: [
        "Its jobs receive no further tokens.",
        "Tokens that were issued are refused within seconds.",
      ],
      action: "Delete trust",
    },
  };
}
