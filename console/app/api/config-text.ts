import type { CreateProjectRequest } from "../../../sdk/src/generated/types.ts";
import { InputError } from "./problem.ts";

/** A configuration as somebody typed it. @throws InputError for what is no JSON; the server judges the rest */
export function readConfig(text: string): NonNullable<CreateProjectRequest["config"]> {
  try {
    return JSON.parse(text) as NonNullable<CreateProjectRequest["config"]>;
  } catch (error) {
    const message = `This is no JSON: ${(error as Error).message}`;
    throw new InputError([{ path: "/config", code: "INVALID", message }]);
  }
}
