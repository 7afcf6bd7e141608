import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";

const TrustData = Type.Object({
  name: Type.String({ description: "What the trust is for.", examples: ["deploy shop"] }),
  issuer: Type.String({
    description: "Who signs the tokens of its workloads.",
    examples: ["https://token.actions.githubusercontent.com"],
  }),
  userId: Type.String({
    description: "The service account as which they act.",
    examples: ["user_01kahxq2t1e8r4k7c5m9z3g6hs"],
  }),
});

export const WORKLOAD_EVENTS = declareEvents({
  "workload_trust.created": {
    subject: "workload_trust",
    description: "A workload trust was created.",
    data: TrustData,
    role: "admin",
  },
  "workload_trust.deleted": {
    subject: "workload_trust",
    description: "A workload trust was deleted. Its tokens work nowhere after five seconds.",
    data: TrustData,
    role: "admin",
  },
});
