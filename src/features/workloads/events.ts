import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";

const TrustData = Type.Object({
  name: Type.String({ description: "The purpose of the trust.", examples: ["deploy shop"] }),
  issuer: Type.String({
    description: "The issuer of its workloads' tokens.",
    examples: ["https://token.actions.githubusercontent.com"],
  }),
  userId: Type.String({
    description: "The service account that the workloads act as.",
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
    description: "A workload trust was deleted. Its tokens stop working everywhere within 5 s.",
    data: TrustData,
    role: "admin",
  },
});
