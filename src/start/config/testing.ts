import assert from "node:assert/strict";
import { ConfigError } from "./config.ts";

/** The problems that reading a configuration finds, one sentence each. */
export function problemsIn(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}
