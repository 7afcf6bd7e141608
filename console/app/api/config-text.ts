import type { CreateProjectRequest } from "../../../sdk/src/generated/types.ts";
import { InputError } from "./problem.ts";

/** Reads a configuration that the user typed. The server checks its content. @throws InputError if it is not JSON */
export function readConfig(text: string): NonNullable<CreateProjectRequest["config"]> {
  try {
    return JSON.parse(text) as NonNullable<CreateProjectRequest["config"]>;
  } catch (error) {
    const message = `This is not JSON: ${(error as Error).message}`;
    throw new InputError([{ path: "/config", code: "INVALID", message }]);
  }
}
