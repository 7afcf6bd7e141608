/** The clouds that the installation runs itself, and so connects with one request. Pure. */
import type { CloudName } from "../../../sdk/src/generated/types.ts";

export type OwnCloud = Exclude<CloudName, "aws">;

export const OWN_CLOUDS = {
  sandbox: {
    connect: "Connect the sandbox",
    givenId: "sandbox",
    name: "Sandbox",
    connectAt: "/sandbox/stacks",
    step: "Do it step by step, as in a real cloud",
  },
  host: {
    connect: "Connect this server",
    givenId: "server",
    name: "This server",
    connectAt: "/host/connections",
    step: "Choose another name first",
  },
} as const;
