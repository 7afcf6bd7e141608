/** Counts the requests that Slipway sends to the sandbox's git host. */
import { startCloudProxy } from "../crash/deaths/cloud-proxy.ts";

export type GitRequests = {
  /** Where Slipway reaches the sandbox. */
  readonly url: string;
  /** Lists of pull requests that were asked for only if they changed. */
  conditional: number;
  /** All others. */
  others: string[];
  reset(): void;
  close(): void;
};

export async function countGitRequests(sandboxUrl: string): Promise<GitRequests> {
  const proxy = await startCloudProxy("slipway", sandboxUrl, {
    onCall: () => "pass",
    onAnswer: () => "pass",
    onRequest({ method, url: address = "", headers }) {
      if (!address.startsWith("/git/")) return;
      if (address.endsWith("/pull-requests") && headers["if-none-match"] !== undefined)
        counted.conditional += 1;
      else counted.others.push(`${method} ${address}`);
    },
  });
  const counted: GitRequests = {
    url: proxy.url,
    conditional: 0,
    others: [],
    reset() {
      counted.conditional = 0;
      counted.others = [];
    },
    close: () => proxy.close(),
  };
  return counted;
}
