import { Type } from "typebox";
import { DOMAIN_DATA } from "../custom-domains/events.ts";
import { declareEvents } from "../events/event.ts";

const CONNECT_OUTCOMES = ["AGREED", "DECLINED", "FAILED"] as const;
export type ConnectOutcome = (typeof CONNECT_OUTCOMES)[number];

const CONNECT_PROVIDER = Type.String({
  description: "The provider, as its settings name it.",
  examples: ["Cloudflare"],
});

export const DOMAIN_CONNECT_EVENTS = declareEvents({
  "domain.connect_started": {
    subject: "domain",
    description: "An owner was sent to the DNS provider, to agree that it sets the domain's records.",
    data: Type.Object({ ...DOMAIN_DATA, provider: CONNECT_PROVIDER }),
  },
  "domain.connect_returned": {
    subject: "domain",
    description:
      "The owner returned from the DNS provider. `domain.records_changed` says whether the records are set.",
    data: Type.Object({
      ...DOMAIN_DATA,
      provider: CONNECT_PROVIDER,
      outcome: Type.Unsafe<ConnectOutcome>({
        type: "string",
        enum: CONNECT_OUTCOMES,
        description:
          "The result that the provider reported. `FAILED`: another error occurred at the provider.",
        examples: ["AGREED"],
      }),
    }),
  },
});
